package io.turnwise.benchmarks.result;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one peer reached in one workload, over all repetitions.
 *
 * @param peer the peer's name
 * @param workload the workload's name
 * @param metric what the value means
 * @param n operations in the last repetition, or null when there was none
 * @param value the median, NaN when nothing was measured
 * @param best the best repetition, NaN when nothing was measured
 * @param reps how many repetitions were measured
 * @param details medians of everything else, latencies in nanoseconds among them; the latencies of
 *     the best repetition; and how much was never handled, in all of them together
 * @param failure why the peer failed, or null when it did not
 */
public record Row(
    String peer,
    String workload,
    Metric metric,
    @Nullable Long n,
    double value,
    double best,
    int reps,
    Map<String, @Nullable Object> details,
    @Nullable String failure) {

  /** The outcome, in place of a value, of a peer whose light actors did not get their turn. */
  public static final String STARVED = "starved";

  /** What {@link #value} is called in the results. */
  public static final String VALUE = "value";

  /** What {@link #best} is called; its latencies are this, an underline and their own name. */
  public static final String BEST = "best";

  private static final String OUTCOME = "outcome";

  public Row {
    details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
  }

  /** Puts the repetitions of one peer together. */
  public static Row of(String peer, String workload, Metric metric, List<Measurement> runs) {
    if (runs.isEmpty()) {
      return failed(peer, workload, metric, "no repetition was measured");
    }
    List<Measurement> told = runs.stream().filter(run -> Double.isFinite(run.value())).toList();
    Measurement last = runs.getLast();
    Row row =
        new Row(
            peer,
            workload,
            metric,
            last.n(),
            Median.of(told.stream().mapToDouble(Measurement::value).toArray()),
            Double.NaN,
            runs.size(),
            medianDetails(runs),
            null);
    if (runs.stream().anyMatch(Measurement::starved)) {
      return row.starved();
    }
    return told.isEmpty() ? row : row.withBest(bestOf(told, metric));
  }

  private static Measurement bestOf(List<Measurement> runs, Metric metric) {
    Measurement best = runs.getFirst();
    for (Measurement run : runs) {
      if (metric.best(best.value(), run.value()) != best.value()) {
        best = run;
      }
    }
    return best;
  }

  /** All figures of one repetition: the best of each would be of a run that never was. */
  private Row withBest(Measurement run) {
    Map<String, @Nullable Object> more = new LinkedHashMap<>(details);
    for (String latency : Measurement.PERCENTILES.keySet()) {
      if (run.details().get(latency) instanceof Number number) {
        more.put(BEST + "_" + latency, number.doubleValue());
      }
    }
    return new Row(peer, workload, metric, n, value, run.value(), reps, more, failure);
  }

  /** A percentile of the few that got through says nothing about the many that did not. */
  private Row starved() {
    return new Row(peer, workload, metric, n, Double.NaN, Double.NaN, reps, details, failure)
        .with(OUTCOME, STARVED);
  }

  /** A word in place of the value, if it is one that no number can tell. */
  public Optional<String> outcome() {
    return details.get(OUTCOME) instanceof String word ? Optional.of(word) : Optional.empty();
  }

  /** A peer that could not be measured, and why. */
  public static Row failed(String peer, String workload, Metric metric, String reason) {
    return new Row(peer, workload, metric, null, Double.NaN, Double.NaN, 0, Map.of(), reason);
  }

  private static Map<String, @Nullable Object> medianDetails(List<Measurement> runs) {
    Map<String, @Nullable Object> medians = new LinkedHashMap<>();
    for (Map.Entry<String, @Nullable Object> detail : runs.getLast().details().entrySet()) {
      String name = detail.getKey();
      medians.put(name, detail.getValue() instanceof String word ? word : detailOf(name, runs));
    }
    return medians;
  }

  /** The median; of what was never handled, the sum. */
  private static @Nullable Double detailOf(String name, List<Measurement> runs) {
    double[] numbers =
        runs.stream()
            .map(run -> run.details().get(name))
            .filter(Number.class::isInstance)
            .mapToDouble(number -> ((Number) number).doubleValue())
            .toArray();
    if (numbers.length == 0) {
      return null;
    }
    return name.equals(Measurement.UNHANDLED)
        ? Double.valueOf(Arrays.stream(numbers).sum())
        : Double.valueOf(Median.of(numbers));
  }

  /** The same with one more detail. */
  public Row with(String name, @Nullable Object detail) {
    Map<String, @Nullable Object> more = new LinkedHashMap<>(details);
    more.put(name, detail);
    return new Row(peer, workload, metric, n, value, best, reps, more, failure);
  }

  /** The same, but failed after the repetitions it holds. */
  public Row brokenOff(String reason) {
    return new Row(peer, workload, metric, n, value, best, reps, details, reason);
  }

  /** A numeric detail, NaN when there is none. */
  public double number(String name) {
    return details.get(name) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /** Any number of this row, by the name it has in the results; NaN when there is none. */
  public double figure(String name) {
    return switch (name) {
      case VALUE -> value;
      case BEST -> best;
      default -> number(name);
    };
  }

  /** One line of JSON; the first eleven fields are always there and in this order. */
  public String toJson() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("peer", peer);
    fields.put("workload", workload);
    fields.put("n", n);
    fields.put(VALUE, value);
    fields.put("unit", metric.unit());
    fields.put(BEST, best);
    fields.put("reps", reps);
    for (String latency : Measurement.PERCENTILES.keySet()) {
      fields.put(latency, details.get(latency));
    }
    fields.putAll(details);
    if (failure != null) {
      fields.put("failed", failure);
    }
    return Json.write(fields);
  }
}
