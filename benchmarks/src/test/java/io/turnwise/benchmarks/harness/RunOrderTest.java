package io.turnwise.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.workload.Workloads;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RunOrderTest {

  @Test
  void anOrderSurvivesTheCommandLine() {
    RunOrder order =
        new RunOrder(
            Peer.PEKKO_CORES, Workloads.named("bank"), 2, 5, Duration.ofSeconds(75), 10, 3);

    assertThat(RunOrder.parse(order.arguments().toArray(String[]::new))).isEqualTo(order);
  }

  @Test
  void nonsenseIsRefused() {
    assertThatThrownBy(() -> RunOrder.parse("peer")).hasMessageContaining("name=value");
    assertThatThrownBy(() -> RunOrder.parse("peer=go")).hasMessageContaining("workload=");
    assertThatThrownBy(() -> RunOrder.parse("peer=nobody")).hasMessageContaining("nobody");
  }
}
