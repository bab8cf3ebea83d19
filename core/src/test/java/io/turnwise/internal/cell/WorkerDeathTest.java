package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Await;
import io.turnwise.Complaints;
import io.turnwise.internal.scheduler.DeadlyWorkers;
import io.turnwise.scheduling.Placement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A worker's loop that dies begins anew, and loses nobody's message. */
class WorkerDeathTest {
  private static final Logger LOG = Logger.getLogger("io.turnwise");

  /** Every death is logged as an error, and here they are many. */
  @BeforeAll
  static void quiet() {
    LOG.setUseParentHandlers(false);
  }

  @AfterAll
  static void loud() {
    LOG.setUseParentHandlers(true);
  }

  static Stream<Arguments> deaths() {
    return Stream.of(DeadlyWorkers.points())
        .flatMap(p -> Stream.of(Arguments.of(p, 1), Arguments.of(p, 2)));
  }

  @ParameterizedTest(name = "at {0}, {1} workers")
  @MethodSource("deaths")
  void aLoopThatDiesBeginsAnewAndNothingIsLost(String point, int workers) throws Exception {
    Complaints.take();
    ActorSystem system = ActorSystem.open("death", c -> c.withWorkers(workers));
    var scheduler = ((LocalActorSystem) system).dispatcher("default").scheduler;
    int actors = 10;
    int each = 400;
    var done = new CountDownLatch(actors);
    List<ActorRef<Integer>> all = new ArrayList<>();
    var spec =
        ActorSpec.<Integer>of(
            () ->
                (n, c) -> {
                  if (n % 10 == 0) Thread.yield();
                  if (n % 100 == 0) Thread.sleep(1);
                  if (n > 0) c.self().cast(n - 1);
                  else done.countDown();
                });
    for (int i = 0; i < actors; i++)
      all.add(system.spawn(i % 3 == 0 ? spec.withPlacement(Placement.pinnedTo(i)) : spec));
    var deaths = DeadlyWorkers.kill(scheduler, point, 5, 10);
    for (var actor : all) actor.cast(each - 1);
    Await.latch(done);
    Await.until(
        "every message was handled",
        () -> system.snapshot().messagesHandled() == (long) actors * each);
    Await.until(
        "every death is counted", () -> system.snapshot().workersReplaced() == deaths.get());
    assertThat(deaths.get()).isPositive();
    assertThat(system.snapshot().crashes()).isZero();
    assertThat(system.close(Duration.ofSeconds(20)).complete()).isTrue();
    assertThat(Complaints.take()).allMatch(line -> line.contains("died"));
  }
}
