package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.crash;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static io.turnwise.Puppet.want;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.observation.ActorState;
import io.turnwise.scheduling.Backend;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The three kinds of thread that turns run on. */
class BackendTest {
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());

  private ActorSpec<Puppet.Msg> on(Backend backend) {
    return ActorSpec.<Puppet.Msg>of(() -> new Puppet(log)).withBackend(backend);
  }

  private static Thread threadOf(ActorRef<Puppet.Msg> actor) throws Exception {
    var thread = new CompletableFuture<Thread>();
    actor.cast(does(_ -> thread.complete(Thread.currentThread())));
    return Await.result(thread);
  }

  @ParameterizedTest
  @EnumSource
  void everyBackendKeepsTheOrderOfAnActorsLife(Backend backend) throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      var actor = system.spawn("a", on(backend));
      for (int i = 0; i < 100; i++) actor.cast(say("" + i));
      assertThat(actor.call(ask("x"))).isEqualTo("X");
      actor.cast(crash("boom"));
      assertThat(Puppet.describe(Await.end(actor))).isEqualTo("crashed by boom");
      assertThat(log).hasSize(103).startsWith("a begins", "a 0", "a 1");
      assertThat(log).endsWith("a 99", "a x?", "a ends: crashed by boom");
      Await.until("counters", () -> system.snapshot().messagesHandled() == 101);
      assertThat(system.snapshot().crashes()).isEqualTo(1);
      assertThat(system.snapshot().actorsLive()).isZero();
    }
  }

  /** A snapshot that met the end of a thread had its counts twice, or not at all. */
  @ParameterizedTest
  @EnumSource
  void whatAnActorHasDoneIsCountedOnceAlsoWhileItEnds(Backend backend) throws Exception {
    int actors = 2_000;
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      var over = new AtomicBoolean();
      var seen = new CompletableFuture<List<Long>>();
      Thread.ofPlatform()
          .start(
              () -> {
                List<Long> counts = new ArrayList<>();
                do {
                  long now = system.snapshot().messagesHandled();
                  if (counts.isEmpty() || counts.getLast() != now) counts.add(now);
                } while (!over.get());
                seen.complete(counts);
              });
      for (int i = 0; i < actors; i++) {
        var actor = system.spawn(on(backend));
        assertThat(actor.call(ask("x"))).isEqualTo("X");
        actor.stop();
      }
      over.set(true);
      assertThat(Await.result(seen)).isSorted().hasSizeGreaterThan(1);
      Await.until("counters", () -> system.snapshot().messagesHandled() == actors);
    }
  }

  @ParameterizedTest
  @EnumSource
  void actorsOfAllBackendsCallEachOther(Backend backend) throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      for (Backend other : Backend.values()) {
        var callee = system.spawn(on(other));
        var caller = system.spawn(on(backend));
        String answer =
            caller.call(want((w, c) -> c.reply(w, callee.call(ask("from " + backend)))));
        assertThat(answer).isEqualTo("FROM " + backend);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCallOnAnyBackendTimesOut(Backend backend) throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      var callee = system.spawn(on(Backend.ASYNC));
      var caller = system.spawn(on(backend));
      assertThatThrownBy(
              () ->
                  caller.call(
                      want(
                          (_, _) ->
                              callee.call(want((w, c) -> c.defer(w)), Duration.ofMillis(20)))))
          .isInstanceOf(CalleeFailedException.class)
          .hasCauseInstanceOf(CallTimeoutException.class);
    }
  }

  @ParameterizedTest
  @EnumSource
  void stopStashWatchAndChildrenWorkOnEveryBackend(Backend backend) throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      var actor = system.spawn("a", on(backend));
      var child = new CompletableFuture<ActorRef<Puppet.Msg>>();
      var open = new boolean[1];
      actor.cast(
          does(
              c -> {
                var made = c.spawn("child", on(backend));
                c.watch(made);
                child.complete(made);
              }));
      actor.cast(
          does(
              c -> {
                if (open[0]) log.add("unstashed");
                else c.stash();
              }));
      actor.cast(
          does(
              c -> {
                open[0] = true;
                c.unstashAll();
              }));
      Await.result(child).cast(crash("boom"));
      Await.until(
          "the parent was told twice",
          () ->
              log.contains("a sees the end of child: crashed by boom")
                  && log.contains("a sees the crash of child: crashed by boom"));
      actor.stopAfterDrain();
      assertThat(Puppet.describe(Await.end(actor))).isEqualTo("shut down");
      assertThat(log).contains("unstashed").endsWith("a ends: shut down");
    }
  }

  @Test
  void asyncTurnsRunOnVirtualThreads() throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      assertThat(threadOf(system.spawn(on(Backend.ASYNC))).isVirtual()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BLOCKING", "THREAD"})
  void theOtherBackendsRunOnPlatformThreads(Backend backend) throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      Thread thread = threadOf(system.spawn("a", on(backend)));
      assertThat(thread.isVirtual()).isFalse();
      assertThat(thread.isDaemon()).isTrue();
      assertThat(thread.getName()).startsWith("turnwise-backend-");
      assertThat(thread.getName()).doesNotContain("worker");
    }
  }

  @Test
  void blockingActorsHaveAsManyThreadsAsTheyNeedAndHoldNoWorker() throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      int count = 20;
      var all = new CountDownLatch(count);
      var go = new CountDownLatch(1);
      Set<Thread> threads = Collections.synchronizedSet(new HashSet<>());
      for (int i = 0; i < count; i++)
        system
            .spawn(on(Backend.BLOCKING))
            .cast(
                does(
                    _ -> {
                      threads.add(Thread.currentThread());
                      all.countDown();
                      while (go.getCount() > 0) Thread.onSpinWait(); // as a native call would
                    }));
      try {
        Await.latch(all);
        assertThat(threads).hasSize(count);
        assertThat(system.spawn(on(Backend.ASYNC)).call(ask("served"))).isEqualTo("SERVED");
      } finally {
        go.countDown();
      }
    }
  }

  @Test
  void blockingActorsShareThreadsAfterwards() throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      Set<Thread> threads = new HashSet<>();
      for (int i = 0; i < 30; i++) threads.add(threadOf(system.spawn(on(Backend.BLOCKING))));
      assertThat(threads).hasSizeLessThan(30);
    }
  }

  @Test
  void aThreadActorKeepsItsThreadAndTheThreadEndsWithIt() throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      var actor = system.spawn("own", on(Backend.THREAD));
      Thread thread = threadOf(actor);
      for (int i = 0; i < 20; i++) assertThat(threadOf(actor)).isSameAs(thread);
      assertThat(threadOf(system.spawn("other", on(Backend.THREAD)))).isNotSameAs(thread);
      actor.stop();
      Await.end(actor);
      assertThat(thread.join(Duration.ofSeconds(20))).isTrue();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.HALTED);
      Await.until("counters survive", () -> system.snapshot().messagesHandled() == 22);
    }
  }

  @Test
  void aThreadActorThatCannotBeSpawnedLeavesNoThread() {
    try (var system = ActorSystem.open("leftover", c -> c.withWorkers(1))) {
      system.spawn("same", on(Backend.ASYNC));
      assertThatThrownBy(() -> system.spawn("same", on(Backend.THREAD)))
          .isInstanceOf(IllegalArgumentException.class);
      Await.until(
          "no thread of it is left",
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(t -> t.getName().equals("turnwise-leftover-same")));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Its actor has gone on elsewhere, and the thread would have been kept until the close. */
  @ParameterizedTest
  @EnumSource
  void nothingIsKeptOfAnActorWhoseHandlerWasLeftBehindAndHasEnded(Backend backend)
      throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      var end = new AtomicBoolean();
      WeakReference<ActorRef<Puppet.Msg>> actor = leaveBehind(system, backend, end);
      assertThat(system.snapshot().handlersLeftBehind()).isEqualTo(1);
      end.set(true);
      Await.until("it has ended", () -> system.snapshot().handlersLeftBehind() == 0);
      Await.until(
          "its actor is forgotten",
          () -> {
            System.gc();
            return actor.get() == null;
          });
      assertThat(system.snapshot().handlersLeftBehind()).as("counted as before").isZero();
      assertThat(system.snapshot().handlersAbandoned()).isEqualTo(1);
    }
  }

  private WeakReference<ActorRef<Puppet.Msg>> leaveBehind(
      ActorSystem system, Backend backend, AtomicBoolean end) throws Exception {
    ActorRef<Puppet.Msg> actor = system.spawn(on(backend));
    var begun = new CountDownLatch(1);
    actor.cast(
        does(
            _ -> {
              begun.countDown();
              Unwoven.spin(end);
            }));
    Await.latch(begun);
    assertThat(Await.result(actor.kill()).force()).isEqualTo(KillReport.Force.ABANDONED);
    return new WeakReference<>(actor);
  }

  @ParameterizedTest
  @EnumSource
  void aTimeoutShowsTheStackOnEveryBackend(Backend backend) throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      var actor = system.spawn("a", on(backend));
      var go = new CountDownLatch(1);
      var begun = new CountDownLatch(1);
      actor.cast(
          does(
              _ -> {
                waitHere(begun, go);
              }));
      Await.latch(begun);
      try {
        assertThatThrownBy(() -> actor.call(ask("x"), Duration.ofMillis(30)))
            .isInstanceOf(CallTimeoutException.class)
            .hasMessageContainingAll("handling Do", "1 queued", "waitHere");
      } finally {
        go.countDown();
      }
    }
  }

  private static void waitHere(CountDownLatch begun, CountDownLatch go)
      throws InterruptedException {
    begun.countDown();
    go.await();
  }

  @ParameterizedTest
  @EnumSource
  void theReasonNamesTheActorThatAskedOnEveryBackend(Backend backend) throws Exception {
    try (var system = ActorSystem.open("backend", c -> c.withWorkers(1))) {
      var victim = system.spawn("victim", on(Backend.ASYNC));
      system.spawn("asker", on(backend)).cast(does(_ -> victim.stop()));
      assertThat(Await.end(victim)).isEqualTo(new StopReason.ShutDown("/backend/asker"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anActorOfAnyBackendMayCloseTheSystem(Backend backend) throws Exception {
    var system = ActorSystem.open("backend", c -> c.withWorkers(1));
    var actor = system.spawn("closer", on(backend));
    var hasWaited = new CompletableFuture<Boolean>();
    actor.cast(
        does(
            c -> {
              c.system().close();
              hasWaited.complete(c.system().whenClosed().toCompletableFuture().isDone());
            }));
    assertThat(Puppet.describe(Await.end(actor))).isEqualTo("shut down");
    assertThat(Await.result(hasWaited))
        .as("the system cannot be closed before this turn ends")
        .isFalse();
    assertThat(system.close(Duration.ofSeconds(20)).complete()).isTrue();
  }

  @Test
  void moreBlockingActorsThanThreadsWaitForOneAndTimersGoOn() throws Exception {
    Complaints.take();
    try (var system = ActorSystem.open("many", c -> c.withWorkers(1))) {
      int count = 1_050; // 1,024 threads at most
      var begun = new CountDownLatch(1_024);
      var done = new CountDownLatch(count);
      var go = new CountDownLatch(1);
      for (int i = 0; i < count; i++) {
        ActorRef<String> actor =
            system.spawn(
                ActorSpec.<String>of(
                        () ->
                            (_, _) -> {
                              begun.countDown();
                              go.await();
                              done.countDown();
                            })
                    .withBackend(Backend.BLOCKING));
        actor.cast("x");
      }
      Await.latch(begun);
      var silent = system.spawn(on(Backend.ASYNC));
      assertThatThrownBy(
              () ->
                  Await.result(silent.callAsync(want((w, c) -> c.defer(w)), Duration.ofMillis(50))))
          .isInstanceOf(CallTimeoutException.class);
      go.countDown();
      Await.latch(done);
    }
    assertThat(Complaints.take()).isEmpty();
  }
}
