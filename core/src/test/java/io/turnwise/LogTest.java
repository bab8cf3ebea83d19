package io.turnwise;

import static io.turnwise.Puppet.crash;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.scheduling.Masked;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a person must know is logged, once and not in a flood. */
class LogTest {
  @RegisterExtension final LogWatch log = new LogWatch();

  private List<LogRecord> saying(String words) {
    return log.records().stream().filter(r -> r.getMessage().contains(words)).toList();
  }

  @Test
  void aCrashIsLoggedWithItsActorMessageAndCause() {
    try (var kit = new ManualSystem()) {
      kit.puppet("a").cast(crash("boom"));
      kit.run();
      assertThat(saying("[ACTOR-CRASHED]")).hasSize(1);
      LogRecord line = saying("[ACTOR-CRASHED]").getFirst();
      assertThat(line.getMessage()).contains("/test/a", "Do");
      assertThat(line.getThrown()).hasMessage("boom");
      assertThat(line.getLevel()).isEqualTo(Level.WARNING);
    }
  }

  @Test
  void aFloodOfCrashesIsNotAFloodOfLinesAndIsSummedUp() {
    try (var kit = new ManualSystem()) {
      for (int i = 0; i < 100; i++) kit.puppet("a" + i).cast(crash("boom"));
      kit.run();
      assertThat(saying("[ACTOR-CRASHED]")).hasSize(10);
      kit.advance(Duration.ofMinutes(2));
      kit.puppet("late").cast(crash("boom"));
      kit.run();
      assertThat(saying("[ACTOR-CRASHED]")).hasSize(11);
      assertThat(saying("90 similar lines")).hasSize(1);
    }
  }

  @Test
  void aMaskThatLastsLongerThanItsLimitIsCountedAndLoggedOnceForEachActor() {
    try (var kit = new ManualSystem()) {
      var longer =
          does(
              _ ->
                  Masked.run(
                      Duration.ofMillis(100),
                      () -> {
                        Masked.run(Duration.ofMillis(1), () -> kit.pass(Duration.ofMillis(50)));
                        kit.pass(Duration.ofMillis(70));
                      }));
      var inTime =
          does(_ -> Masked.run(Duration.ofMillis(100), () -> kit.pass(Duration.ofMillis(99))));
      var a = kit.puppet("a");
      a.cast(longer);
      kit.puppet("b").cast(inTime);
      kit.puppet("c").cast(longer);
      kit.run();
      a.cast(longer);
      kit.run();
      assertThat(kit.system().snapshot().masksOverrun()).isEqualTo(3);
      assertThat(saying("[MASK-OVERRUN]"))
          .extracting(LogRecord::getMessage)
          .hasSize(2)
          .first()
          .asString()
          .startsWith(
              "A masked section of /test/a lasted 120 ms; its limit is 100 ms, and beyond that it"
                  + " can be cancelled in the middle. [MASK-OVERRUN]");
      assertThat(saying("/test/b")).isEmpty();
    }
  }

  private static final class Failing implements Actor<RuntimeException> {
    @Override
    public void receive(RuntimeException message, Context<RuntimeException> context) {
      throw message;
    }
  }

  private static ChildSpec<RuntimeException> failing(String name) {
    return ChildSpec.of(name, Failing::new);
  }

  @Test
  void aCrashIsLoggedWithWhatFollowsByTheSpecOfASupervisedActor() {
    try (var kit = new ManualSystem()) {
      ChildSpec<RuntimeException> spec =
          failing("a")
              .withAction(ArithmeticException.class, FailureAction.RESUME)
              .withAction(UnsupportedOperationException.class, FailureAction.STOP);
      ChildSpec<RuntimeException> brief = failing("b").withRestart(RestartType.TEMPORARY);
      ChildSpec<RuntimeException> last =
          failing("c").withAction(ArithmeticException.class, FailureAction.ESCALATE);
      SupervisorSpec all =
          SupervisorSpec.oneForOne().withChild(spec).withChild(brief).withChild(last);
      Supervisor.start(kit.system(), "sup", all);
      kit.run();
      child(kit, "a").cast(new ArithmeticException());
      child(kit, "a").cast(new IllegalStateException());
      child(kit, "a").cast(new UnsupportedOperationException());
      child(kit, "b").cast(new IllegalStateException());
      kit.run();
      child(kit, "c").cast(new ArithmeticException());
      kit.run();
      assertThat(saying("[ACTOR-CRASHED]"))
          .extracting(LogRecord::getMessage)
          .containsExactlyInAnyOrder(
              "Actor /test/sup/a crashed in ArithmeticException and goes on with its state."
                  + " [ACTOR-CRASHED]",
              "Actor /test/sup/a crashed in IllegalStateException and is to be started again."
                  + " [ACTOR-CRASHED]",
              "Actor /test/sup/a crashed in UnsupportedOperationException and stops."
                  + " [ACTOR-CRASHED]",
              "Actor /test/sup/b crashed in IllegalStateException and stops. [ACTOR-CRASHED]",
              "Actor /test/sup/c crashed in ArithmeticException, and its supervisor fails with it."
                  + " [ACTOR-CRASHED]",
              "Actor /test/sup crashed in the care of its children and stops. [ACTOR-CRASHED]");
    }
  }

