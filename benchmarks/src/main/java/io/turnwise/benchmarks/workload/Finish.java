package io.turnwise.benchmarks.workload;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The line that a workload's actors cross, and where the measuring thread waits for them. */
final class Finish {
  static final Duration LIMIT = Duration.ofSeconds(100);
  private static final long LOOK_AROUND_MILLIS = 50;

  private final CountDownLatch missing;
  private final Failures failures;

  Finish(int expected, Failures failures) {
    this.missing = new CountDownLatch(expected);
    this.failures = failures;
  }

  /** One of those that are expected is through. From any actor. */
  void crossed() {
    missing.countDown();
  }

  /** Whether all that are expected are through. */
  boolean isCrossed() {
    return missing.getCount() == 0;
  }

  /**
   * Waits until all are through.
   *
   * @throws WrongResultException when an actor failed meanwhile, or when they take too long
   */
  void await() throws InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!missing.await(LOOK_AROUND_MILLIS, TimeUnit.MILLISECONDS)) {
      failures.throwIfAny();
      if (System.nanoTime() - end > 0) {
        throw new WrongResultException(
            "no end after " + LIMIT.toSeconds() + " s; still missing: " + missing.getCount());
      }
    }
    failures.throwIfAny();
  }
}
