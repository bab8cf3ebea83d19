package io.turnwise.internal.cell;

import io.turnwise.StopReason;
import java.util.concurrent.CompletableFuture;
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

  /** Who killed the actor and waits for the end of the life that it was in. */
  final class Killer extends CompletableFuture<StopReason> {
    final int incarnation;

    Killer(int incarnation) {
      this.incarnation = incarnation;
    }
  }

  /**
   * An actor or a future, and those before it.
   *
   * @param size how many there are from here on
   * @param tidyAt with so many, those that have ended themselves are taken out by who comes next
   */
  record Link(Object who, @Nullable Link next, int size, int tidyAt) implements Watchers {
    private static final int FIRST_TIDY = 64;

    /**
     * The list with one more. Now and then without those that nobody will tell: an actor does not
     * take back its watches when it ends, as to find them here takes longer the more there are.
     */
    static Link with(@Nullable Link list, Object who) {
      if (list == null) return new Link(who, null, 1, FIRST_TIDY);
      if (list.size < list.tidyAt) return new Link(who, list, list.size + 1, list.tidyAt);
      Link kept = null;
      for (Link l = list; l != null; l = l.next)
        if (!hasEnded(l.who)) kept = before(kept, l.who, 0);
      int size = kept == null ? 0 : kept.size;
      return new Link(who, kept, size + 1, Math.max(FIRST_TIDY, 2 * size));
    }

    private static Link before(@Nullable Link list, Object who, int tidyAt) {
      return new Link(who, list, list == null ? 1 : list.size + 1, tidyAt);
    }

    private static boolean hasEnded(Object who) {
      return who instanceof ActorCell<?> cell
          ? cell.hasToldItsEnd()
          : ((CompletableFuture<?>) who).isDone();
    }

    /** The list without those that wait for the end of this life; the same if there are none. */
    static @Nullable Link withoutKillers(Link list, int incarnation) {
      Link kept = null;
      boolean found = false;
      for (Link l = list; l != null; l = l.next) {
        if (l.who instanceof Killer killer && killer.incarnation <= incarnation) found = true;
        else kept = before(kept, l.who, list.tidyAt);
      }
      return found ? kept : list;
    }

    /** The list without this one; the same list if it is not in it. */
    static @Nullable Link without(Link list, Object who) {
      Link kept = null;
      boolean found = false;
      for (Link l = list; l != null; l = l.next) {
        if (l.who == who) found = true;
        else kept = before(kept, l.who, list.tidyAt);
      }
      return found ? kept : list;
    }
  }
}
