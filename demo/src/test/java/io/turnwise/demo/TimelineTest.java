package io.turnwise.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimelineTest {
  private final Timeline timeline = new Timeline(Duration.ofSeconds(10));

  @ParameterizedTest(name = "after {0} ms: loops {1}, changes in {2} ms")
  @CsvSource({
    "0, false, 3000",
    "3000, true, 4000",
    "5000, true, 2000",
    "7000, false, 6000",
    "13500, true, 3500",
  })
  void loopsRunInTheMiddleOfEveryRound(long millis, boolean loops, long toChange) {
    long open = Duration.ofMillis(millis).toNanos();

    assertThat(timeline.loopsAt(open)).isEqualTo(loops);
    assertThat(Duration.ofNanos(timeline.nanosToChange(open)).toMillis())
        .isBetween(toChange - 1, toChange);
  }
}
