package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LostTimeTest {
  private static final int MS = 1_000_000;

  @Test
  void whatTheMachineKeptFromASliceIsLost() {
    var time = new LostTime();
    time.of(MS, 10 * MS, 7 * MS);
    assertThat(time.of(5 * MS, 15 * MS, 8 * MS)).isEqualTo(4 * MS);
  }

  @Test
  void whoRanAllTheTimeHasLostNothing() {
    var time = new LostTime();
    time.of(MS, 10 * MS, 7 * MS);
    assertThat(time.of(5 * MS, 15 * MS, 12 * MS + 10)).isZero();
  }

  /** What was lost before it began was others' time. */
  @Test
  void whatOthersLostIsNotTheSlices() {
    var time = new LostTime();
    time.of(MS, 10 * MS, 7 * MS);
    assertThat(time.of(MS, 20 * MS, 8 * MS)).isZero();
    assertThat(time.of(3 * MS, 40 * MS, 9 * MS)).isEqualTo(2 * MS);
  }

  @Test
  void sleepIsNotLost() {
    var time = new LostTime();
    time.of(MS, 10 * MS, 7 * MS);
    time.forget();
    assertThat(time.of(5 * MS, 100 * MS, 12 * MS)).isZero();
    assertThat(time.of(5 * MS, 105 * MS, 15 * MS)).isEqualTo(2 * MS);
  }

  @Test
  void whereNobodyMeasuresItNothingIsLost() {
    var time = new LostTime();
    time.of(MS, 10 * MS, 0);
    assertThat(time.of(5 * MS, 15 * MS, 0)).isZero();
    time.of(MS, 20 * MS, 7 * MS);
    assertThat(time.of(5 * MS, 25 * MS, 0)).isZero();
  }
}
