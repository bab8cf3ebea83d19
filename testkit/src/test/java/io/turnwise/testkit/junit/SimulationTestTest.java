package io.turnwise.testkit.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationFailure;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Simulations as tests. */
class SimulationTestTest {
  private static final Set<Long> SEEDS = new HashSet<>();
  private static final Set<List<String>> ORDERS = new HashSet<>();

  @SimulationTest(seeds = 50, twice = true)
  void eachSeedIsRun(Simulation simulation) throws Exception {
    SEEDS.add(simulation.seed());
    List<String> order = new ArrayList<>();
    ActorRef<String> sink = simulation.spawn("sink", () -> (m, _) -> order.add(m));
    for (String name : List.of("a", "b", "c"))
      simulation.<String>spawn(name, () -> (_, _) -> sink.cast(name)).cast("go");
    simulation.sleep(Duration.ofSeconds(1));
    assertThat(order).containsExactlyInAnyOrder("a", "b", "c");
    ORDERS.add(order);
  }

  @SimulationTest(seeds = 20, firstSeed = 1_000, rankChanges = 2)
  void ranksDecideAsWell(Simulation simulation) throws Exception {
    ORDERS.add(List.of());
    simulation.sleep(Duration.ofSeconds(1));
  }

  @AfterAll
  static void allSeedsWereRun() {
    assertThat(SEEDS).hasSize(50);
    assertThat(ORDERS).hasSize(7);
  }

  /** Run by the test below, not by the build. */
  static final class Failing {
    @SimulationTest(seeds = 100)
    void loses(Simulation simulation) throws Exception {
      List<String> order = new ArrayList<>();
      for (String name : List.of("a", "b"))
        simulation.<String>spawn(name, () -> (_, _) -> order.add(name)).cast("go");
      simulation.sleep(Duration.ofSeconds(1));
      assertThat(order).containsExactly("a", "b");
    }
  }

  @Test
  void aSeedThatFailsIsToldWithTheCommandThatRepeatsIt() {
    PrintStream before = System.err;
    var said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      aSeedThatFailsIsToldWithItsStory();
    } finally {
      System.setErr(before);
    }
    assertThat(said.toString(StandardCharsets.UTF_8))
        .containsPattern(
            "mvn test -Dtest=io.turnwise.testkit.junit.SimulationTestTest.Failing#loses"
                + " -Dturnwise.simulation.seed=\\d+\\R");
  }

  @Test
  void aSeedThatFailsIsToldWithItsStory() {
    var failures =
        EngineTestKit.engine("junit-jupiter")
            .selectors(
                DiscoverySelectors.selectMethod(
                    Failing.class, "loses", "io.turnwise.testkit.simulation.Simulation"))
            .execute()
            .testEvents()
            .failed();
    assertThat(failures.count()).isEqualTo(1);
    assertThat(
            failures.stream()
                .map(
                    event ->
                        event.getRequiredPayload(
                            org.junit.platform.engine.TestExecutionResult.class))
                .map(result -> result.getThrowable().orElseThrow())
                .toList())
        .allSatisfy(
            failure -> {
              assertThat(failure).isInstanceOf(SimulationFailure.class);
              assertThat(failure).hasMessageContaining("/simulation/b handles go");
              assertThat(((SimulationFailure) failure).page()).contains("<svg", "/simulation/b");
            });
  }
}
