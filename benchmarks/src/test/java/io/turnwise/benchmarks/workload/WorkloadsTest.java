package io.turnwise.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadsTest {

  @Test
  void groupsStandForTheirMembers() {
    assertThat(names("messaging")).containsExactly("pingpong", "ring", "fanin-8", "fanin-64");
    assertThat(names("fairness"))
        .containsExactly(
            "fairness-hogs",
            "fairness-groups",
            "fairness-ceiling1",
            "fairness-ceiling4",
            "fairness-quanta",
            "fairness-flood1",
            "fairness-flood4");
    assertThat(names("preemption"))
        .containsExactly(
            "hogs",
            "hogs-64",
            "hogs-warm",
            "hogs-64-warm",
            "long-loop",
            "long-primes",
            "fairness-hogs");
    assertThat(names("fairness"))
        .allSatisfy(name -> assertThat(Workloads.named(name).bars()).isNotEmpty());
    assertThat(Workloads.named("cpu-util").bars()).hasSize(2);
    assertThat(names("fairness-anchors"))
        .hasSize(9)
        .allSatisfy(name -> assertThat(Workloads.named(name).bars()).isNotEmpty());
    assertThat(names("preemption"))
        .allSatisfy(name -> assertThat(Workloads.named(name).bars()).isNotEmpty());
    assertThat(names("kill"))
        .hasSize(9)
        .allSatisfy(name -> assertThat(Workloads.named(name).bars()).hasSize(2));
    assertThat(names("memory")).containsExactly("idle-memory");
    assertThat(names("small"))
        .containsExactly("skynet", "bank", "bank-blocking", "philosophers", "sieve");
    assertThat(names("all")).hasSize(Workloads.all().size()).doesNotHaveDuplicates();
  }

  @Test
  void aWorkloadThatIsNamedTwiceRunsOnce() {
    assertThat(names("ring", "messaging", "ring"))
        .containsExactly("ring", "pingpong", "fanin-8", "fanin-64");
  }

  @Test
  void anUnknownNameIsAnsweredWithTheKnownOnes() {
    assertThatThrownBy(() -> names("pong"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("\"pong\"", "pingpong", "messaging");
  }

  private static List<String> names(String... chosen) {
    return Workloads.expand(List.of(chosen)).stream().map(WorkloadSpec::name).toList();
  }
}
