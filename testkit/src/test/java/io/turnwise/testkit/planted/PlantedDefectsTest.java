package io.turnwise.testkit.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.turnwise.testkit.simulation.Outcome;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationFailure;
import io.turnwise.testkit.simulation.SimulationPlan;
import io.turnwise.testkit.simulation.Strategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Mistakes as people make them, in actors and in a runtime: each is found, is told in a few steps,
 * and comes again whenever its seed does. The page docs/how-we-test.md lists them with the first
 * seed that finds each; where that has changed, {@code -Dturnwise.page=write} writes it anew.
 */
class PlantedDefectsTest {
  private static final int SEEDS = 10_000;
  private static final int SEEDS_MENDED = 500;
  private static final int AGAIN = 100;
  private static final int STEPS = 20;

  /** Scenes in which time passes step by step. */
  private static final Set<String> LONGER =
      Set.of("old-lease", "timer-a-round-early", "timer-jumped-over");

  private static final int MORE_STEPS = 30;
  private static final SimulationPlan AS_IT_IS = SimulationPlan.DEFAULT.withShrinks(false);

  private static final Path PAGE = Path.of("..", "docs", "how-we-test.md");
  private static final String BEGIN = "<!-- planted -->\n";
  private static final String END = "<!-- /planted -->\n";

  static List<Defect> defects() {
    return Stream.of(
            SharedState.defects(),
            Conversations.defects(),
            Lives.defects(),
            Rooms.defects(),
            WeakQueues.defects(),
            WeakHandOvers.defects())
        .flatMap(List::stream)
        .toList();
  }

  private static final Map<String, SimulationFailure> FOUND = new HashMap<>();

  /** The failure of the first seed that fails, made short. */
  private static SimulationFailure find(Defect defect) {
    SimulationFailure before = FOUND.get(defect.name());
    if (before != null) return before;
    for (int seed = 1; seed <= SEEDS; seed++) {
      try {
        Simulation.run(seed, defect.planted());
      } catch (SimulationFailure found) {
        FOUND.put(defect.name(), found);
        return found;
      }
    }
    throw new AssertionError(defect + " is not found with " + SEEDS + " seeds");
  }

  @ParameterizedTest
  @MethodSource("defects")
  void isFoundAndToldInAFewSteps(Defect defect) {
    SimulationFailure found = find(defect);
    assertThat(found).hasMessageContaining(defect.says());
    assertThat(found.story().lines())
        .as(found.getMessage())
        .hasSizeLessThan(LONGER.contains(defect.name()) ? MORE_STEPS : STEPS);
  }

  /** The failure is the defect's, not the scene's. */
  @ParameterizedTest
  @MethodSource("defects")
  void doesNotFailWithoutTheDefect(Defect defect) {
    Simulation.runAll(SimulationPlan.DEFAULT, 1, SEEDS_MENDED, defect.mended());
  }

  @ParameterizedTest
  @MethodSource("defects")
  void comesAgainEveryTimeItsSeedDoes(Defect defect) {
    long seed = find(defect).outcome().seed();
    Outcome first = failsAgain(AS_IT_IS, seed, defect).outcome();
    for (int i = 1; i < AGAIN; i++)
      assertThat(failsAgain(AS_IT_IS, seed, defect).outcome()).isEqualTo(first);
  }

  @ParameterizedTest
  @MethodSource("defects")
  void comesAgainByItsShortSchedule(Defect defect) {
    Outcome found = find(defect).outcome();
    var plan = AS_IT_IS.withStrategy(new Strategy.Replay(found.schedule()));
    assertThat(failsAgain(plan, found.seed(), defect).outcome().hash()).isEqualTo(found.hash());
  }

  private static SimulationFailure failsAgain(SimulationPlan plan, long seed, Defect defect) {
    return assertThrows(
        SimulationFailure.class, () -> Simulation.run(plan, seed, defect.planted()));
  }

  @Test
  void thePageListsEachWithTheFirstSeedThatFindsIt() throws IOException {
    var table = new StringBuilder("| | the mistake | first seed that finds it |\n|---|---|---|\n");
    for (Defect defect : defects())
      table.append(
          "| `%s` | %s | %d |%n"
              .formatted(defect.name(), defect.what(), find(defect).outcome().seed()));
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    if ("write".equals(System.getProperty("turnwise.page")))
      Files.writeString(PAGE, page.substring(0, begin) + table + page.substring(end));
    else
      assertThat(page.substring(begin, end))
          .as(
              "the table in %s; to write it anew: ./turnwise test -pl agent,core,testkit"
                  + " -Dtest=PlantedDefectsTest -Dsurefire.failIfNoSpecifiedTests=false"
                  + " -Dtest.jvm.extra=-Dturnwise.page=write",
              PAGE)
          .isEqualTo(table.toString());
  }

  @Test
  void aDeadlockNamesWhoWaitsForWhomSinceWhen() {
    assertThat(find(named("crossed-calls")))
        .hasMessageContaining("/simulation/left waits since turn ")
        .hasMessageContaining(" for the answer of /simulation/right");
  }

  @Test
  void theStoryTellsWhereATurnWasStopped() {
    assertThat(find(named("shared-static")).story())
        .contains("is stopped in the middle of its turn");
  }

  private static Defect named(String name) {
    return defects().stream().filter(d -> d.name().equals(name)).findAny().orElseThrow();
  }
}
