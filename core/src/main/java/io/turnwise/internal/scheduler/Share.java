package io.turnwise.internal.scheduler;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A group of tasks that share time by weight, and may have a ceiling. One for each scheduler. */
public final class Share {
  static final int MOST = 64;
  private static final int WINDOW_TICKS = 100;

  /** Before a window ends: one to ask every slice of the group to end, one for that to be done. */
  private static final int SETTLING_TICKS = 2;

  /** Of tasks without a group: index 0. */
  static final Share OTHERS = new Share(0, 100, 1);

  final int index;
  final int weight;
  private final double ceiling;

  /** Time used in the present window. */
  private final AtomicLong used = new AtomicLong();

  /** Tasks that wait for the next window. */
  private final TaskQueue waiting = new TaskQueue();

  /** When the present window began. The ticking thread's own. */
  private int windowBegan;

  /** Some of the last window may wait still. The ticking thread's own. */
  private boolean behind;

  /** Ticks since the present window is about to end. The ticking thread's own. */
  private int settled;

  Share(int index, int weight, double ceiling) {
    this.index = index;
    this.weight = weight;
    this.ceiling = ceiling;
  }

  static Share of(Task task) {
    Share own = task.share();
    return own == null ? OTHERS : own;
  }

  void charge(int nanos) {
    if (ceiling < 1) used.addAndGet(nanos);
  }

  /** Whether it has had all it may in this window. */
  boolean isSpent(Scheduler scheduler) {
    return ceiling < 1 && used.get() >= due(scheduler, WINDOW_TICKS);
  }

  /** Whether it has, once a slice that has run for so long is charged. The ticking thread. */
  boolean isSpentWith(Scheduler scheduler, long nanos) {
    return ceiling < 1 && used.get() + nanos >= due(scheduler, WINDOW_TICKS);
  }

  /** What it may use in so many ticks. */
  private long due(Scheduler scheduler, int ticks) {
    return (long) (ceiling * scheduler.workerCount() * ticks * scheduler.tick.length());
  }

  TaskQueue waiting() {
    return waiting;
  }

  void putOff(Task task) {
    waiting.push(task);
  }

  /**
   * Takes a task out of those that wait for the next window, and leaves the others in their order.
   * Any thread. Returns false if it is not there, or if somebody else takes from there just now.
   */
  boolean remove(Task task) {
    if (waiting.isEmpty() || !waiting.tryClaim()) return false;
    boolean found = false;
    Task first = null;
    Task last = null;
    try {
      for (Task next; (next = waiting.poll()) != null; ) {
        if (next == task) {
          found = true;
          continue;
        }
        if (last == null) first = next;
        else last.queueNext = next;
        last = next;
      }
    } finally {
      waiting.release();
    }
    while (first != null) {
      Task next = first.queueNext;
      waiting.push(first);
      first = next;
    }
    return found;
  }

  /**
   * Whether tasks wait for the next window. Nobody but the ticking thread ends their wait, so it
   * must not sleep meanwhile, although every worker may. Any thread: asked after whether a worker
   * is awake, as the one that put the last of them off was awake then.
   */
  public boolean hasPutOff() {
    return !waiting.isEmpty();
  }

  /**
   * Whether slices of this group are to end now, so that what they used is charged to the window
   * that it was used in. In the next one it would count against what may be used there, though of
   * this one nothing was used. Nobody else may wait for them, so that they would not end by
   * themselves. The ticking thread.
   */
  boolean settles() {
    return settled == 1;
  }

  /**
   * The ticking thread: a new window, now and then. What was used too much counts there as well. By
   * the clock, not by the number of these calls: a busy machine lets this thread run late.
   */
  void tick(Scheduler scheduler) {
    if (ceiling >= 1) return;
    if (behind) putBack(scheduler);
    int passed = scheduler.tick.now() - windowBegan;
    if (passed < WINDOW_TICKS - SETTLING_TICKS) return;
    if (settled < SETTLING_TICKS) {
      settled++;
      return;
    }
    settled = 0;
    windowBegan += passed;
    used.updateAndGet(now -> Math.max(0, now - due(scheduler, passed)));
    putBack(scheduler);
  }

  private void putBack(Scheduler scheduler) {
    Task task;
    while ((task = next()) != null) scheduler.putBack(task);
    behind = !waiting.isEmpty(); // somebody looks through them: see remove
  }

  /** The first of those that wait for the next window, which it need not wait for any more. */
  @Nullable Task next() {
    return waiting.tryPoll();
  }
}
