package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static io.turnwise.Puppet.want;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.observation.ActorState;
import io.turnwise.observation.CloseReport;
import io.turnwise.scheduling.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closing: everybody gets to finish, and what was left undone is counted. */
class CloseTest {
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());

  private static ActorSystem open(int workers) {
    return ActorSystem.open("close", c -> c.withWorkers(workers));
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void everyActorFinishesItsMessageAndRunsTeardownChildrenFirst(int workers) throws Exception {
    var system = open(workers);
    var begun = new CountDownLatch(1);
    var parent = system.spawn("parent", () -> new Puppet(log));
    parent.cast(
        does(
            c ->
                c.spawn("child", () -> new Puppet(log))
                    .cast(
                        does(
                            _ -> {
                              begun.countDown();
                              while (!system.isClosed()) Thread.yield();
                              log.add("child finished");
                            }))));
    Await.latch(begun);
    CloseReport report = system.close(Duration.ofSeconds(20));
    assertThat(report.complete()).isTrue();
    assertThat(report.actorsLeft()).isZero();
    assertThat(report.messagesLeft()).isZero();
    assertThat(report.stuck()).isEmpty();
    assertThat(report.took()).isPositive();
    assertThat(log).endsWith("child finished", "child ends: shut down", "parent ends: shut down");
    assertThat(system.snapshot().actorsLive()).isZero();
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void whatIsQueuedIsHandledFirstInParentsAndChildren(int workers) throws Exception {
    var system = open(workers);
    var go = new CountDownLatch(1);
    var parent = system.spawn("parent", () -> new Puppet(log));
    parent.cast(does(_ -> go.await()));
    for (int i = 0; i < 50; i++) {
      int n = i;
      parent.cast(
          does(
              c -> {
                var child = c.spawn(() -> new Puppet(new ArrayList<>()));
                for (int j = 0; j < 3; j++) child.cast(does(_ -> log.add("child of " + n)));
              }));
    }
    Thread opener = Thread.ofPlatform().start(go::countDown);
    CloseReport report = system.close(Duration.ofSeconds(60));
    opener.join();
    assertThat(report.actorsLeft()).isZero();
    assertThat(report.messagesLeft()).isZero();
    assertThat(log).filteredOn(line -> line.startsWith("child of")).hasSize(150);
  }

  @Test
  void aSecondCloseReturnsTheFirstReport() {
    var system = open(1);
    CloseReport first = system.close(Duration.ofSeconds(5));
    assertThat(system.close(Duration.ofNanos(1))).isSameAs(first);
    system.close();
    assertThat(system.isClosed()).isTrue();
  }

  @Test
  void threadsThatCloseTogetherGetOneReport() throws Exception {
    var system = open(2);
    for (int i = 0; i < 100; i++) system.spawn(() -> new Puppet(new ArrayList<>()));
    List<CloseReport> reports = Collections.synchronizedList(new ArrayList<>());
    List<Thread> closers = new ArrayList<>();
    for (int i = 0; i < 4; i++)
      closers.add(
          Thread.ofPlatform().start(() -> reports.add(system.close(Duration.ofSeconds(20)))));
    for (Thread closer : closers) closer.join();
    assertThat(reports).hasSize(4);
    assertThat(reports).allMatch(report -> report == reports.getFirst());
  }

  @Test
  void whatIsNotDoneAtTheDeadlineIsReportedWithItsStack() throws Exception {
    var system = open(2);
    var go = new CountDownLatch(1);
    var begun = new CountDownLatch(2);
    var waits = system.spawn("waits", () -> new Puppet(log));
    waits.cast(
        does(
            _ -> {
              waitHere(begun, go);
            }));
    var spins = system.spawn("spins", () -> new Puppet(log));
    spins.cast(
        does(
            _ -> {
              spinHere(begun, go);
            }));
    Await.latch(begun);
    for (int i = 0; i < 3; i++) waits.cast(say("left"));
    spins.cast(say("left"));
    system.spawn("fine", () -> new Puppet(log));
    try {
      CloseReport report = system.close(Duration.ofMillis(100));
      assertThat(report.complete()).isFalse();
      assertThat(report.actorsLeft()).isEqualTo(2);
      assertThat(report.messagesLeft()).isEqualTo(4);
      assertThat(report.took()).isGreaterThanOrEqualTo(Duration.ofMillis(100));
      assertThat(report.stuck()).hasSize(2);
      for (var stuck : report.stuck()) {
        assertThat(stuck.handling()).isEqualTo("Do");
        assertThat(stuck.stack())
            .anyMatch(
                f ->
                    f.getMethodName()
                        .equals(stuck.path().equals("/close/waits") ? "waitHere" : "spinHere"));
      }
      assertThat(system.snapshot().deadLettersTotal()).isEqualTo(4);
      assertThat(log).contains("fine ends: shut down");

      waits.cast(say("after the close"));
      spins.cast(say("after the close"), io.turnwise.mailbox.Priority.HIGH);
      assertThat(system.snapshot().deadLettersTotal()).isEqualTo(6);
    } finally {
      go.countDown();
    }
  }

  private static void waitHere(CountDownLatch begun, CountDownLatch go)
      throws InterruptedException {
    begun.countDown();
    go.await();
  }

  private static void spinHere(CountDownLatch begun, CountDownLatch go) {
    Unwoven.spin(begun, go);
  }

  @Test
  void callsThatWaitForAnActorLeftBehindFailWhenTheSystemIsClosed() throws Exception {
    var system = open(1);
    var go = new CountDownLatch(1);
    var begun = new CountDownLatch(1);
    var actor = system.spawn("stuck", () -> new Puppet(log));
    actor.cast(
        does(
            _ -> {
              waitHere(begun, go);
            }));
    Await.latch(begun);
    var queued = actor.callAsync(ask("x"), Duration.ofHours(1));
    try {
      system.close(Duration.ofMillis(50));
      assertThatThrownBy(() -> Await.result(queued)).isInstanceOf(CallException.class);
      assertThatThrownBy(() -> Await.result(actor.callAsync(ask("y"), Duration.ofHours(1))))
          .isInstanceOf(CallException.class);
      assertThatThrownBy(() -> actor.call(ask("z"), Duration.ofHours(1)))
          .isInstanceOf(CallException.class);
    } finally {
      go.countDown();
    }
  }

  @Test
  void whatIsQueuedBehindAMessageInHandIsHandledAndNothingIsLeft() throws Exception {
    var system = open(1);
    var go = new CountDownLatch(1);
    var begun = new CountDownLatch(1);
    var actor = system.spawn("a", () -> new Puppet(log));
    actor.cast(
        does(
            _ -> {
              waitHere(begun, go);
            }));
    Await.latch(begun);
    for (int i = 0; i < 5; i++) actor.cast(say("queued"));
    var report = new CompletableFuture<CloseReport>();
    Thread.ofPlatform().start(() -> report.complete(system.close(Duration.ofSeconds(60))));
    Await.until("close has begun", system::isClosed);
    go.countDown();
    CloseReport done = Await.result(report);
    assertThat(done.complete()).isTrue();
    assertThat(done.messagesLeft()).isZero();
    assertThat(log).filteredOn("a queued"::equals).hasSize(5);
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void anActorMayCloseItsOwnSystem(int workers) throws Exception {
    var system = open(workers);
    var actor = system.spawn("closer", () -> new Puppet(log));
    actor.cast(
        does(
            c -> {
              c.system().close();
              log.add("returned");
            }));
    assertThat(Await.end(actor)).isEqualTo(new StopReason.ShutDown("system close"));
    CloseReport report = system.close(Duration.ofSeconds(20));
    assertThat(report.complete()).isTrue();
    assertThat(log).containsExactly("closer begins", "returned", "closer ends: shut down");
  }

  @Test
  void teardownMayStillCallOthersThatLive() throws Exception {
    try (var other = ActorSystem.open("other", c -> c.withWorkers(1))) {
      var archive = other.spawn("archive", () -> new Puppet(log));
      var system = open(1);
      system.spawn(
          "a",
          () ->
              new Actor<String>() {
                @Override
                public void receive(String message, Context<String> context) {}

                @Override
                public void teardown(StopReason reason, Context<String> context) {
                  log.add("archived " + archive.call(ask("last words")));
                }
              });
      assertThat(system.close(Duration.ofSeconds(20)).complete()).isTrue();
      assertThat(log).endsWith("archived LAST WORDS");
    }
  }

  @Test
  void whenStoppedCompletesForActorsThatEndInTheClose() throws Exception {
    for (int i = 0; i < 50; i++) {
      var system = open(2);
      var actor = system.spawn(() -> new Puppet(new ArrayList<>()));
      var end = actor.whenStopped();
      system.close();
      assertThat(Await.result(end)).isEqualTo(new StopReason.ShutDown("system close"));
    }
  }

  @Test
  void theThreadsOfAClosedSystemEnd() throws Exception {
    var system = ActorSystem.open("threads-end", c -> c.withWorkers(3).withDispatcher("more", 2));
    var actor = system.spawn(() -> new Puppet(log));
    assertThat(actor.call(ask("x"))).isEqualTo("X");
    system.close();
    Await.until(
        "none of its workers, timers and helpers is left",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(n -> n.startsWith("turnwise-threads-end") && !n.contains("callback"))
                .toList()
                .isEmpty());
  }

  @Test
  void aCloseUnderLoadLosesNoMessage() throws Exception {
    for (int round = 0; round < 5; round++) {
      var system = open(2);
      List<ActorRef<Integer>> actors = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        ActorRef<Integer> actor =
            system.spawn(
                () ->
                    (n, _) -> {
                      if (n % 10 == 0) Thread.yield();
                    });
        actors.add(actor);
      }
      var sent = new AtomicInteger();
      var enough = new CountDownLatch(1_000);
      Thread sender =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int n = 0; n < 20_000; n++) {
                      actors.get(n % 20).cast(n);
                      sent.incrementAndGet();
                      enough.countDown();
                    }
                  });
      Await.latch(enough);
      CloseReport report = system.close(Duration.ofSeconds(20));
      sender.join();
      assertThat(report.complete()).isTrue();
      var now = system.snapshot();
      assertThat(now.messagesHandled() + now.deadLettersTotal()).isEqualTo(sent.get());
      assertThat(actors).allMatch(a -> a.snapshot().state() == ActorState.HALTED);
    }
  }

  @Test
  void aThreadThatIsInterruptedWhileItClosesGoesOnClosingAndKeepsItsFlag() throws Exception {
    var system = open(1);
    var go = new CountDownLatch(1);
    var begun = new CountDownLatch(1);
    system
        .spawn(() -> new Puppet(log))
        .cast(
            does(
                _ -> {
                  waitHere(begun, go);
                }));
    Await.latch(begun);
    var flag = new CompletableFuture<Boolean>();
    Thread closer =
        Thread.ofPlatform()
            .start(
                () -> {
                  CloseReport report = system.close(Duration.ofSeconds(20));
                  flag.complete(report.complete() && Thread.currentThread().isInterrupted());
                });
    Await.until("close has begun", system::isClosed);
    closer.interrupt();
    go.countDown();
    assertThat(Await.result(flag)).isTrue();
  }

  @Test
  void aDeferredReplyThatIsStillOwedAtTheCloseFailsItsCall() throws Exception {
    var system = open(1);
    var actor = system.spawn("a", () -> new Puppet(log));
    var call = actor.callAsync(want((w, c) -> c.defer(w)), Duration.ofHours(1));
    Await.until("it is deferred", () -> system.snapshot().messagesHandled() == 1);
    system.close();
    assertThatThrownBy(() -> Await.result(call)).isInstanceOf(CalleeStoppedException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ASYNC", "BLOCKING", "THREAD"})
  void anActorCannotWaitForItsOwnEndButCanCloseItsSystem(String backend) throws Exception {
    var system = open(1);
    var refusal = new CompletableFuture<String>();
    var spec = ActorSpec.of(() -> new Puppet(log)).withBackend(Backend.valueOf(backend));
    system
        .spawn("suicidal", spec)
        .cast(
            does(
                _ -> {
                  try {
                    system.close(Duration.ofSeconds(30));
                  } catch (IllegalStateException e) {
                    refusal.complete(e.getMessage());
                  }
                  system.close();
                }));
    assertThat(refusal.get(30, TimeUnit.SECONDS))
        .contains("/close/suicidal", "[CLOSE-FROM-INSIDE]", "whenClosed()");
    CloseReport report = system.whenClosed().toCompletableFuture().get(30, TimeUnit.SECONDS);
    assertThat(report.complete()).isTrue();
    assertThat(log).endsWith("suicidal ends: shut down");
  }
}
