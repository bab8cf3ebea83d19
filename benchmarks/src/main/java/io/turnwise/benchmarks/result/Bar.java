package io.turnwise.benchmarks.result;

import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How good a figure must be: by the runtime whose own test this is, if it is one, and by us.
 *
 * @param figure which one, by its name in the results
 * @param whose whose test it is, or null where only we ask
 * @param theirs what they ask; NaN where they ask only that it ends
 * @param ours what we ask
 * @param most where the figure must not be above something either; else NaN, and {@code ours} is
 *     meant in the direction of the value
 */
public record Bar(String figure, @Nullable String whose, double theirs, double ours, double most) {

  public Bar(String whose, double theirs, double ours) {
    this(Row.VALUE, whose, theirs, ours, Double.NaN);
  }

  /** Where the other's test asks only that it comes to an end. */
  public static Bar mustEnd(String whose, double ours) {
    return new Bar(whose, Double.NaN, ours);
  }

  /** Where nobody else asks. */
  public static Bar ofOurs(String figure, double ours) {
    return new Bar(figure, null, Double.NaN, ours, Double.NaN);
  }

  /** Where the other's test asks for neither too little nor too much, and so do we. */
  public static Bar between(String figure, String whose, double least, double most) {
    return new Bar(figure, whose, least, least, most);
  }

  public boolean holds(Metric metric, Row row) {
    double reached = row.figure(figure);
    if (!Double.isFinite(reached)) {
      return false;
    }
    if (isRange()) {
      return ours <= reached && reached <= most;
    }
    return reached == ours || metric.best(reached, ours) == reached;
  }

  private boolean isRange() {
    return !Double.isNaN(most);
  }

  /** Both bars, in words. */
  public String describe(Metric metric, DoubleFunction<String> written) {
    if (isRange()) {
      return "%s and we ask for %s to %s as %s"
          .formatted(whose, written.apply(ours), written.apply(most), figure);
    }
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
