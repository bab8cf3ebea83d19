package io.turnwise.internal.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Entries on their way to the wheel, the newest first. Any thread pushes; who has the wheel's lock
 * takes all.
 *
 * <p>An entry is in an inbox at most once: it is pushed when it is NEW, and again, when it was
 * cancelled in the wheel, only after it was taken out to be put there. Who takes it out reads its
 * link before it lets it become WAITING.
 */
final class Inbox {
  private static final VarHandle NEWEST;

  static {
    try {
      NEWEST = MethodHandles.lookup().findVarHandle(Inbox.class, "newest", TimerEntry.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable TimerEntry newest;

  void push(TimerEntry entry) {
    push(entry, 1);
  }

  /** It is nobody's timer: the next one up finds the same depth as if it were not there. */
  void push(Stamp stamp) {
    push(stamp, 0);
  }

  private void push(TimerEntry entry, int counts) {
    TimerEntry first;
    do {
      first = newest;
      entry.inboxNext = first;
      entry.depth = first == null ? counts : first.depth + counts;
    } while (!NEWEST.compareAndSet(this, first, entry));
  }

  @Nullable TimerEntry newest() {
    return newest;
  }

  /** How many it holds, without stamps. */
  int depth() {
    TimerEntry first = newest;
    return first == null ? 0 : first.depth;
  }

  boolean isEmpty() {
    return newest == null;
  }

  /** Empties it, if that is still the newest. */
  boolean take(TimerEntry first) {
    return NEWEST.compareAndSet(this, first, null);
  }

  /** Above what was pushed meanwhile. Only the depth of the newest is ever read. */
  void putBack(TimerEntry first, TimerEntry last, int count) {
    TimerEntry before;
    do {
      before = newest;
      last.inboxNext = before;
      first.depth = (before == null ? 0 : before.depth) + count;
    } while (!NEWEST.compareAndSet(this, before, first));
  }
}
