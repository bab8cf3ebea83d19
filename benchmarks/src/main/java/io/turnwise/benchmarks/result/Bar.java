package io.turnwise.benchmarks.result;

/**
 * How good a value must be: by the runtime whose own test this is, and by us.
 *
 * @param whose whose test it is
 * @param theirs what they ask; NaN where they ask only that it ends
 * @param ours what we ask
 */
public record Bar(String whose, double theirs, double ours) {

  /** Where the other's test asks only that it comes to an end. */
  public static Bar mustEnd(String whose, double ours) {
    return new Bar(whose, Double.NaN, ours);
  }

  public boolean holds(Metric metric, double value) {
    return Double.isFinite(value) && metric.ratio(value, ours) >= 1;
  }

  /** Both bars, in words. */
  public String describe(Metric metric) {
    String direction = metric.better() == Metric.Better.HIGHER ? "at least " : "at most ";
    return whose
        + (Double.isNaN(theirs) ? " asks that it ends" : " asks for " + direction + theirs)
        + ", we ask for "
        + direction
        + ours;
  }
}
