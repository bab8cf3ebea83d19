package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.want;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Virtual threads that a handler starts itself run on our workers and are accounted for. */
class ForeignThreadTest {

  @Test
  void aThreadStartedByAHandlerRunsOnTheWorkersAndIsCounted() {
    try (var kit = new ManualSystem()) {
      kit.puppet("a")
          .cast(
              does(
                  _ -> {
                    Thread started = Thread.ofVirtual().start(() -> kit.note("inside"));
                    started.join();
                    kit.note("joined");
                  }));
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "inside", "joined");
      assertThat(kit.system().snapshot().foreignSlices()).isPositive();
      assertThat(kit.system().snapshot().messagesHandled()).isEqualTo(1);
    }
  }

  @Test
  void aThreadThatOutlivesItsTurnGoesOnRunning() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var promised = new CompletableFuture<Reply<String>>();
      var actor = kit.puppet("a");
      actor.cast(
          does(
              _ ->
                  Thread.ofVirtual()
                      .start(
                          () ->
                              kit.note(
                                  "foreign got "
                                      + helper.call(
                                          want((w, c) -> promised.complete(c.defer(w))))))));
      kit.run();
      var next = kit.call(actor, ask("next"));
      kit.run();
      assertThat(next).isCompletedWithValue("NEXT");
      actor.stop();
      kit.run();
      promised.join().send("late");
      kit.run();
      assertThat(kit.log()).endsWith("foreign got late");
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void structuredWorkInsideATurnRunsOnTheWorkers(int workers) throws Exception {
    try (var system = ActorSystem.open("foreign", c -> c.withWorkers(workers))) {
      List<String> log = Collections.synchronizedList(new ArrayList<>());
      var helper = system.spawn("helper", () -> new Puppet(log));
      var actor = system.spawn("a", () -> new Puppet(log));
      String answer =
          actor.call(
              want(
                  (w, c) -> {
                    List<Callable<String>> jobs = new ArrayList<>();
                    for (int i = 0; i < 20; i++) {
                      int me = i;
                      jobs.add(
                          () -> {
                            Thread.sleep(1);
                            return helper.call(ask("job" + me)) + carrier();
                          });
                    }
                    try (var scope = Executors.newVirtualThreadPerTaskExecutor()) {
                      List<String> answers = new ArrayList<>();
                      for (Future<String> done : scope.invokeAll(jobs)) answers.add(done.get());
                      c.reply(w, String.join(",", answers));
                    }
                  }));
      String[] parts = answer.split(",");
      assertThat(parts).hasSize(20);
      for (int i = 0; i < 20; i++)
        assertThat(parts[i]).startsWith("JOB" + i).contains("turnwise-foreign-default-worker-");
      assertThat(system.snapshot().foreignSlices()).isGreaterThanOrEqualTo(40);
    }
  }

  private static String carrier() {
    String thread = Thread.currentThread().toString();
    return thread.substring(thread.lastIndexOf('@'));
  }

  @Test
  void aThreadThatAStartedThreadStartsRunsThereToo() throws Exception {
    try (var system = ActorSystem.open("foreign", c -> c.withWorkers(1))) {
      var seen = new CompletableFuture<String>();
      ActorRef<String> actor =
          system.spawn(
              () ->
                  (_, _) ->
                      Thread.startVirtualThread(
                          () -> Thread.startVirtualThread(() -> seen.complete(carrier()))));
      actor.cast("x");
      assertThat(Await.result(seen)).contains("turnwise-foreign-default-worker-");
    }
  }

  @Test
  void aBusyThreadOfAHandlerDoesNotHoldUpTheOtherWorkers() throws Exception {
    try (var system = ActorSystem.open("foreign", c -> c.withWorkers(2))) {
      var go = new CountDownLatch(1);
      var busy = new CountDownLatch(1);
      ActorRef<String> actor =
          system.spawn(
              () ->
                  (_, _) ->
                      Thread.startVirtualThread(
                          () -> {
                            busy.countDown();
                            while (go.getCount() > 0) Thread.onSpinWait();
                          }));
      actor.cast("x");
      Await.latch(busy);
      try {
        var other = system.spawn(() -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
        for (int i = 0; i < 100; i++) assertThat(other.call(ask("x"))).isEqualTo("X");
      } finally {
        go.countDown();
      }
    }
  }

  @Test
  void aThreadThatOutlivesItsSystemStillEnds() throws Exception {
    var system = ActorSystem.open("foreign", c -> c.withWorkers(1));
    var thread = new CompletableFuture<Thread>();
    var go = new CountDownLatch(1);
    ActorRef<String> actor =
        system.spawn(
            () ->
                (_, _) ->
                    thread.complete(
                        Thread.startVirtualThread(
                            () -> {
                              try {
                                go.await();
                              } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                              }
                            })));
    actor.cast("x");
    Thread started = Await.result(thread);
    system.close();
    go.countDown();
    assertThat(started.join(java.time.Duration.ofSeconds(20))).isTrue();
  }

  @Test
  void anUncaughtExceptionInAStartedThreadHarmsNobody() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(
          does(
              _ ->
                  Thread.ofVirtual()
                      .uncaughtExceptionHandler((_, e) -> kit.note("caught " + e.getMessage()))
                      .start(
                          () -> {
                            throw new IllegalStateException("foreign");
                          })));
      var answer = kit.call(actor, ask("alive"));
      kit.run();
      assertThat(answer).isCompletedWithValue("ALIVE");
      assertThat(kit.log()).contains("caught foreign");
      assertThat(kit.system().snapshot().crashes()).isZero();
    }
  }
}
