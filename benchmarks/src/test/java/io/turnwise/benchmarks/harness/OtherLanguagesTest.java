package io.turnwise.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.result.Measurement;
import io.turnwise.benchmarks.workload.WorkloadSpec;
import io.turnwise.benchmarks.workload.Workloads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The Erlang and Go programs, where their tools are installed. */
class OtherLanguagesTest {

  @ParameterizedTest(name = "{0}")
  @EnumSource(names = {"ERLANG", "GO"})
  void knowsEveryWorkloadThatSuitsIt(Peer peer) throws Exception {
    try (Workshop workshop = Workshop.open()) {
      Launcher launcher = peer == Peer.GO ? new GoLauncher(workshop) : new ErlangLauncher(workshop);
      Optional<String> missing = launcher.prepare();
      assumeTrue(missing.isEmpty(), () -> missing.orElse(""));

      for (WorkloadSpec workload : suiting(peer).toList()) {
        RunOrder order = new RunOrder(peer, workload, 0, 1, Duration.ofSeconds(30), 10_000, 0);
        ChildProcess.Outcome outcome =
            new ChildProcess(launcher.command(order), Duration.ofSeconds(60)).run(1);

        assertThat(outcome.failure()).as(workload.name()).isNull();
        assertThat(outcome.measurements())
            .as(workload.name())
            .singleElement()
            .extracting(Measurement::value)
            .isNotEqualTo(Double.NaN);
      }
    }
  }

  private static Stream<WorkloadSpec> suiting(Peer peer) {
    return Workloads.expand(List.of("all")).stream().filter(workload -> workload.suits(peer));
  }
}
