package io.turnwise.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeapSizeTest {

  @Test
  void aLargeMachineGivesTheUsualHeapWithoutARemark() {
    HeapSize heap = HeapSize.fitting(16);

    assertThat(heap.flags()).containsExactly("-Xms4096m", "-Xmx8192m");
    assertThat(heap.touchedFlags())
        .containsExactly("-Xms8192m", "-Xmx8192m", "-XX:+AlwaysPreTouch");
    assertThat(heap.remark()).isEmpty();
  }

  @Test
  void aSmallMachineGivesLessAndSaysSo() {
    HeapSize heap = HeapSize.fitting(4);

    assertThat(heap.flags()).containsExactly("-Xms1228m", "-Xmx2457m");
    assertThat(heap.remark()).get().asString().contains("less than 10 GB", "at most 2457 MB");
  }
}
