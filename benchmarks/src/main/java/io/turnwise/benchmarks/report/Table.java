package io.turnwise.benchmarks.report;

import io.turnwise.benchmarks.result.Bar;
import io.turnwise.benchmarks.result.Measurement;
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
  private static final String UNWOVEN = "-unwoven";
  private static final double MOST_WEAVING = 1.05;
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
    return title + aligned(lines) + bars() + lead() + weaving();
  }

  /** Where we ask ourselves to be ahead of everybody: of whom we are, and of whom not. */
  private String lead() {
    if (workload.leads().isEmpty() || ours.isEmpty() || ours.get().failure() != null) {
      return "";
    }
    Row own = ours.get();
    List<String> behind = new ArrayList<>();
    int compared = 0;
    for (Row row : rows) {
      if (row.equals(own) || row.peer().startsWith(own.peer() + "-")) {
        continue; // ourselves in other clothes
      }
      List<String> where =
          workload.leads().stream().filter(figure -> !isAhead(own, row, figure)).toList();
      compared++;
      if (!where.isEmpty()) {
        behind.add(where.equals(List.of(Row.VALUE)) ? row.peer() : row.peer() + " in " + where);
      }
    }
    if (compared == 0) {
      return "";
    }
    return "  we ask to be ahead of every peer%s: %s %s%n"
        .formatted(
            workload.leads().equals(List.of(Row.VALUE)) ? "" : " in " + workload.leads(),
            own.peer(),
            behind.isEmpty()
                ? "is ahead of all " + compared
                : "is BEHIND " + String.join(", ", behind));
  }

  /** Where both took part: what the polls cost. */
  private String weaving() {
    if (workload.leads().isEmpty() || ours.isEmpty()) {
      return "";
    }
    Row own = ours.get();
    return rows.stream()
        .filter(row -> row.peer().equals(own.peer() + UNWOVEN))
        .map(row -> 1 / workload.metric().ratio(own.value(), row.value()))
        .map(
            cost ->
                "  we ask for at most %s times the cost of %s%s: %s %s it, with %.3f%n"
                    .formatted(
                        MOST_WEAVING,
                        own.peer(),
                        UNWOVEN,
                        own.peer(),
                        cost <= MOST_WEAVING ? "holds" : "MISSES",
                        cost))
        .collect(Collectors.joining());
  }

  /** Also of a peer that was starved or failed, or has no such figure. */
  private boolean isAhead(Row own, Row other, String figure) {
    double mine = own.figure(figure);
    double theirs = other.figure(figure);
    return Double.isNaN(theirs) || workload.metric().ratio(mine, theirs) > 1;
  }

  /** What is asked, and whether we hold it. */
  private String bars() {
    return workload.bars().stream()
        .map(
            bar ->
                "  %s%s%n"
                    .formatted(
                        bar.describe(workload.metric(), number -> asked(bar, number)),
                        verdict(bar)))
        .collect(Collectors.joining());
  }

  private String asked(Bar bar, double number) {
    if (isCount(bar)) {
      return Quantity.count(number);
    }
    return inNanos() ? Quantity.nanos(number) : "" + number;
  }

  private static boolean isCount(Bar bar) {
    return bar.figure().equals(Measurement.UNHANDLED);
  }

  private String reached(Bar bar, double number) {
    return isCount(bar) ? Quantity.count(number) : value(number);
  }

  private String verdict(Bar bar) {
    return ours.map(
            row ->
                ": %s %s it, with %s"
                    .formatted(
                        row.peer(),
                        bar.holds(workload.metric(), row) ? "holds" : "MISSES",
                        reached(bar, row.figure(bar.figure()))))
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