  @SuppressWarnings("unchecked") // all of them are made of such specs
  private static ActorRef<RuntimeException> child(ManualSystem kit, String name) {
    return (ActorRef<RuntimeException>) kit.system().find("sup/" + name).orElseThrow();
  }

  @Test
  void whyASystemClosesIsLoggedHoweverMuchWasSaidBefore() throws Exception {
    var closer = new CompletableFuture<Thread>();
    try (var system = ActorSystem.open("shop")) {
      system.whenClosed().thenAccept(_ -> closer.complete(Thread.currentThread()));
      ChildSpec<RuntimeException> spec = failing("a");
      Supervisor sup =
          Supervisor.start(
              system, "sup", SupervisorSpec.oneForOne().withChild(spec).withLimit(20, HOUR));
      ActorRef<RuntimeException> a = sup.child(spec);
      for (int i = 0; i <= 20; i++) a.cast(new IllegalStateException("boom"));
      Await.result(system.whenClosed());
    }
    assertThat(saying("[ACTOR-CRASHED]")).hasSize(10);
    assertThat(saying("[ROOT-FAILED]")).hasSize(1);
    LogRecord line = saying("[ROOT-FAILED]").getFirst();
    assertThat(line.getLevel()).isEqualTo(Level.WARNING);
    assertThat(line.getMessage())
        .contains(
            "/shop/sup gave up",
            "'a'",
            "more than 20 restarts within 1h",
            "the system closes",
            "RootFailure.GO_ON");
    // Else the JVM could end before those are told who wait for the report.
    assertThat(Await.result(closer).isDaemon()).isFalse();
  }

  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void theFirstDeadLettersAreLogged() {
    try (var kit = new ManualSystem()) {
      var gone = kit.puppet("gone");
      gone.stop();
      kit.run();
      for (int i = 0; i < 100; i++) gone.cast(say("secret"));
      kit.run();
      assertThat(saying("[DEAD-LETTER]")).hasSize(10);
      String line = saying("[DEAD-LETTER]").getFirst().getMessage();
      assertThat(line).contains("/test/gone", "Puppet$Say", "RECIPIENT_STOPPED");
      assertThat(line).as("what is in a message is nobody's business").doesNotContain("secret");
    }
  }

