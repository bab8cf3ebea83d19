package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Await;
import io.turnwise.internal.scheduler.KnownThreads;
import io.turnwise.internal.scheduler.Scheduler;
import io.turnwise.internal.scheduler.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the runtime remembers of virtual threads that handlers started goes when they go. */
class ForeignMemoryTest {
  private static Scheduler schedulerOf(ActorSystem system) {
    return ((WorkerDispatcher) system.dispatcher()).scheduler;
  }

  private static void awaitForgotten(ActorSystem system) throws Exception {
    Await.until(
        "all are forgotten",
        () -> {
          System.gc();
          return KnownThreads.of(schedulerOf(system)) == 0;
        });
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void threadsThatHaveEndedAreForgotten(int workers) throws Exception {
    int threads = 100_000;
    var ended = new CountDownLatch(threads);
    try (var system =
        ActorSystem.open("test", c -> c.withWorkers(workers).withCloseOnShutdown(false))) {
      ActorRef<String> actor =
          system.spawn(
              () ->
                  (_, _) -> {
                    for (int i = 0; i < threads; i++) {
                      boolean parks = i % 4 == 0;
                      Thread.startVirtualThread(
                          () -> {
                            if (parks) LockSupport.parkNanos(1_000);
                            ended.countDown();
                          });
                    }
                  });
      actor.cast("go");
      Await.latch(ended);
      awaitForgotten(system);
      Await.until("none is left to run", () -> KnownThreads.runnable((Task) actor) == 0);
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void anActorThatKeptItsThreadsIsForgottenWithThem(int workers) throws Exception {
    int threads = 1_000;
    var ended = new CountDownLatch(threads);
    try (var system =
        ActorSystem.open("test", c -> c.withWorkers(workers).withCloseOnShutdown(false))) {
      ActorRef<String> actor =
          system.spawn(
              () -> {
                List<Thread> kept = new ArrayList<>();
                return (_, _) -> {
                  for (int i = 0; i < threads; i++)
                    kept.add(Thread.startVirtualThread(ended::countDown));
                };
              });
      actor.cast("go");
      Await.latch(ended);
      assertThat(KnownThreads.of(schedulerOf(system))).isEqualTo(threads);
      actor.stop();
      Await.end(actor);
      actor = null;
      awaitForgotten(system);
    }
  }
}
