package io.turnwise;

import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static io.turnwise.Puppet.want;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Virtual threads that a handler starts run at the expense of its actor, and give way to others.
 * Polls are written by hand here, as a weaver would put them.
 */
class ForeignShareTest {
  private static final Duration TICK = Duration.ofMillis(1);

  @Test
  void whatAStartedThreadRunsIsItsActors() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var actor = kit.puppet("a");
      var promised = new CompletableFuture<Reply<String>>();
      actor.cast(
          does(
              _ ->
                  Thread.ofVirtual()
                      .start(
                          () -> {
                            kit.pass(Duration.ofMillis(3));
                            helper.call(want((w, c) -> promised.complete(c.defer(w))));
                            kit.pass(Duration.ofMillis(4));
                            Thread.yield();
                            kit.pass(Duration.ofMillis(5));
                          })));
      kit.run();
      assertThat(actor.snapshot().usage().ran()).isEqualTo(Duration.ofMillis(3));
      kit.pass(Duration.ofSeconds(1)); // nobody runs meanwhile
      promised.join().send("go on");
      kit.run();
      assertThat(actor.snapshot().usage().ran()).isEqualTo(Duration.ofMillis(12));
      assertThat(helper.snapshot().usage().ran()).isZero();
    }
  }

  @Test
  void whatAThreadRunsThatAStartedThreadStartedIsTheFirstOnesActors() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(
          does(
              _ ->
                  Thread.startVirtualThread(
                      () -> {
                        kit.pass(Duration.ofMillis(1));
                        Thread.startVirtualThread(
                            () -> {
                              kit.pass(Duration.ofMillis(2));
                              Thread.startVirtualThread(() -> kit.pass(Duration.ofMillis(4)));
                            });
                      })));
      kit.run();
      assertThat(actor.snapshot().usage().ran()).isEqualTo(Duration.ofMillis(7));
    }
  }

  @Test
  void whatRunsInAStartedThreadIsItsWorkersAsWell() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(
          does(
              _ ->
                  Thread.startVirtualThread(
                      () -> {
                        for (int i = 0; i < 5; i++) kit.passAndTick(TICK);
                      })));
      kit.run();
      assertThat(kit.system().dispatcher().loads().getFirst().usage().ran())
          .isEqualTo(Duration.ofMillis(5));
      assertThat(actor.snapshot().usage().ran()).isEqualTo(Duration.ofMillis(5));
    }
  }

  @Test
  void aStartedThreadGivesWayToWhoWaits() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var other = kit.puppet("other");
      actor.cast(
          does(
              _ ->
                  Thread.startVirtualThread(
                      () -> {
                        other.cast(say("waits"));
                        for (int i = 0; i < 4; i++) {
                          kit.passAndTick(TICK);
                          Safepoint.poll();
                        }
                        kit.note("thread ends");
                      })));
      kit.run();
      assertThat(kit.log()).containsSubsequence("other waits", "thread ends");
      assertThat(actor.snapshot().usage().preemptions()).isEqualTo(1);
      assertThat(kit.system().snapshot().preemptions()).isEqualTo(1);
    }
  }

  /** Lets a millisecond pass, again and again, until so many have passed in all. */
  private static int loop(ManualSystem kit, AtomicInteger left) {
    int own = 0;
    while (left.getAndDecrement() > 0) {
      kit.passAndTick(TICK);
      own++;
      Safepoint.poll();
    }
    return own;
  }

  @ParameterizedTest(name = "{0} threads")
  @ValueSource(ints = {1, 2, 10, 100})
  void manyThreadsOfOneActorHaveNoMoreTimeThanAnotherActor(int threads) {
    int millis = 4_000;
    var left = new AtomicInteger(millis);
    var others = new AtomicInteger();
    var started = new AtomicInteger[threads];
    try (var kit = new ManualSystem()) {
      kit.puppet("a")
          .cast(
              does(
                  _ -> {
                    for (int i = 0; i < threads; i++) {
                      var own = started[i] = new AtomicInteger();
                      Thread.startVirtualThread(() -> own.set(loop(kit, left)));
                    }
                  }));
      kit.puppet("other").cast(does(_ -> others.set(loop(kit, left))));
      kit.run();
      assertThat(others.get()).isBetween(millis * 4 / 10, millis * 6 / 10);
      for (var own : started)
        assertThat(own.get()).isBetween(millis / 2 / threads / 2, millis / threads);
    }
  }

  @ParameterizedTest(name = "{0} threads")
  @ValueSource(ints = {1, 3})
  void anActorThatComputesBesideItsThreadsSharesItsTimeWithThem(int threads) {
    int millis = 4_000;
    var left = new AtomicInteger(millis);
    var others = new AtomicInteger();
    var own = new AtomicInteger();
    try (var kit = new ManualSystem()) {
      kit.puppet("a")
          .cast(
              does(
                  _ -> {
                    for (int i = 0; i < threads; i++)
                      Thread.startVirtualThread(() -> loop(kit, left));
                    own.set(loop(kit, left));
                  }));
      kit.puppet("other").cast(does(_ -> others.set(loop(kit, left))));
      kit.run();
      assertThat(others.get()).isBetween(millis * 4 / 10, millis * 6 / 10);
      assertThat(own.get()).isBetween(millis / 2 / (threads + 1) / 2, millis / (threads + 1));
    }
  }

  @ParameterizedTest(name = "{0} at once")
  @ValueSource(ints = {1, 4, 40})
  void aNewThreadForEachPieceOfWorkGainsNothing(int atOnce) {
    int millis = 4_000;
    var left = new AtomicInteger(millis);
    var others = new AtomicInteger();
    try (var kit = new ManualSystem()) {
      class Link implements Runnable {
        @Override
        public void run() {
          for (int i = 0; i < 5 && left.getAndDecrement() > 0; i++) {
            kit.passAndTick(TICK);
            Safepoint.poll();
          }
          if (left.get() > 0) Thread.startVirtualThread(new Link());
        }
      }
      kit.puppet("a")
          .cast(
              does(
                  _ -> {
                    for (int i = 0; i < atOnce; i++) Thread.startVirtualThread(new Link());
                  }));
      kit.puppet("other").cast(does(_ -> others.set(loop(kit, left))));
      kit.run();
      assertThat(others.get()).isBetween(millis * 4 / 10, millis * 6 / 10);
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void anEndlessLoopInAStartedThreadDoesNotKeepOthersFromTheirTurns(int workers) throws Exception {
    var end = new AtomicBoolean();
    var ended = new CountDownLatch(2 * workers);
    try (var system =
        ActorSystem.open("test", c -> c.withWorkers(workers).withCloseOnShutdown(false))) {
      var begun = new CountDownLatch(2 * workers);
      ActorRef<String> actor =
          system.spawn(
              () ->
                  (_, _) -> {
                    for (int i = 0; i < 2 * workers; i++)
                      Thread.startVirtualThread(
                          () -> {
                            begun.countDown();
                            while (!end.get()) Safepoint.poll();
                            ended.countDown();
                          });
                  });
      actor.cast("go");
      Await.latch(begun);
      var pings = new CountDownLatch(1_000);
      ActorRef<String> innocent = system.spawn(() -> (_, _) -> pings.countDown());
      for (int i = 0; i < 1_000; i++) {
        innocent.cast("ping");
        if (i % 100 == 0) Thread.sleep(1);
      }
      Await.latch(pings);
      Await.until("a thread was stopped", () -> actor.snapshot().usage().preemptions() > 0);
      assertThat(system.snapshot().workersRelieved()).isZero();
      end.set(true);
      Await.latch(ended);
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void threadsThatGoOnStartingThreadsDoNotKeepOthersFromTheirTurns(int workers) throws Exception {
    var end = new AtomicBoolean();
    var ended = new CountDownLatch(1);
    class Link implements Runnable {
      @Override
      public void run() {
        if (end.get()) ended.countDown();
        else Thread.startVirtualThread(new Link());
      }
    }
    try (var system =
        ActorSystem.open("test", c -> c.withWorkers(workers).withCloseOnShutdown(false))) {
      ActorRef<String> actor = system.spawn(() -> (_, _) -> Thread.startVirtualThread(new Link()));
      actor.cast("go");
      var pings = new CountDownLatch(100);
      ActorRef<String> innocent = system.spawn(() -> (_, _) -> pings.countDown());
      for (int i = 0; i < 100; i++) {
        innocent.cast("ping");
        Thread.sleep(1);
      }
      Await.latch(pings);
      assertThat(actor.snapshot().usage().ran()).isPositive();
      end.set(true);
      Await.latch(ended);
    }
  }

  @Test
  void aLoopThatOutlivesItsSystemHoldsNoWorker() throws Exception {
    var end = new AtomicBoolean();
    var begun = new CountDownLatch(1);
    var thread = new CompletableFuture<Thread>();
    var system = ActorSystem.open("outlived", c -> c.withWorkers(1).withCloseOnShutdown(false));
    try {
      ActorRef<String> actor =
          system.spawn(
              () ->
                  (_, _) ->
                      thread.complete(
                          Thread.startVirtualThread(
                              () -> {
                                begun.countDown();
                                while (!end.get()) Safepoint.poll();
                              })));
      actor.cast("go");
      Await.latch(begun);
      system.close();
      Await.until("the worker has ended", () -> !isAlive("turnwise-outlived-default-worker-0"));
      assertThat(Await.result(thread).isAlive()).isTrue();
    } finally {
      end.set(true);
    }
    assertThat(Await.result(thread).join(Duration.ofSeconds(30))).isTrue();
  }

  private static boolean isAlive(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(name));
  }
}
