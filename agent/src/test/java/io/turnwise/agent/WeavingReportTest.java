package io.turnwise.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.agent.weaver.SkipReason;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WeavingReportTest {
  @Test
  void allHiddenClassesAreCountedAndTheFirstThousandNamed() {
    WeavingReport report =
        new WeavingLedger()
            .report()
            .withHidden(IntStream.range(0, 1_500).mapToObj(i -> "Shop$$Lambda/" + i).toList());
    assertThat(report.skipped(SkipReason.HIDDEN)).isEqualTo(1_500);
    assertThat(report.details()).hasSize(1_000);
    assertThat(report.text()).contains("HIDDEN Shop$$Lambda.999\n").doesNotContain("Lambda.1000\n");
  }
}
