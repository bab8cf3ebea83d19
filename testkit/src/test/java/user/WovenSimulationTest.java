package user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Code as users have it, outside of Turnwise's packages: it is woven when a simulation begins. */
class WovenSimulationTest {
  /** Calls that only the weaver can redirect. */
  @Test
  void sleepsClocksAndChanceOfPlainCodeAreSimulated() {
    List<Object> first = new ArrayList<>();
    List<Object> second = new ArrayList<>();
    for (List<Object> seen : List.of(first, second))
      Simulation.run(
          5,
          simulation -> {
            long before = System.nanoTime();
            Thread.sleep(Duration.ofHours(1));
            seen.add(System.nanoTime() - before);
            seen.add(java.time.Instant.now());
            seen.add(new java.util.Random().nextLong());
            seen.add(java.util.UUID.randomUUID());
            seen.add(java.util.concurrent.ThreadLocalRandom.current().nextInt());
            var never = new CompletableFuture<String>();
            assertThatThrownBy(() -> never.get(1, java.util.concurrent.TimeUnit.DAYS))
                .isInstanceOf(java.util.concurrent.TimeoutException.class);
            seen.add(simulation.time());
          });
    assertThat(second).isEqualTo(first);
    assertThat((long) first.getFirst()).isGreaterThanOrEqualTo(Duration.ofHours(1).toNanos());
    assertThat((Duration) first.getLast()).isBetween(Duration.ofHours(25), Duration.ofHours(26));
  }

  /** Calls what it has inherited, by its own name. */
  private static final class Patient extends CompletableFuture<String> {
    Patient waiting() {
      orTimeout(1, TimeUnit.HOURS);
      return this;
    }
  }

  @Test
  void aSubclassOfAFutureTimesOutInTheSimulationsTime() {
    Simulation.run(
        1,
        simulation -> {
          assertThatThrownBy(() -> new Patient().waiting().get())
              .hasCauseInstanceOf(TimeoutException.class);
          assertThat(simulation.time())
              .isBetween(Duration.ofHours(1), Duration.ofHours(1).plusMillis(1));
        });
  }

  /** Turns are stopped in the middle of plain loops. */
  @Test
  void aLoopOfPlainCodeIsStoppedInTheMiddle() {
    assertThatThrownBy(
            () ->
                Simulation.runAll(
                    SimulationPlan.DEFAULT,
                    1,
                    1_000,
                    simulation -> {
                      var total = new int[1];
                      for (String name : List.of("a", "b"))
                        simulation
                            .<Integer>spawn(
                                name,
                                () ->
                                    (rounds, _) -> {
                                      int seen = total[0];
                                      for (int i = 0; i < rounds; i++) seen += one(i);
                                      total[0] = seen;
                                    })
                            .cast(100);
                      simulation.sleep(Duration.ofSeconds(1));
                      assertThat(total[0]).isEqualTo(200);
                    }))
        .hasMessageContaining("is stopped in the middle of its turn");
  }

  private static int one(int i) {
    return i < 0 ? 2 : 1;
  }
}
