package io.turnwise.benchmarks.result;

import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How good a figure must be: by the runtime whose own test this is, if it is one, and by us.
 *
 * @param figure which one, by its name in the results; in the unit and the direction of the value
 * @param whose whose test it is, or null where only we ask
 * @param theirs what they ask; NaN where they ask only that it ends
 * @param ours what we ask
 */
public record Bar(String figure, @Nullable String whose, double theirs, double ours) {

  public Bar(String whose, double theirs, double ours) {
    this(Row.VALUE, whose, theirs, ours);
  }

  /** Where the other's test asks only that it comes to an end. */
  public static Bar mustEnd(String whose, double ours) {
    return new Bar(whose, Double.NaN, ours);
  }

  /** Where nobody else asks. */
  public static Bar ofOurs(String figure, double ours) {
    return new Bar(figure, null, Double.NaN, ours);
  }

  public boolean holds(Metric metric, Row row) {
    double reached = row.figure(figure);
    return Double.isFinite(reached) && metric.ratio(reached, ours) >= 1;
  }

  /** Both bars, in words. */
  public String describe(Metric metric, DoubleFunction<String> written) {
    String direction = metric.better() == Metric.Better.HIGHER ? "at least " : "at most ";
    String asked = "we ask for " + direction + written.apply(ours);
    if (!figure.equals(Row.VALUE)) {
      asked += " as " + figure;
    }
    if (whose == null) {
      return asked;
    }
    return whose
        + (Double.isNaN(theirs)
            ? " asks that it ends"
            : " asks for " + direction + written.apply(theirs))
        + ", "
        + asked;
  }
}
