package io.turnwise.benchmarks.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class RowTest {
  private static final Metric RATE = Metric.rate("msgs/s");
  private static final Metric COST = Metric.cost("ms");

  @Test
  void theLineHasTheAgreedFieldsInTheAgreedOrder() {
    Histogram nanos = new Histogram(3);
    nanos.recordValue(100);
    Measurement measurement = new Measurement(7, 1234.6).withLatencies(nanos).with("denied", 3);

    Row row =
        Row.of("turnwise", "pingpong", RATE, List.of(measurement))
            .with("cores", 2)
            .with("other_cpu", 0.25);

    assertThat(row.toJson())
        .isEqualTo(
            "{\"peer\":\"turnwise\",\"workload\":\"pingpong\",\"n\":7,\"value\":1235,"
                + "\"unit\":\"msgs/s\",\"best\":1235,\"reps\":1,\"p50\":100,\"p99\":100,"
                + "\"p999\":100,\"max\":100,\"denied\":3,\"best_p50\":100,\"best_p99\":100,"
                + "\"best_p999\":100,\"best_max\":100,\"cores\":2,\"other_cpu\":0.25}");
  }

  @Test
  void latenciesThatWereNotMeasuredAreNull() {
    assertThat(Row.of("go", "ring", RATE, List.of(new Measurement(1, 5))).toJson())
        .contains("\"p50\":null,\"p99\":null,\"p999\":null,\"max\":null");
  }

  @Test
  void theValueIsTheMedianAndTheBestDependsOnTheDirection() {
    List<Measurement> runs = runs(30, 10, 20);

    assertThat(Row.of("a", "w", RATE, runs))
        .returns(20.0, Row::value)
        .returns(30.0, Row::best)
        .returns(3, Row::reps);
    assertThat(Row.of("a", "w", COST, runs).best()).isEqualTo(10);
    assertThat(Row.of("a", "w", COST, runs(1, 2)).value()).isEqualTo(1.5);
  }

  @Test
  void theLatenciesOfTheBestRepetitionAreKeptTogether() {
    List<Measurement> runs =
        List.of(
            new Measurement(1, 30).with("p999", 31).with("max", 32),
            new Measurement(1, 10).with("p999", 90).with("max", 95),
            new Measurement(1, 20).with("p999", 21).with("max", 22));

    Row row = Row.of("a", "w", COST, runs);

    assertThat(row.figure("best_p999")).isEqualTo(90);
    assertThat(row.figure("best_max")).isEqualTo(95);
    assertThat(row.figure("p999")).as("the median").isEqualTo(31);
    assertThat(row.figure(Row.BEST)).isEqualTo(10);
    assertThat(row.figure("best_p50")).as("not measured").isNaN();
  }

  @Test
  void whoHasStarvedHasNoBestLatencies() {
    Measurement starved = new Measurement(10, 5).with("p999", 5).with("unhandled", 9);

    assertThat(Row.of("a", "w", COST, List.of(starved)).figure("best_p999")).isNaN();
  }

  @Test
  void repetitionsThatMeasuredNothingDoNotCountAsZero() {
    Row row = Row.of("a", "w", COST, runs(Double.NaN, 4, Double.NaN));

    assertThat(row.value()).isEqualTo(4);
    assertThat(Row.of("a", "w", COST, runs(Double.NaN)).toJson())
        .contains("\"value\":null")
        .contains("\"best\":null");
  }

  @Test
  void detailsAreMediansToo() {
    List<Measurement> runs =
        List.of(
            new Measurement(1, 1).with("util", 0.5).with("workers", "default"),
            new Measurement(1, 1).with("util", 0.9).with("workers", "default"),
            new Measurement(1, 1).with("util", 0.8).with("workers", "default"));

    assertThat(Row.of("a", "w", RATE, runs).details())
        .containsEntry("util", 0.8)
        .containsEntry("workers", "default");
  }

  @Test
  void aFailureIsARowWithItsReason() {
    assertThat(Row.failed("erlang", "bank", RATE, "exit status 1").toJson())
        .isEqualTo(
            "{\"peer\":\"erlang\",\"workload\":\"bank\",\"n\":null,\"value\":null,"
                + "\"unit\":\"msgs/s\",\"best\":null,\"reps\":0,\"p50\":null,\"p99\":null,"
                + "\"p999\":null,\"max\":null,\"failed\":\"exit status 1\"}");
  }

  @Test
  void aMeasurementSurvivesItsLine() {
    Measurement measurement = new Measurement(9, 2.5).with("primes", 46.0).with("word", "x");

    assertThat(Measurement.fromFields(Json.parse(measurement.toLine("go", "sieve", "ms"))))
        .isEqualTo(measurement);
  }

  @Test
  void aboveOneMeansAheadInBothDirections() {
    assertThat(RATE.ratio(20, 10)).isEqualTo(2);
    assertThat(COST.ratio(10, 20)).isEqualTo(2);
  }

  private static List<Measurement> runs(double... values) {
    return java.util.Arrays.stream(values).mapToObj(value -> new Measurement(1, value)).toList();
  }
}
