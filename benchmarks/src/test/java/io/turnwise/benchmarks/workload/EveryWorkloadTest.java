package io.turnwise.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.benchmarks.peer.ActorRuntime;
import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.peer.RuntimeSettings;
import io.turnwise.benchmarks.result.Measurement;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every workload at a tiny size on every peer of the JVM; the workloads check their own results.
 */
class EveryWorkloadTest {
  private static final int TINY = 5_000;
  private static final Map<Peer, Stage<?>> OPEN = new EnumMap<>(Peer.class);

  static Stream<Arguments> pairs() {
    return Peer.onTheJvm().stream()
        .flatMap(
            peer ->
                Workloads.all().stream()
                    .filter(workload -> workload.suits(peer))
                    .map(workload -> Arguments.of(workload.name(), peer)));
  }

  @ParameterizedTest(name = "{0} on {1}")
  @MethodSource("pairs")
  void runsAndFindsItsOwnResultRight(String workload, Peer peer) throws Exception {
    Stage<?> stage = OPEN.computeIfAbsent(peer, EveryWorkloadTest::open);

    Measurement measurement = Workloads.named(workload).workload().run(stage);

    assertThat(measurement.n()).isPositive();
    // Beside endless loops a runtime that cannot stop them may handle nothing at all.
    if (!measurement.starved()) assertThat(measurement.value()).isFinite();
  }

  private static Stage<?> open(Peer peer) {
    Failures failures = new Failures();
    ActorRuntime<?> runtime =
        peer.open(new RuntimeSettings(RuntimeSettings.PEERS_CHOICE, failures));
    return new Stage<>(peer, runtime, RuntimeSettings.PEERS_CHOICE, TINY, failures);
  }

  @AfterAll
  static void close() {
    OPEN.values().forEach(stage -> stage.runtime().close());
    OPEN.clear();
  }
}
