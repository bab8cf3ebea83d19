package io.turnwise.demo;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long things took: counts in buckets that grow with the value, so that each is right to about
 * 6 %. Any thread records; one thread reads.
 */
final class Latencies {
  private static final int STEPS = 16;
  private static final int BUCKETS = 60 * STEPS;

  private final AtomicLongArray buckets = new AtomicLongArray(BUCKETS);
  private final AtomicLong longest = new AtomicLong();
  private final long[] seen = new long[BUCKETS];
  private long longestEver;

  /**
   * Some of them, summed up.
   *
   * @param count how many there were
   */
  record Summary(long count, long p50, long p99, long max) {
    /** Where there were none, everybody has waited at least since the last one. */
    Summary orStandstill(long nanos) {
      return count > 0 ? this : new Summary(0, nanos, nanos, nanos);
    }
  }

  void record(long nanos) {
    long value = Math.max(0, nanos);
    buckets.incrementAndGet(bucket(value));
    if (value > longest.get()) longest.accumulateAndGet(value, Math::max);
  }

  /** Those since the last look. */
  Summary sinceLastLook() {
    long max = longest.getAndSet(0);
    longestEver = Math.max(longestEver, max);
    var fresh = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) {
      long now = buckets.get(i);
      fresh[i] = now - seen[i];
      seen[i] = now;
    }
    return sum(fresh, max);
  }

  /** All of them. */
  Summary all() {
    longestEver = Math.max(longestEver, longest.get());
    var every = new long[BUCKETS];
    for (int i = 0; i < BUCKETS; i++) every[i] = buckets.get(i);
    return sum(every, longestEver);
  }

  private static Summary sum(long[] counts, long max) {
    long count = 0;
    for (long c : counts) count += c;
    return new Summary(
        count, Math.min(max, at(counts, count, 0.50)), Math.min(max, at(counts, count, 0.99)), max);
  }

  private static long at(long[] counts, long total, double share) {
    if (total == 0) return 0;
    long wanted = (long) Math.ceil(total * share);
    long passed = 0;
    for (int i = 0; i < counts.length; i++) {
      passed += counts[i];
      if (passed >= wanted) return upperEdge(i);
    }
    return upperEdge(counts.length - 1);
  }

  static int bucket(long value) {
    if (value < STEPS) return (int) value;
    int power = 63 - Long.numberOfLeadingZeros(value); // 4 or more
    return Math.min(
        BUCKETS - 1, (power - 3) * STEPS + (int) ((value >> (power - 4)) & (STEPS - 1)));
  }

  static long upperEdge(int bucket) {
    if (bucket < STEPS) return bucket;
    int power = bucket / STEPS + 3;
    return (((long) STEPS + bucket % STEPS + 1) << (power - 4)) - 1;
  }
}
