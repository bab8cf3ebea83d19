package io.turnwise.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.benchmarks.result.Measurement;
import io.turnwise.benchmarks.result.Row;
import io.turnwise.benchmarks.workload.WorkloadSpec;
import io.turnwise.benchmarks.workload.Workloads;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableTest {

  @Test
  void aRateShowsHowManyTimesAsFastWeAre() {
    WorkloadSpec ring = Workloads.named("ring");
    List<Row> rows =
        List.of(
            row(ring, "turnwise", 9_000_000).with("other_cpu", 0.01),
            row(ring, "pekko", 4_500_000).with("other_cpu", 0.5),
            Row.failed("go", "ring", ring.metric(), "no end after 9 s"));

    assertThat(Table.of(ring, rows, "turnwise").lines())
        .containsExactly(
            "ring (hops/s, more is better): a token around 1,000 actors",
            "  peer      median    best  reps  turnwise is  other CPU",
            "  turnwise  9.00 M  9.00 M     1                     1 %",
            "  pekko     4.50 M  4.50 M     1        2.00×       50 %",
            "  go             –       –     0            –          –  FAILED: no end after 9 s",
            "  we ask to be ahead of every peer: turnwise is ahead of all 2");
  }

  @Test
  void whoIsAheadOfUsIsNamed() {
    WorkloadSpec ring = Workloads.named("ring");
    List<Row> rows = List.of(row(ring, "turnwise", 9), row(ring, "go", 9), row(ring, "pekko", 8));

    assertThat(Table.of(ring, rows, "turnwise"))
        .contains("we ask to be ahead of every peer: turnwise is BEHIND go");
  }

  @Test
  void whoIsAheadInAPercentileIsNamedWithIt() {
    WorkloadSpec hogs = Workloads.named("hogs");
    List<Row> rows =
        List.of(percentiles(hogs, "turnwise", 5, 60), percentiles(hogs, "erlang", 6, 50));

    assertThat(Table.of(hogs, rows, "turnwise")).contains("turnwise is BEHIND erlang in [max]");
  }

  @ParameterizedTest
  @CsvSource({"96, holds it", "95, MISSES it"})
  void whatPollsCostIsJudgedWhereBothTookPart(double woven, String verdict) {
    WorkloadSpec ring = Workloads.named("ring");
    List<Row> rows = List.of(row(ring, "turnwise", woven), row(ring, "turnwise-unwoven", 100));

    assertThat(Table.of(ring, rows, "turnwise"))
        .contains("at most 1.05 times the cost of turnwise-unwoven: turnwise " + verdict)
        .doesNotContain("ahead of every peer");
  }

  @ParameterizedTest
  @CsvSource({"0.125, holds it", "0.04, MISSES it", "0.26, MISSES it", "NaN, MISSES it"})
  void aBarMayHaveTwoEnds(double share, String verdict) {
    WorkloadSpec low = Workloads.named("anchor-erlang-low");
    Row row = row(low, "turnwise", 0.95).with("low_share", share);

    assertThat(Table.of(low, List.of(row), "turnwise"))
        .contains("Erlang and we ask for 0.05 to 0.25 as low_share: turnwise " + verdict);
  }

  @ParameterizedTest
  @CsvSource({"0, holds it", "1, MISSES it"})
  void whatOneOfManyRepetitionsLeftUnhandledCounts(int unhandled, String verdict) {
    WorkloadSpec hogs = Workloads.named("hogs");
    List<Measurement> runs =
        List.of(
            new Measurement(100, 90_000).with("unhandled", 0),
            new Measurement(100, 90_000).with("unhandled", unhandled),
            new Measurement(100, 90_000).with("unhandled", 0));
    Row row = Row.of("turnwise", hogs.name(), hogs.metric(), runs);

    assertThat(Table.of(hogs, List.of(row), "turnwise"))
        .contains("we ask for at most 0 as unhandled: turnwise " + verdict);
  }

  @Test
  void aCostShowsLatenciesAndDetails() {
    WorkloadSpec flood = Workloads.named("fairness-flood1");
    Measurement ours =
        new Measurement(1, 50_000)
            .with("p50", 900)
            .with("p99", 50_000)
            .with("p999", 2_000_000)
            .with("max", 3_000_000_000L)
            .with("p50_intended", 1)
            .with("unhandled", 0);
    List<Row> rows =
        List.of(
            Row.of("turnwise", flood.name(), flood.metric(), List.of(ours)),
            row(flood, "fjp", 200_000));

    assertThat(Table.of(flood, rows, "turnwise").lines().skip(1))
        .containsExactly(
            "  peer       median     best  reps     p50      p99    p99.9     max  turnwise is"
                + "  other CPU",
            "  turnwise  50.0 µs  50.0 µs     1  900 ns  50.0 µs  2.00 ms  3.00 s"
                + "                       –  unhandled 0",
            "  fjp        200 µs   200 µs     1       –        –        –       –        4.00×"
                + "          –",
            "  we ask for at most 100 µs: turnwise holds it, with 50.0 µs");
  }

  @ParameterizedTest
  @CsvSource({"0.95, holds it", "0.85, MISSES it", "NaN, MISSES it"})
  void aBarIsPrintedWithItsVerdict(double value, String verdict) {
    WorkloadSpec busy = Workloads.named("anchor-erlang-busy");

    assertThat(Table.of(busy, List.of(row(busy, "turnwise", value)), "turnwise"))
        .contains("Erlang asks for at least 0.5, we ask for at least 0.9: turnwise " + verdict);
  }

  @Test
  void barsAreAskedOfTheBestRepetitionWhereTheySaySo() {
    WorkloadSpec hogs = Workloads.named("hogs");
    List<Measurement> runs =
        List.of(
            new Measurement(1, 90_000).with("p999", 600_000),
            new Measurement(1, 200_000).with("p999", 300_000));
    Row row = Row.of("turnwise", hogs.name(), hogs.metric(), runs);

    assertThat(Table.of(hogs, List.of(row), "turnwise").lines())
        .contains(
            "  we ask for at most 100 µs as best: turnwise holds it, with 90.0 µs",
            "  we ask for at most 500 µs as best_p999: turnwise MISSES it, with 600 µs");
  }

  @Test
  void withoutUsThereAreNoRatios() {
    WorkloadSpec ring = Workloads.named("ring");

    assertThat(Table.of(ring, List.of(row(ring, "go", 1)), "turnwise")).doesNotContain("×");
  }

  @ParameterizedTest
  @CsvSource({
    "5613000, 5.61 M",
    "126400, 126 k",
    "39.54, 39.5",
    "4, 4",
    "0.994, 0.994",
    "9994, 9994",
    "9996.5, 10.0 k",
    "999600, 1.00 M",
    "1.5e9, 1.50 G",
    "NaN, –"
  })
  void countsHaveThreeDigits(double number, String shown) {
    assertThat(Quantity.count(number)).isEqualTo(shown);
  }

  @ParameterizedTest
  @CsvSource({
    "820, 820 ns",
    "999.6, 1.00 µs",
    "4970, 4.97 µs",
    "12100000, 12.1 ms",
    "4950000000, 4.95 s"
  })
  void nanosecondsFindTheirUnit(double nanos, String shown) {
    assertThat(Quantity.nanos(nanos)).isEqualTo(shown);
  }

  private static Row percentiles(WorkloadSpec workload, String peer, long p99, long max) {
    Measurement measurement =
        new Measurement(1, p99)
            .with("p50", p99)
            .with("p99", p99)
            .with("p999", p99)
            .with("max", max);
    return Row.of(peer, workload.name(), workload.metric(), List.of(measurement));
  }

  private static Row row(WorkloadSpec workload, String peer, double value) {
    return Row.of(peer, workload.name(), workload.metric(), List.of(new Measurement(1, value)));
  }
}
