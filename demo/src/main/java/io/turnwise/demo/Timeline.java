package io.turnwise.demo;

import java.time.Duration;

/**
 * When endless loops run: in the middle of the opening hours, or of every round where the shop has
 * no closing time.
 *
 * @param round how long it takes until everything starts over
 */
record Timeline(Duration round) {
  private static final double LOOPS_FROM = 0.3;
  private static final double LOOPS_TO = 0.7;

  /**
   * @param open nanoseconds since the shop was opened
   */
  boolean loopsAt(long open) {
    double share = shareOfRound(open);
    return share >= LOOPS_FROM && share < LOOPS_TO;
  }

  /** How long until that changes, at least a little. */
  long nanosToChange(long open) {
    double share = shareOfRound(open);
    double next = share < LOOPS_FROM ? LOOPS_FROM : share < LOOPS_TO ? LOOPS_TO : 1 + LOOPS_FROM;
    return Math.max(1_000_000, (long) ((next - share) * round.toNanos()));
  }

  private double shareOfRound(long open) {
    return open % round.toNanos() / (double) round.toNanos();
  }
}
