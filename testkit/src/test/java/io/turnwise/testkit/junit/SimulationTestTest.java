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
import org.junit.platform.engine.TestExecutionResult;
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

  /** Run by the tests below, not by the build; and so are those that follow. */
  abstract static class Losing {
    @SimulationTest(seeds = 100)
    void loses(Simulation simulation) throws Exception {
      List<String> order = new ArrayList<>();
      for (String name : List.of("a", "b"))
        simulation.<String>spawn(name, () -> (_, _) -> order.add(name)).cast("go");
      simulation.sleep(Duration.ofSeconds(1));
      assertThat(order).containsExactly("a", "b");
    }
  }

  static final class Failing extends Losing {}

  static final class Differing {
    private int runs;

    @SimulationTest(seeds = 100, twice = true)
    void differs(Simulation simulation) throws Exception {
      simulation.<Integer>spawn("a", () -> (_, _) -> {}).cast(runs++);
      simulation.sleep(Duration.ofSeconds(1));
    }
  }

  /** What it fails with, after what it says. */
  private static SimulationFailure failureOf(Class<?> type, String method, StringBuilder said) {
    PrintStream before = System.err;
    var heard = new ByteArrayOutputStream();
    System.setErr(new PrintStream(heard, true, StandardCharsets.UTF_8));
    try {
      List<Throwable> failures =
          EngineTestKit.engine("junit-jupiter")
              .selectors(DiscoverySelectors.selectMethod(type, method, Simulation.class.getName()))
              .execute()
              .testEvents()
              .failed()
              .stream()
              .map(event -> event.getRequiredPayload(TestExecutionResult.class))
              .map(result -> result.getThrowable().orElseThrow())
              .toList();
      assertThat(failures).singleElement().isInstanceOf(SimulationFailure.class);
      return (SimulationFailure) failures.getFirst();
    } finally {
      System.setErr(before);
      said.append(heard.toString(StandardCharsets.UTF_8));
    }
  }

  /** The class is the one that was run, and its dollar is nothing for the shell to look at. */
  @Test
  void aSeedThatFailsIsToldWithTheCommandThatRepeatsIt() {
    var said = new StringBuilder();
    SimulationFailure failure = failureOf(Failing.class, "loses", said);
    assertThat(said)
        .contains(
            "mvn test '-Dtest=io.turnwise.testkit.junit.SimulationTestTest$Failing#loses'"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dturnwise.simulation.seed="
                + failure.outcome().seed()
                + System.lineSeparator())
        .contains("to see it:");
  }

  /** There is no picture of two runs. */
  @Test
  void aSeedThatDiffersIsToldWithTheCommandThatRepeatsIt() {
    var said = new StringBuilder();
    assertThat(failureOf(Differing.class, "differs", said))
        .hasMessageContaining("[SIMULATION-DIFFERS]");
    assertThat(said)
        .contains(
            "mvn test '-Dtest=io.turnwise.testkit.junit.SimulationTestTest$Differing#differs'"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dturnwise.simulation.seed=1"
                + System.lineSeparator())
        .doesNotContain("to see it:");
  }

  @Test
  void aSeedThatFailsIsToldWithItsStory() {
    SimulationFailure failure = failureOf(Failing.class, "loses", new StringBuilder());
    assertThat(failure).hasMessageContaining("/simulation/b handles go");
    assertThat(failure.page()).contains("<svg", "/simulation/b");
  }
}
