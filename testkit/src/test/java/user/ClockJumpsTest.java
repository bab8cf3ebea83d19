package user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CallTimeoutException;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationFailure;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The clock on the wall jumps; whatever waits for a time does not notice. */
class ClockJumpsTest {
  private record Ask() implements Call<Ask, String> {}

  @FunctionalInterface
  private interface Wait {
    void run() throws Exception;
  }

  /** How long it takes by the clock of the simulation, to the millisecond. */
  private static long millis(Simulation simulation, Wait wait) throws Exception {
    System.currentTimeMillis(); // a place to jump at
    Duration before = simulation.time();
    wait.run();
    return simulation.time().minus(before).toMillis();
  }

  @Test
  void sleepsAndTimeoutsLastAsLongAsEver() {
    for (int seed = 1; seed <= 200; seed++)
      Simulation.run(
          seed,
          simulation -> {
            simulation.mayJumpClock();
            ActorRef<Ask> silent =
                simulation.spawn("silent", () -> (ask, context) -> context.defer(ask));
            simulation
                .<String>spawn(
                    "looks",
                    () ->
                        (_, _) -> {
                          for (int i = 0; i < 50; i++) {
                            Instant.now(); // the clock jumps while others wait
                            Thread.sleep(100);
                          }
                        })
                .cast("look");
            long began = System.nanoTime();
            assertThat(millis(simulation, () -> Thread.sleep(1_000))).isEqualTo(1_000);
            assertThat(
                    millis(
                        simulation,
                        () ->
                            assertThatThrownBy(() -> silent.call(new Ask(), Duration.ofSeconds(1)))
                                .isInstanceOf(CallTimeoutException.class)))
                .isBetween(1_000L, 1_010L);
            assertThat(
                    millis(
                        simulation,
                        () ->
                            assertThat(new CountDownLatch(1).await(1, TimeUnit.SECONDS)).isFalse()))
                .isEqualTo(1_000);
            assertThat(
                    millis(
                        simulation,
                        () ->
                            assertThat(new ArrayBlockingQueue<String>(1).poll(1, TimeUnit.SECONDS))
                                .isNull()))
                .isEqualTo(1_000);
            assertThat(
                    millis(
                        simulation,
                        () ->
                            assertThatThrownBy(
                                    () ->
                                        new CompletableFuture<String>()
                                            .orTimeout(1, TimeUnit.SECONDS)
                                            .get())
                                .isInstanceOf(ExecutionException.class)))
                .isEqualTo(1_000);
            assertThat(Duration.ofNanos(System.nanoTime() - began).toMillis())
                .isBetween(5_000L, 5_020L);
          });
  }

  @Test
  void itJumpsInEveryWay() {
    Set<Duration> seen = new TreeSet<>();
    var sawBegin = new boolean[1];
    for (int seed = 1; seed <= 200; seed++)
      Simulation.run(
          seed,
          simulation -> {
            simulation.mayJumpClock();
            Instant before = Instant.now();
            Instant after = Instant.now();
            Duration jump = Duration.between(before, after);
            if (after.equals(Instant.EPOCH)) sawBegin[0] = true;
            else if (before.isAfter(Instant.EPOCH.plus(Duration.ofDays(2)))) seen.add(jump);
          });
    assertThat(sawBegin[0]).isTrue();
    assertThat(seen)
        .contains(
            Duration.ofDays(-1),
            Duration.ofHours(-1),
            Duration.ofSeconds(-1),
            Duration.ZERO,
            Duration.ofSeconds(1),
            Duration.ofHours(1),
            Duration.ofDays(1));
  }

  /** A mistake as people make it: how long something took, by the clock on the wall. */
  @Test
  void aTimeThatIsTakenByTheWallClockIsFoundWrong() {
    assertThatThrownBy(
            () ->
                Simulation.runAll(
                    SimulationPlan.DEFAULT,
                    1,
                    1_000,
                    simulation -> {
                      simulation.mayJumpClock();
                      long began = System.currentTimeMillis();
                      Thread.sleep(10);
                      long took = System.currentTimeMillis() - began;
                      assertThat(took).as("it took").isBetween(10L, 11L);
                    }))
        .isInstanceOf(SimulationFailure.class)
        .hasMessageContaining("the clock on the wall jumps to 2026-01-01T00:00:01");
  }
}
