package io.turnwise.internal.cell;

import io.turnwise.StopReason;
import org.jspecify.annotations.Nullable;

/**
 * Who wants to know of an actor's end: an immutable list whose head is swapped, and in the end
 * replaced by the reason. Whoever comes later finds the reason there.
 */
sealed interface Watchers {
  /** The actor has ended. */
  record Ended(StopReason reason) implements Watchers {
    private static final Ended FINISHED = new Ended(ActorCell.FINISHED);

    static Ended of(StopReason reason) {
      return reason == FINISHED.reason ? FINISHED : new Ended(reason);
    }
  }

  /** An actor or a future, and those before it. */
  record Link(Object who, @Nullable Link next) implements Watchers {
    /** The list without this one; the same list if it is not in it. */
    static @Nullable Link without(@Nullable Link list, Object who) {
      Link kept = null;
      boolean found = false;
      for (Link l = list; l != null; l = l.next) {
        if (l.who == who) found = true;
        else kept = new Link(l.who, kept);
      }
      return found ? kept : list;
    }
  }
}