  @Test
  void anExceptionThatCannotBePrintedDoesNotSilenceTheLog() {
    try (var kit = new ManualSystem()) {
      class Mute extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
          throw new IllegalStateException("no words");
        }
      }
      kit.puppet("mute")
          .cast(
              Puppet.does(
                  _ -> {
                    throw new Mute();
                  }));
      kit.run();
      kit.puppet("loud").cast(crash("boom"));
      kit.run();
      assertThat(saying("/test/loud")).hasSize(1);
    }
  }

  @Test
  void aHandlerThatTakesTooLongIsToldOfOnceWithItsStack() {
    var limit = Duration.ofMillis(20);
    var end = new CompletableFuture<String>();
    try (var kit = new ManualSystem()) {
      kit.callBackHere();
      Actor<String> slow = (_, _) -> waitHere(end);
      var spec = ActorSpec.of(() -> slow).withHandlerTimeout(limit, TimeoutAction.WARN);
      kit.spawn("a", spec).cast("go");
      kit.advance(limit.dividedBy(2));
      assertThat(saying("[HANDLER-OVERDUE]")).isEmpty();
      for (int i = 0; i < 5; i++) kit.advance(limit);
      end.complete("at last");
      kit.run();
      assertThat(kit.system().snapshot().messagesHandled()).as("it ran on").isOne();
    }
    assertThat(saying("[HANDLER-OVERDUE]")).hasSize(1);
    assertThat(saying("[HANDLER-OVERDUE]").getFirst().getMessage())
        .contains("Handler CAST of /test/a", "longer than 20 ms", "LogTest.waitHere");
  }

  private static void waitHere(CompletableFuture<String> end) {
    end.join();
  }

  /** Kills an actor that cannot be ended; returns what is said of that. */
  private String abandoned(Runnable code) throws Exception {
    var begun = new CountDownLatch(1);
    try (var system = ActorSystem.open("left", c -> c.withWorkers(1))) {
      ActorRef<String> actor =
          system.spawn(
              "a",
              () ->
                  (_, _) -> {
                    begun.countDown();
                    code.run();
                  });
      actor.cast("go");
      Await.latch(begun);
      Await.result(actor.kill());
    }
    assertThat(saying("[HANDLER-ABANDONED]")).hasSize(1);
    return saying("[HANDLER-ABANDONED]").getFirst().getMessage();
  }

  @Test
  void aHandlerLeftBehindInAWaitIsLoggedWithItsStackAndTheLock() throws Exception {
    var lock = new ReentrantLock();
    lock.lock();
    try {
      assertThat(abandoned(() -> lockHere(lock, 60)))
          .contains("/left/a", "waits for java.util.concurrent.locks.ReentrantLock")
          .contains("at io.turnwise.LogTest.lockHere")
          .containsPattern("… \\d+ more");
    } finally {
      lock.unlock();
    }
  }

  private static void lockHere(ReentrantLock lock, int frames) {
    if (frames > 0) {
      lockHere(lock, frames - 1);
      return;
    }
    lock.lock();
    lock.unlock();
  }

  @Test
  void aHandlerLeftBehindAtAMonitorIsLoggedWithItsStackAndWithThoseItHas() throws Exception {
    var monitor = new ArrayList<>();
    var own = new StringBuilder();
    synchronized (monitor) {
      assertThat(abandoned(() -> enterWith(own, monitor)))
          .contains(
              "waits for the monitor of java.util.ArrayList@",
              "holds the monitor of java.lang.StringBuilder@",
              "at io.turnwise.LogTest.enterHere")
          .doesNotContain("holds the monitor of java.util.ArrayList");
    }
  }

  private static void enterWith(Object own, Object monitor) {
    synchronized (own) {
      enterHere(monitor);
    }
  }

  private static void enterHere(Object monitor) {
    synchronized (monitor) {
      monitor.notifyAll();
    }
  }

  @Test
  void aHandlerLeftBehindInALoopWithoutPollsIsLoggedWithItsStack() throws Exception {
    var end = new AtomicBoolean();
    try {
      assertThat(abandoned(() -> spinHere(end)))
          .contains("at io.turnwise.LogTest.spinHere")
          .doesNotContain("waits for");
    } finally {
      end.set(true);
    }
  }

  @Test
  void aWorkerHeldByWhatAnActorLeftBehindNamesThatActor() throws Exception {
    var end = new AtomicBoolean();
    var begun = new CountDownLatch(1);
    try (var system = ActorSystem.open("held", c -> c.withWorkers(1))) {
      Actor<String> spins =
          (_, _) -> {
            begun.countDown();
            spinHere(end);
          };
      ActorRef<String> actor = system.spawn("a", () -> spins);
      actor.cast("x");
      Await.latch(begun);
      assertThat(Await.result(actor.kill().toCompletableFuture()).force())
          .isEqualTo(KillReport.Force.ABANDONED);
      ActorRef<String> other = system.spawn("b", () -> (_, _) -> {});
      Await.until(
          "a person is told of the worker",
          () -> {
            other.cast("waits behind it");
            return !saying("[WORKER-STUCK]").isEmpty();
          });
      assertThat(saying("[WORKER-STUCK]").getFirst().getMessage())
          .contains("is held by a turn that /held/a has left behind", "LogTest.spinHere");
    } finally {
      end.set(true);
    }
  }

  private static void spinHere(AtomicBoolean end) {
    Unwoven.spin(end);
  }

  @Test
  void aHandlerLeftBehindBecauseItSwallowsEverythingIsLoggedFromItsOwnCodeOn() throws Exception {
    assertThat(abandoned(LogTest::swallowHere).lines().toList().get(1))
        .contains("at io.turnwise.LogTest.swallowHere");
  }

  private static void swallowHere() {
    while (true) {
      try {
        while (true) Safepoint.poll();
      } catch (Throwable swallowed) {
        // on purpose
      }
    }
  }

  @Test
  void aCloseThatLeavesSomethingIsLogged() throws Exception {
    var system =
        ActorSystem.open("leaves", c -> c.withWorkers(1).withCloseDeadline(Duration.ofMillis(30)));
    var go = new CountDownLatch(1);
    var begun = new CountDownLatch(1);
    ActorRef<String> actor =
        system.spawn(
            "stuck",
            () ->
                (_, _) -> {
                  begun.countDown();
                  go.await();
                });
    actor.cast("x");
    Await.latch(begun);
    actor.cast("left");
    try {
      system.close();
    } finally {
      go.countDown();
    }
    assertThat(saying("[CLOSE-INCOMPLETE]")).hasSize(1);
    assertThat(saying("[CLOSE-INCOMPLETE]").getFirst().getMessage())
        .contains("leaves", "1 actors", "1 messages", "/leaves/stuck");
  }

  @Test
  void aCrashJustBeforeTheCloseIsLogged() throws Exception {
    for (int i = 0; i < 50; i++) {
      try (var system = ActorSystem.open("brief")) {
        system
            .<String>spawn(
                "a",
                () ->
                    (m, c) -> {
                      throw new IllegalStateException(m);
                    })
            .cast("b");
        Await.until("it crashed", () -> system.snapshot().crashes() == 1);
      }
    }
    assertThat(saying("[ACTOR-CRASHED]")).hasSize(50);
  }
}
