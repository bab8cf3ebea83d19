package io.turnwise.benchmarks.result;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.AbstractHistogram;
import org.jspecify.annotations.Nullable;

/**
 * One repetition of one workload on one peer.
 *
 * @param n how many operations were done
 * @param value the workload's number, in its unit; NaN when nothing could be measured
 * @param details further numbers and words, by the name they have in the results
 */
public record Measurement(long n, double value, Map<String, @Nullable Object> details) {

  /** The names under which latencies are reported, in nanoseconds, and their percentiles. */
  static final Map<String, Double> PERCENTILES = percentiles();

  /** How many messages a peer never handled. */
  public static final String UNHANDLED = "unhandled";

  public Measurement {
    details = Collections.unmodifiableMap(new LinkedHashMap<>(details));
  }

  public Measurement(long n, double value) {
    this(n, value, Map.of());
  }

  /** Operations per second over this many nanoseconds. */
  public static Measurement perSecond(long n, long operations, long nanos) {
    return new Measurement(n, operations * 1e9 / nanos);
  }

  /** The same with one more detail: a number, a word, or null for "not measured". */
  public Measurement with(String name, @Nullable Object detail) {
    Map<String, @Nullable Object> more = new LinkedHashMap<>(details);
    more.put(name, detail);
    return new Measurement(n, value, more);
  }

  /** The same with the percentiles of a histogram of nanoseconds. */
  public Measurement withLatencies(AbstractHistogram nanos) {
    return withLatencies(nanos, "");
  }

  /** The same with percentiles whose names end with a suffix. */
  public Measurement withLatencies(AbstractHistogram nanos, String suffix) {
    boolean empty = nanos.getTotalCount() == 0;
    Measurement result = this;
    for (Map.Entry<String, Double> percentile : PERCENTILES.entrySet()) {
      result =
          result.with(
              percentile.getKey() + suffix,
              empty ? null : nanos.getValueAtPercentile(percentile.getValue()));
    }
    return result;
  }

  /** Whether so much was left undone that there is no value, or none that tells. */
  public boolean starved() {
    return details.get(UNHANDLED) instanceof Number unhandled
        && unhandled.longValue() > 0
        && (Double.isNaN(value) || 2 * unhandled.longValue() > n);
  }

  /** As the line that a peer's process prints. */
  public String toLine(String peer, String workload, String unit) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("peer", peer);
    fields.put("workload", workload);
    fields.put("n", n);
    fields.put("value", value);
    fields.put("unit", unit);
    fields.putAll(details);
    return Json.write(fields);
  }

  /** Reads what {@link #toLine} wrote; other programs print the same format. */
  public static Measurement fromFields(Map<String, @Nullable Object> fields) {
    Map<String, @Nullable Object> details = new LinkedHashMap<>(fields);
    Object n = details.remove("n");
    Object value = details.remove("value");
    for (String known : new String[] {"peer", "workload", "unit"}) {
      details.remove(known);
    }
    if (!(n instanceof Number count)) {
      throw new IllegalArgumentException("a measurement without a number n: " + fields);
    }
    return new Measurement(
        count.longValue(),
        value instanceof Number number ? number.doubleValue() : Double.NaN,
        details);
  }

  private static Map<String, Double> percentiles() {
    Map<String, Double> byName = new LinkedHashMap<>();
    byName.put("p50", 50.0);
    byName.put("p99", 99.0);
    byName.put("p999", 99.9);
    byName.put("max", 100.0);
    return Collections.unmodifiableMap(byName);
  }
}
