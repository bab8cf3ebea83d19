package io.turnwise.internal.timer;

import io.turnwise.time.Lateness;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts by size, in eight steps to each power of two. Any thread adds. */
final class LatenessHistogram {
  private static final int STEP_BITS = 3;
  private static final int STEPS = 1 << STEP_BITS;

  private final AtomicLongArray counts = new AtomicLongArray(STEPS * (Long.SIZE - STEP_BITS));
  private final AtomicLong maximum = new AtomicLong();

  void add(long nanos) {
    long value = Math.max(0, nanos);
    counts.incrementAndGet(indexOf(value));
    long most;
    while (value > (most = maximum.get()) && !maximum.compareAndSet(most, value)) {}
  }

  static int indexOf(long value) {
    if (value < STEPS) return (int) value;
    int power = Long.SIZE - 1 - Long.numberOfLeadingZeros(value);
    int step = (int) (value >>> (power - STEP_BITS)) & (STEPS - 1);
    return (power - STEP_BITS + 1) * STEPS + step;
  }

  /** The largest value that is counted there. */
  static long largestAt(int index) {
    if (index < STEPS) return index;
    int power = index / STEPS + STEP_BITS - 1;
    long step = index % STEPS;
    return ((STEPS + step + 1) << (power - STEP_BITS)) - 1;
  }

  Lateness read() {
    long[] seen = new long[counts.length()];
    long total = 0;
    for (int i = 0; i < seen.length; i++) total += seen[i] = counts.get(i);
    long most = maximum.get();
    return new Lateness(
        total,
        at(0.5, seen, total, most),
        at(0.9, seen, total, most),
        at(0.99, seen, total, most),
        at(0.999, seen, total, most),
        Duration.ofNanos(most));
  }

  private static Duration at(double part, long[] seen, long total, long most) {
    long rank = Math.max(1, (long) Math.ceil(part * total));
    long passed = 0;
    for (int i = 0; i < seen.length && total > 0; i++)
      if ((passed += seen[i]) >= rank) return Duration.ofNanos(Math.min(most, largestAt(i)));
    return Duration.ZERO;
  }
}
