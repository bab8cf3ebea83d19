package io.turnwise.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SharedTimeTest {

  @ParameterizedTest(name = "{0} to 1 and {1} to 4: {2} % off")
  @CsvSource({"20, 80, 0", "22, 78, 10", "18, 82, 10", "100, 0, 400", "0, 100, 100"})
  void theValueIsTheWorstDistanceInPercentOfItsShare(double toOne, double toFour, double off) {
    assertThat(SharedTime.result(Map.of(1, toOne, 4, toFour)).value()).isCloseTo(off, within(1e-9));
  }

  @Test
  void loopsThatDidNotRunAreNoResult() {
    assertThatThrownBy(() -> SharedTime.result(Map.of(1, 0.0, 4, 0.0)))
        .isInstanceOf(WrongResultException.class);
  }
}
