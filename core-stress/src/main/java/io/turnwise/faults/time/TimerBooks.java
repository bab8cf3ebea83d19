package io.turnwise.faults.time;

import io.turnwise.faults.trial.Broken;
import io.turnwise.time.TimerMetrics;
import io.turnwise.time.TimerService;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * What became of each timer, kept outside the runtime: how often it was called, and how often
 * somebody who cancelled it was told yes.
 */
final class TimerBooks {
  private static final int CALLED = 1;
  private static final int CANCELLED = 1 << 16;

  private final AtomicIntegerArray fates;
  private final LongAdder early = new LongAdder();
  private final LongAdder called = new LongAdder();
  private final LongAdder cancelled = new LongAdder();

  TimerBooks(int timers) {
    this.fates = new AtomicIntegerArray(timers);
  }

  /** The callback of a timer that is to come then. */
  Runnable callback(int number, long due) {
    return () -> {
      if (System.nanoTime() - due < 0) early.increment();
      fates.addAndGet(number, CALLED);
      called.increment();
    };
  }

  void cancelled(int number) {
    fates.addAndGet(number, CANCELLED);
    cancelled.increment();
  }

  /** Waits until each has its fate; then the runtime's own counters must say the same. */
  void close(TimerService timers, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    int all = fates.length();
    while (called.sum() + cancelled.sum() < all) {
      if (System.nanoTime() - deadline > 0)
        throw new Broken(all - called.sum() - cancelled.sum() + " timers are missing");
      LockSupport.parkNanos(1_000_000);
    }
    checkFates();
    TimerMetrics seen = timers.metrics();
    if (seen.pending() != 0
        || seen.executed() != called.sum()
        || seen.cancelled() != cancelled.sum()
        || seen.failed() != 0)
      throw new Broken(
          "called " + called.sum() + ", cancelled " + cancelled.sum() + "; the runtime: " + seen);
  }

  /** Each was called or cancelled, once, and none early. */
  void checkFates() {
    int all = fates.length();
    for (int i = 0; i < all; i++)
      if (fates.get(i) != CALLED && fates.get(i) != CANCELLED)
        throw new Broken(
            "timer "
                + i
                + " has this fate: "
                + Integer.toHexString(fates.get(i))
                + " (calls below,"
                + " cancels above)");
    if (early.sum() > 0) throw new Broken(early.sum() + " timers came early");
  }

  String sums() {
    return called.sum() + " called, " + cancelled.sum() + " cancelled";
  }
}
