package io.turnwise.internal.timer;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Sleeps until a time and not much longer. Of one thread at a time.
 *
 * <p>A thread that is parked for a time comes back late, always by about as much: by what the
 * machine takes for it. Who asks for no more than it must be ({@link TimerSlack}) and learns how
 * much that is goes to sleep for as much less; what is then left, some microseconds, it spins.
 */
final class ExactSleep {
  /** What is nearer than this is spun for, where there is another processor for the others. */
  private static final long SPIN_NANOS =
      Runtime.getRuntime().availableProcessors() > 1 ? 15_000 : 0;

  /** More than that is no habit of the machine, but an accident. */
  private static final long MOST_OVERSLEPT_NANOS = 100_000;

  private final LongSupplier clock;
  private long oversleeps;

  ExactSleep(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * Returns when the time has come, when the thread is woken before, and when it spins and is to go
   * on no more. Returns whether the time has come.
   */
  boolean until(long deadline, Object parkReason, BooleanSupplier goesOn) {
    long left = deadline - clock.getAsLong();
    if (left > SPIN_NANOS) {
      LockSupport.parkNanos(parkReason, Math.max(1, left - oversleeps));
      left = deadline - clock.getAsLong();
      learn(left);
    }
    while (left > 0 && left <= SPIN_NANOS && goesOn.getAsBoolean()) {
      Thread.onSpinWait();
      left = deadline - clock.getAsLong();
    }
    return left <= 0;
  }

  /**
   * Goes a long way down and a short way up: so it comes to lie where most are later and few are
   * earlier, and there is little to spin for.
   *
   * @param left what is left of the time; more than can be learned from, if somebody woke it
   */
  private void learn(long left) {
    if (left > SPIN_NANOS) return;
    long seen = oversleeps - left;
    if (seen < oversleeps) oversleeps -= (oversleeps - seen) / 4;
    else oversleeps += Math.min(seen - oversleeps, MOST_OVERSLEPT_NANOS) / 16;
    oversleeps = Math.max(0, Math.min(oversleeps, MOST_OVERSLEPT_NANOS));
  }
}
