package io.turnwise.internal.scheduler;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A group of tasks that share time by weight, and may have a ceiling. One for each scheduler. */
public final class Share {
  static final int MOST = 64;
  private static final int WINDOW_TICKS = 100;

  /** Of tasks without a group: index 0. */
  static final Share OTHERS = new Share(0, 100, 1);

  final int index;
  final int weight;
  private final double ceiling;

  /** Time used in the present window. */
  private final AtomicLong used = new AtomicLong();

  /** Tasks that wait for the next window. */
  private final TaskQueue waiting = new TaskQueue();

  /** The ticking thread's own. */
  private int ticks;

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
    return ceiling < 1
        && used.get() >= ceiling * scheduler.workerCount() * WINDOW_TICKS * scheduler.tick.length();
  }

  void putOff(Task task) {
    waiting.push(task);
  }

  /**
   * The ticking thread: a new window, now and then. What was used too much counts there as well.
   */
  void tick(Scheduler scheduler) {
    if (ceiling >= 1 || ++ticks < WINDOW_TICKS) return;
    ticks = 0;
    long window =
        (long) (ceiling * scheduler.workerCount() * WINDOW_TICKS * scheduler.tick.length());
    used.updateAndGet(now -> Math.max(0, now - window));
    Task task;
    while ((task = next()) != null) scheduler.putBack(task);
  }

  private @Nullable Task next() {
    return waiting.tryPoll();
  }
}
