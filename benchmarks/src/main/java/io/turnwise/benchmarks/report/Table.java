package io.turnwise.benchmarks.report;

import io.turnwise.benchmarks.result.Bar;
import io.turnwise.benchmarks.result.Row;
import io.turnwise.benchmarks.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The rows of one workload as a table of text, with how far one peer is ahead of, or behind, each
 * of the others.
 */
public final class Table {
  private static final Map<String, String> LATENCIES =
      Map.of("p50", "p50", "p99", "p99", "p999", "p99.9", "max", "max");
  private static final List<String> LATENCY_ORDER = List.of("p50", "p99", "p999", "max");
  private static final String INTENDED = "p99_intended";
  private static final Set<String> SHOWN_ELSEWHERE =
      Set.of("p50", "p99", "p999", "max", "cores", "other_cpu", "workers", "outcome");

  private final WorkloadSpec workload;
  private final List<Row> rows;
  private final Optional<Row> ours;

  private Table(WorkloadSpec workload, List<Row> rows, Optional<Row> ours) {
    this.workload = workload;
    this.rows = rows;
    this.ours = ours;
  }

  /** A table whose ratios compare {@code protagonist} with everybody else. */
  public static String of(WorkloadSpec workload, List<Row> rows, String protagonist) {
    Optional<Row> ours = rows.stream().filter(row -> row.peer().equals(protagonist)).findFirst();
    return new Table(workload, rows, ours).render();
  }

  private String render() {
    List<List<String>> lines = new ArrayList<>();
    lines.add(header());
    rows.forEach(row -> lines.add(line(row)));
    String title =
        "%s (%s, %s is better): %s%n"
            .formatted(
                workload.name(),
                workload.metric().unit(),
                switch (workload.metric().better()) {
                  case HIGHER -> "more";
                  case LOWER -> "less";
                },
                workload.sentence());
    return title + aligned(lines) + bars();
  }

  /** What is asked, and whether we hold it. */
  private String bars() {
    return workload.bars().stream()
        .map(
            bar -> "  %s%s%n".formatted(bar.describe(workload.metric(), this::asked), verdict(bar)))
        .collect(Collectors.joining());
  }

  private String asked(double bar) {
    return inNanos() ? Quantity.nanos(bar) : "" + bar;
  }

  private String verdict(Bar bar) {
    return ours.map(
            row ->
                ": %s %s it, with %s"
                    .formatted(
                        row.peer(),
                        bar.holds(workload.metric(), row) ? "holds" : "MISSES",
                        value(row.figure(bar.figure()))))
        .orElse("");
  }

  private boolean hasLatencies() {
    return rows.stream()
        .anyMatch(row -> LATENCY_ORDER.stream().anyMatch(row.details()::containsKey));
  }

  /** Where a late sender may hide what its receivers wait for. */
  private boolean hasIntended() {
    return rows.stream().anyMatch(row -> row.details().containsKey(INTENDED));
  }

  private List<String> header() {
    List<String> cells = new ArrayList<>(List.of("peer", "median", "best", "reps"));
    if (hasLatencies()) {
      LATENCY_ORDER.forEach(name -> cells.add(LATENCIES.getOrDefault(name, name)));
    }
    if (hasIntended()) {
      cells.add("p99 from due");
    }
    cells.add(ours.map(row -> row.peer() + " is").orElse(""));
    cells.add("other CPU");
    cells.add("");
    return cells;
  }

  private List<String> line(Row row) {
    List<String> cells = new ArrayList<>();
    cells.add(row.peer());
    cells.add(row.outcome().orElseGet(() -> value(row.value())));
    cells.add(value(row.best()));
    cells.add("" + row.reps());
    if (hasLatencies()) {
      LATENCY_ORDER.forEach(name -> cells.add(Quantity.nanos(row.number(name))));
    }
    if (hasIntended()) {
      cells.add(Quantity.nanos(row.number(INTENDED)));
    }
    cells.add(ratio(row));
    cells.add(Quantity.percent(row.number("other_cpu")));
    cells.add(remarks(row));
    return cells;
  }

  private String value(double value) {
    return inNanos() ? Quantity.nanos(value) : Quantity.count(value);
  }

  private boolean inNanos() {
    return workload.metric().unit().equals("ns");
  }

  private String ratio(Row row) {
    if (ours.isEmpty() || ours.get().equals(row)) {
      return "";
    }
    return Quantity.ratio(workload.metric().ratio(ours.get().value(), row.value()));
  }

  private static String remarks(Row row) {
    if (row.failure() != null) {
      return "FAILED: " + row.failure();
    }
    Set<String> names = new TreeSet<>(row.details().keySet());
    names.removeAll(SHOWN_ELSEWHERE);
    names.removeIf(name -> name.endsWith("_intended") || name.startsWith(Row.BEST + "_"));
    return names.stream()
        .map(name -> name + " " + detail(row, name))
        .collect(Collectors.joining(", "));
  }

  private static String detail(Row row, String name) {
    return row.details().get(name) instanceof String word ? word : Quantity.count(row.number(name));
  }

  /** First and last column to the left, numbers to the right. */
  private static String aligned(List<List<String>> lines) {
    int columns = lines.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> line : lines) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder row = new StringBuilder("  ");
      for (int i = 0; i < columns; i++) {
        boolean left = i == 0 || i == columns - 1;
        String cell = line.get(i);
        String space = " ".repeat(widths[i] - cell.length());
        row.append(left ? cell + space : space + cell).append("  ");
      }
      text.append(row.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }
}
