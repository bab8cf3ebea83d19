package io.turnwise.benchmarks.price;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class PriceTest {
  @Test
  void aResultSaysWhatWasMeasuredAndTheRatio() {
    assertThat(new Price("Sums", 100, 104, "strip: 1").toJson())
        .isEqualTo(
            "{\"kernel\":\"Sums\",\"unwoven_ns\":100,\"woven_ns\":104,\"ratio\":1.04,\"polls\":\"strip: 1\"}");
  }

  @Test
  void ratiosHaveTheirGeometricMean() {
    List<Price> twiceAndHalf = List.of(new Price("a", 100, 200, ""), new Price("b", 100, 50, ""));
    assertThat(Price.mean(twiceAndHalf)).isCloseTo(1, within(1e-9));
  }

  @Test
  void aKernelHoldsUpToItsBar() {
    assertThat(new Price("a", 100, 115, "").holds()).isTrue();
    assertThat(new Price("a", 100, 116, "").holds()).isFalse();
  }
}
