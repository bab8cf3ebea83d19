package io.turnwise.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MachineGapsTest {
  @Test
  void whatItSeesIsAShareOfTheTimeAndLongGapsAreAmongTheShort() throws Exception {
    MachineGaps gaps = MachineGaps.measure(Duration.ofMillis(50));
    assertThat(gaps.longestNanos()).isPositive();
    assertThat(gaps.over500Micros()).isNotNegative().isLessThanOrEqualTo(gaps.over100Micros());
    assertThat(gaps.over100Micros() > 0).isEqualTo(gaps.longestNanos() > 100_000);
  }

  @Test
  void itIsToldInPercentAndKeptWithTheRun() {
    MachineGaps gaps = new MachineGaps(0.0123, 0.0045, 3_900_000);
    assertThat(gaps.describe())
        .contains("0.1 ms 1.23 %")
        .contains("0.5 ms 0.45 %")
        .contains("the longest 3.9 ms");
    Machine machine = new Machine(2, 24, "a processor", "a system", "a JDK", "a commit");
    assertThat(machine.toJson(List.of("bench", "hogs"), Optional.of(gaps)))
        .contains("\"gaps_100us\":0.0123,\"gaps_500us\":0.0045,\"longest_gap\":3900000");
    assertThat(machine.toJson(List.of("bench", "ring"), Optional.empty())).doesNotContain("gaps");
  }
}
