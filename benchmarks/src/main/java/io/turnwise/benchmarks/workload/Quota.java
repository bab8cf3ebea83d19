package io.turnwise.benchmarks.workload;

import java.time.Duration;

/** A number of operations, or as many of them as fit into a time. */
final class Quota {
  private static final int CLOCK_EVERY = 1 << 10;

  private final int most;
  private final long end;
  private int taken;
  private boolean over;

  /** The time starts now. */
  Quota(int most, Duration time) {
    this.most = most;
    this.end = System.nanoTime() + time.toNanos();
  }

  /** Whether one more operation may begin; counts it if so. */
  boolean take() {
    if (over || taken == most || (taken % CLOCK_EVERY == 0 && System.nanoTime() - end > 0)) {
      over = true;
      return false;
    }
    taken++;
    return true;
  }

  int taken() {
    return taken;
  }
}
