package io.turnwise.benchmarks.result;

/**
 * What a workload's value means.
 *
 * @param unit as printed, for example {@code msgs/s}
 * @param better which direction is good
 */
public record Metric(String unit, Better better) {

  /** Which of two values is the good one. */
  public enum Better {
    HIGHER,
    LOWER
  }

  /** Events per second: more is better. */
  public static Metric rate(String unit) {
    return new Metric(unit, Better.HIGHER);
  }

  /** Time or space: less is better. */
  public static Metric cost(String unit) {
    return new Metric(unit, Better.LOWER);
  }

  double best(double one, double other) {
    return better == Better.HIGHER ? Math.max(one, other) : Math.min(one, other);
  }

  /** How many times as good {@code ours} is as {@code theirs}: above 1, ours is ahead. */
  public double ratio(double ours, double theirs) {
    return better == Better.HIGHER ? ours / theirs : theirs / ours;
  }
}
