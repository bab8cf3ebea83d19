package io.turnwise.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.benchmarks.peer.ActorRuntime;
import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.peer.RuntimeSettings;
import io.turnwise.benchmarks.result.Measurement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** At full size: a loop that is over before the first ping shows nothing. */
class LongRunTest {

  @ParameterizedTest
  @EnumSource(LongRun.Computation.class)
  void pingsAreHandledOnTheOnlyWorkerWhileTheComputationRuns(LongRun.Computation computation)
      throws Exception {
    Failures failures = new Failures();
    try (ActorRuntime<?> runtime = Peer.TURNWISE.open(new RuntimeSettings(1, failures))) {
      Stage<?> stage = new Stage<>(Peer.TURNWISE, runtime, 1, 1, failures);

      Measurement measurement = new LongRun(computation).run(stage);

      assertThat(number(measurement, "handled_meanwhile")).isPositive();
      assertThat(number(measurement, "unhandled")).isZero();
    }
  }

  private static double number(Measurement measurement, String name) {
    return measurement.details().get(name) instanceof Number number ? number.doubleValue() : -1;
  }
}
