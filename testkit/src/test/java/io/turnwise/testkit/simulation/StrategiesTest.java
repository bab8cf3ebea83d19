package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which courses each strategy takes, of a system so small that all of them can be counted. */
class StrategiesTest {
  private static final SimulationPlan PLAN = SimulationPlan.DEFAULT.withPreempts(false);

  /** Each actor has so many turns, and the word is made of their names in the order of turns. */
  private static void spell(
      Simulation simulation, int turns, Map<String, Integer> words, String... names)
      throws Exception {
    var word = new StringBuilder();
    for (String name : names)
      simulation
          .<Integer>spawn(
              name,
              () ->
                  (left, context) -> {
                    word.append(name);
                    if (left > 1) context.self().cast(left - 1);
                  })
          .cast(turns);
    simulation.sleep(Duration.ofSeconds(1));
    words.merge(word.toString(), 1, Integer::sum);
  }

  /** As many as there are ways to shuffle them, and none twice. */
  @Test
  void everyOrderIsTakenOnce() {
    assertThat(orders(3, "a", "b")).isEqualTo(20); // 6! / (3! 3!)
    assertThat(orders(4, "a", "b")).isEqualTo(70);
    assertThat(orders(2, "a", "b", "c")).isEqualTo(90);
  }

  private static int orders(int turns, String... names) {
    Map<String, Integer> words = new HashMap<>();
    Exploration all =
        Simulation.explore(PLAN, 1_000, 0, 10_000, s -> spell(s, turns, words, names));
    assertThat(all).isEqualTo(new Exploration(words.size(), true));
    return words.size();
  }

  /** The same where it is one turn each, and polls are where it is stopped. */
  @Test
  void everyOrderOfWhatIsBetweenPollsIsTaken() {
    Map<String, Integer> words = new HashMap<>();
    Exploration all =
        Simulation.explore(
            SimulationPlan.DEFAULT,
            1_000,
            3,
            100_000,
            simulation -> {
              var word = new StringBuilder();
              for (String name : List.of("a", "b"))
                simulation
                    .<String>spawn(
                        name,
                        () ->
                            (_, _) -> {
                              for (int i = 0; i < 3; i++) {
                                if (i > 0) Safepoint.poll();
                                word.append(name);
                              }
                            })
                    .cast("go");
              simulation.sleep(Duration.ofSeconds(1));
              words.merge(word.toString(), 1, Integer::sum);
            });
    assertThat(all.complete()).isTrue();
    assertThat(words).hasSize(20);
  }

  private static Map<String, Integer> byRanks(int changes, int choices, int seeds) {
    Map<String, Integer> words = new HashMap<>();
    SimulationPlan plan = PLAN.withStrategy(new Strategy.RankChanges(changes, choices));
    Simulation.runAll(plan, 1, seeds, simulation -> spell(simulation, 2, words, "x", "y", "z"));
    return words;
  }

  @Test
  void withoutChangesTheHighestGoesOnForAsLongAsItCan() {
    assertThat(byRanks(0, 1, 100).keySet())
        .containsExactlyInAnyOrder("xxyyzz", "xxzzyy", "yyxxzz", "yyzzxx", "zzxxyy", "zzyyxx");
  }

  /**
   * Both need x, y, z to be ranked like that, and two changes at their moments. After these the one
   * needs who was lowered first to go last, and the other needs it not to.
   */
  @Test
  void whoWasLoweredFirstGoesBeforeOrAfterWhoWasLoweredLater() {
    int choices = 6;
    int seeds = 2_000;
    int expected = seeds / (3 * 2 * choices * choices);
    assertThat(byRanks(2, choices, seeds).entrySet())
        .filteredOn(word -> word.getValue() > expected / 2)
        .extracting(Map.Entry::getKey)
        .contains("xyzzyx", "xyzzxy");
  }
}
