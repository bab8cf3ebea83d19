package io.turnwise.supervision;

import java.time.Duration;
import java.util.Objects;

/**
 * How long a child stays down before it is started again. Nobody sleeps for it: the restart is a
 * timer of the supervisor's.
 *
 * {@snippet file="SupervisionSnippets.java" region="backoff"}
 *
 * @param growth how the delay grows from one failure to the next
 * @param first the delay after the first failure
 * @param factor what an exponential delay is multiplied with each time
 * @param ceiling no delay is longer, jitter included
 * @param jitter how far a delay is spread, at random, as a part of it: 0.2 means between 0.8 and
 *     1.2 of it. Children that fail together do not come back all at once
 * @param resetAfter a child that was up for so long has recovered: its next failure is its first
 */
public record Backoff(
    Growth growth,
    Duration first,
    double factor,
    Duration ceiling,
    double jitter,
    Duration resetAfter) {

  /** How the delay grows. */
  public enum Growth {
    /** Not at all. */
    CONSTANT,
    /** By the first delay each time. */
    LINEAR,
    /** By the factor each time. */
    EXPONENTIAL
  }

  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final double DEFAULT_FACTOR = 2;

  /** At once. */
  public static final Backoff NONE = constant(Duration.ZERO);

  public Backoff {
    Objects.requireNonNull(growth, "Backoff.growth is null; use Backoff.constant or the like");
    check("first", first, true);
    check("ceiling", ceiling, true);
    check("resetAfter", resetAfter, false);
    if (!(factor >= 1) || Double.isInfinite(factor))
      throw new IllegalArgumentException("Backoff.factor is " + factor + "; use 1 or more");
    if (!(jitter >= 0 && jitter <= 1))
      throw new IllegalArgumentException("Backoff.jitter is " + jitter + "; use 0 to 1");
  }

  private static void check(String what, Duration value, boolean zeroIsFine) {
    if (value == null || value.isNegative() || (!zeroIsFine && value.isZero()))
      throw new IllegalArgumentException(
          "Backoff."
              + what
              + " is "
              + value
              + (zeroIsFine
                  ? "; use Duration.ZERO or a positive one"
                  : "; use a positive duration"));
    if (value.compareTo(LONGEST) > 0)
      throw new IllegalArgumentException(
          "Backoff." + what + " is " + value + "; use a year at most");
  }

  /** Always the same. */
  public static Backoff constant(Duration delay) {
    return of(Growth.CONSTANT, delay);
  }

  /** The step, twice the step, three times the step, up to a minute. */
  public static Backoff linear(Duration step) {
    return of(Growth.LINEAR, step);
  }

  /** The first delay, twice that, four times that, up to a minute. */
  public static Backoff exponential(Duration first) {
    return of(Growth.EXPONENTIAL, first);
  }

  private static Backoff of(Growth growth, Duration first) {
    Objects.requireNonNull(first, "The delay of a backoff is null; use Backoff.NONE for none");
    Duration ceiling = first.compareTo(LONG) > 0 ? first : LONG;
    return new Backoff(growth, first, DEFAULT_FACTOR, ceiling, 0, LONG);
  }

  public Backoff withFactor(double factor) {
    return new Backoff(growth, first, factor, ceiling, jitter, resetAfter);
  }

  public Backoff withCeiling(Duration ceiling) {
    return new Backoff(growth, first, factor, ceiling, jitter, resetAfter);
  }

  public Backoff withJitter(double jitter) {
    return new Backoff(growth, first, factor, ceiling, jitter, resetAfter);
  }

  public Backoff withResetAfter(Duration healthy) {
    return new Backoff(growth, first, factor, ceiling, jitter, healthy);
  }

  /**
   * The delay after so many failures in a row.
   *
   * @param failures 1 for the first
   * @param chance from 0 to 1, which picks a place in the spread of the jitter
   */
  public Duration delayAfter(int failures, double chance) {
    if (failures < 1)
      throw new IllegalArgumentException("delayAfter: failures is " + failures + "; count from 1");
    if (!(chance >= 0 && chance <= 1))
      throw new IllegalArgumentException("delayAfter: chance is " + chance + "; use 0 to 1");
    double nanos =
        switch (growth) {
          case CONSTANT -> first.toNanos();
          case LINEAR -> (double) first.toNanos() * failures;
          case EXPONENTIAL -> first.toNanos() * Math.pow(factor, failures - 1);
        };
    double most = ceiling.toNanos();
    nanos = Math.min(nanos, most) * (1 + jitter * (2 * chance - 1));
    return Duration.ofNanos((long) Math.min(nanos, most));
  }
}
