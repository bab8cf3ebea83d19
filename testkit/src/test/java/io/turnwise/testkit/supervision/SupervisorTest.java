package io.turnwise.testkit.supervision;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Call;
import io.turnwise.CalleeFailedException;
import io.turnwise.CalleeStoppedException;
import io.turnwise.Context;
import io.turnwise.StopReason;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.PoisonMessage;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorGaveUpException;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.Testkit;
import io.turnwise.testkit.VirtualTestkit;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Children crash, and come back. */
class SupervisorTest {
  private static final Logger LOG = Logger.getLogger("io.turnwise");

  @BeforeAll
  static void quietLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void loudLog() {
    LOG.setLevel(null);
  }

  sealed interface Msg {}

  record Add(int amount) implements Msg {}

  record Total() implements Msg, Call<Msg, Integer> {}

  record Crash(RuntimeException cause) implements Msg {}

  record CrashCall() implements Msg, Call<Msg, Integer> {}

  record Finish() implements Msg {}

  record Stash() implements Msg {}

  /** Notes its life in a list. */
  private static final class Worker implements Actor<Msg> {
    private final String name;
    private final List<String> diary;
    private int total;
    private boolean stashing;

    Worker(String name, List<String> diary) {
      this.name = name;
      this.diary = diary;
    }

    @Override
    public void init(Context<Msg> context) {
      diary.add(name + " starts");
    }

    @Override
    public void receive(Msg message, Context<Msg> context) {
      switch (message) {
        case Add add when stashing -> context.stash();
        case Add(int amount) -> total += amount;
        case Total call -> context.reply(call, total);
        case Crash(RuntimeException cause) -> throw cause;
        case CrashCall _ -> throw new IllegalStateException("in the call");
        case Finish _ -> context.stop();
        case Stash _ -> stashing = true;
      }
    }

    @Override
    public void teardown(StopReason reason, Context<Msg> context) {
      diary.add(name + " stops");
    }
  }

  private final List<String> diary = new ArrayList<>();
  private final VirtualTestkit kit = Testkit.onVirtualTime();

  private ChildSpec<Msg> worker(String name) {
    return ChildSpec.of(name, () -> new Worker(name, diary));
  }

  private static Crash crash() {
    return new Crash(new IllegalStateException("crash"));
  }

  @AfterEach
  void close() {
    kit.allowCrashes();
    kit.allowDeadLetters();
    kit.close();
  }

  @Test
  void aChildThatCrashesComesBackWithAFreshStateAndTheSameAddress() {
    ChildSpec<Msg> spec = worker("a");
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> a = supervisor.child(spec);
    a.cast(new Add(3));
    assertThat(a.call(new Total())).isEqualTo(3);
    a.cast(crash());
    a.cast(new Add(4));
    assertThat(a.call(new Total())).isEqualTo(4);
    assertThat(supervisor.child(spec)).isSameAs(a);
    assertThat(diary).containsExactly("a starts", "a stops", "a starts");
    assertThat(supervisor.children().getFirst().restarts()).isEqualTo(1);
    assertThat(kit.system().snapshot().restarts()).isEqualTo(1);
  }

  @Test
  void theCallerOfTheCrashedCallGetsTheCauseAtOnce() {
    ChildSpec<Msg> spec = worker("a").withBackoff(Backoff.constant(ofSeconds(60)));
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    assertThatThrownBy(() -> supervisor.child(spec).call(new CrashCall()))
        .isInstanceOf(CalleeFailedException.class)
        .hasRootCauseMessage("in the call");
  }

  @Test
  void aRestartWaitsForItsDelayAndIsSeenAndMessagesAreKeptMeanwhile() {
    ChildSpec<Msg> spec = worker("a").withBackoff(Backoff.exponential(ofSeconds(1)));
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> a = supervisor.child(spec);
    a.cast(crash());
    kit.run();
    a.cast(new Add(5));
    kit.run();
    assertThat(supervisor.pendingRestarts())
        .singleElement()
        .satisfies(
            pending -> {
              assertThat(pending.actor()).isSameAs(a);
              assertThat(pending.dueIn()).isBetween(ofMillis(900), ofSeconds(1));
            });
    kit.advance(ofMillis(500));
    assertThat(supervisor.children().getFirst().state()).isEqualTo(ChildState.WAITING);
    kit.advance(ofMillis(510));
    assertThat(supervisor.children().getFirst().state()).isEqualTo(ChildState.UP);
    assertThat(a.call(new Total())).isEqualTo(5);
    a.cast(crash());
    kit.advance(ofMillis(1900));
    assertThat(supervisor.children().getFirst().state()).isEqualTo(ChildState.WAITING);
    kit.advance(ofMillis(200));
    assertThat(supervisor.children().getFirst().state()).isEqualTo(ChildState.UP);
  }

  @Test
  void aPendingRestartCanBeCancelled() {
    ChildSpec<Msg> spec = worker("a").withBackoff(Backoff.constant(ofSeconds(10)));
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> a = supervisor.child(spec);
    a.cast(crash());
    kit.run();
    a.cast(new Add(1));
    assertThat(supervisor.cancelPendingRestarts(a)).isEqualTo(1);
    assertThat(kit.expectStopped(a, StopReason.Crashed.class).cause()).hasMessage("crash");
    assertThat(kit.expectDeadLetter(Add.class).reason()).isEqualTo(DeadLetterReason.LEFT_BEHIND);
    kit.advance(ofSeconds(20));
    assertThat(diary).containsExactly("a starts", "a stops");
    assertThat(supervisor.cancelPendingRestarts(a)).isZero();
  }

  @Test
  void stoppingAChildCancelsItsRestart() {
    ChildSpec<Msg> spec = worker("a").withBackoff(Backoff.constant(ofSeconds(10)));
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> a = supervisor.child(spec);
    a.cast(crash());
    kit.run();
    assertThat(supervisor.stop(a)).isTrue();
    kit.advance(ofSeconds(20));
    assertThat(supervisor.children().getFirst().state()).isEqualTo(ChildState.ENDED);
    assertThat(supervisor.pendingRestarts()).isEmpty();
    assertThat(diary).containsExactly("a starts", "a stops");
  }

  @Test
  void oneForAllStopsTheLastFirstAndStartsTheFirstFirst() {
    Supervisor supervisor =
        Supervisor.start(
            kit.system(),
            "sup",
            SupervisorSpec.oneForAll()
                .withChild(worker("a"))
                .withChild(worker("b"))
                .withChild(worker("c")));
    kit.run();
    supervisor.child(worker("b")).cast(crash());
    kit.run();
    assertThat(diary)
        .containsExactly(
            "a starts",
            "b starts",
            "c starts", // first
            "b stops",
            "c stops",
            "a stops", // b has failed already
            "a starts",
            "b starts",
            "c starts");
  }

  @Test
  void restForOneLeavesThoseBeforeAlone() {
    Supervisor supervisor =
        Supervisor.start(
            kit.system(),
            "sup",
            SupervisorSpec.restForOne()
                .withChild(worker("a"))
                .withChild(worker("b"))
                .withChild(worker("c")));
    kit.run();
    diary.clear();
    supervisor.child(worker("b")).cast(crash());
    kit.run();
    assertThat(diary).containsExactly("b stops", "c stops", "b starts", "c starts");
  }

  @Test
  void aGraphRecoversUpstream() {
    SupervisorSpec spec =
        SupervisorSpec.graph(Recovery.UPSTREAM)
            .withChild(worker("a"))
            .withChild(worker("b").withDependsOn("a"))
            .withChild(worker("c").withDependsOn("b"))
            .withChild(worker("d").withDependsOn("a"));
    Supervisor supervisor = Supervisor.start(kit.system(), "sup", spec);
    kit.run();
    diary.clear();
    supervisor.child(worker("b")).cast(crash());
    kit.run();
    assertThat(diary).containsExactly("b stops", "a stops", "a starts", "b starts");
  }

  @Test
  void tooManyRestartsMakeTheSupervisorFailAndTheSystemClose() {
    ChildSpec<Msg> spec = worker("a");
    Supervisor supervisor =
        Supervisor.start(
            kit.system(),
            "sup",
            SupervisorSpec.oneForOne().withChild(spec).withLimit(2, ofSeconds(10)));
    ActorRef<Msg> other = kit.system().spawn("other", () -> new Worker("other", diary));
    ActorRef<Msg> a = supervisor.child(spec);
    for (int i = 0; i < 3; i++) a.cast(crash());
    kit.run();
    StopReason.Crashed gaveUp = kit.expectStopped(supervisor.actor(), StopReason.Crashed.class);
    assertThat(gaveUp.cause())
        .isInstanceOf(SupervisorGaveUpException.class)
        .hasMessageContaining("'a'")
        .hasCauseInstanceOf(IllegalStateException.class);
    kit.expectStopped(a);
    kit.expectStopped(other);
  }

  @Test
  void aSupervisorThatFailsIsStartedAgainByItsOwnAndAddressesStayValid() {
    ChildSpec<Msg> leaf = worker("leaf");
    ChildSpec<SupervisorRequest> inner =
        ChildSpec.supervisor(
            "inner", SupervisorSpec.oneForOne().withChild(leaf).withLimit(RestartLimit.of(0)));
    Supervisor outer =
        Supervisor.start(kit.system(), "outer", SupervisorSpec.oneForOne().withChild(inner));
    ActorRef<Msg> ref = Supervisor.at(outer.child(inner)).child(leaf);
    ref.cast(crash());
    ref.cast(new Add(2));
    assertThat(ref.call(new Total())).isEqualTo(2);
    assertThat(outer.children().getFirst().restarts()).isEqualTo(1);
    assertThat(Supervisor.at(outer.child(inner)).child(leaf)).isSameAs(ref);
  }

  @Test
  void aResumedChildKeepsItsState() {
    ChildSpec<Msg> spec =
        worker("a").withAction(IllegalArgumentException.class, FailureAction.RESUME);
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> a = supervisor.child(spec);
    a.cast(new Add(3));
    a.cast(new Crash(new IllegalArgumentException("no matter")));
    a.cast(new Add(4));
    assertThat(a.call(new Total())).isEqualTo(7);
    assertThat(diary).containsExactly("a starts");
  }

  @Test
  void transientAndTemporaryChildrenEnd() {
    ChildSpec<Msg> transientOne = worker("a").withRestart(RestartType.TRANSIENT);
    ChildSpec<Msg> temporary = worker("b").withRestart(RestartType.TEMPORARY);
    Supervisor supervisor =
        Supervisor.start(
            kit.system(),
            "sup",
            SupervisorSpec.oneForOne().withChild(transientOne).withChild(temporary));
    ActorRef<Msg> a = supervisor.child(transientOne);
    ActorRef<Msg> b = supervisor.child(temporary);
    a.cast(crash());
    b.cast(crash());
    kit.run();
    assertThat(kit.expectStopped(b)).isInstanceOf(StopReason.Crashed.class);
    assertThat(a.call(new Total())).isZero();
    a.cast(new Finish());
    assertThat(kit.expectStopped(a)).isInstanceOf(StopReason.Finished.class);
    assertThat(supervisor.children())
        .singleElement()
        .satisfies(child -> assertThat(child.state()).isEqualTo(ChildState.ENDED));
  }

  @Test
  void theStashSurvives() {
    ChildSpec<Msg> spec = worker("a");
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> a = supervisor.child(spec);
    a.cast(new Stash());
    a.cast(new Add(1));
    a.cast(new Add(2));
    a.cast(crash());
    assertThat(a.call(new Total())).isEqualTo(3);
  }

  @Test
  void aMessageIsTriedAsOftenAsTheSpecSaysAndIsPoisonThen() {
    List<PoisonMessage> poison = new ArrayList<>();
    ChildSpec<Msg> spec = worker("a").withTries(3);
    Supervisor supervisor =
        Supervisor.start(
            kit.system(),
            "sup",
            SupervisorSpec.oneForOne()
                .withChild(spec)
                .withPoisonListener(poison::add)
                .withLimit(RestartLimit.of(10)));
    ActorRef<Msg> a = supervisor.child(spec);
    Crash crash = crash();
    a.cast(crash);
    a.cast(new Add(1));
    assertThat(a.call(new Total())).isEqualTo(1);
    kit.run();
    assertThat(poison).containsExactly(new PoisonMessage(a, crash, 3, crash.cause()));
    assertThat(kit.expectDeadLetter(Crash.class).reason()).isEqualTo(DeadLetterReason.POISON);
    assertThat(kit.system().snapshot().messagesFailed()).isZero();
    assertThat(kit.system().snapshot().crashes()).isEqualTo(3);
  }

  /** It has changed the state that is kept, who knows how far. */
  @Test
  void aMessageAfterWhoseFailureItsActorGoesOnIsNotTriedAgain() {
    List<PoisonMessage> poison = new ArrayList<>();
    ChildSpec<Msg> spec =
        worker("a").withTries(3).withAction(IllegalArgumentException.class, FailureAction.RESUME);
    Supervisor supervisor =
        Supervisor.start(
            kit.system(),
            "sup",
            SupervisorSpec.oneForOne().withChild(spec).withPoisonListener(poison::add));
    ActorRef<Msg> a = supervisor.child(spec);
    a.cast(new Add(1));
    a.cast(new Crash(new IllegalArgumentException("no matter")));
    a.cast(new Add(2));
    assertThat(a.call(new Total())).isEqualTo(3);
    kit.run();
    assertThat(poison).isEmpty();
    assertThat(kit.system().snapshot().crashes()).isEqualTo(1);
    assertThat(kit.system().snapshot().messagesFailed()).isEqualTo(1);
    assertThat(kit.system().snapshot().restarts()).isZero();
  }

  @Test
  void whatIsNotKeptIsADeadLetter() {
    ChildSpec<Msg> spec =
        worker("a").withBackoff(Backoff.constant(ofSeconds(1))).withHeldMessages(2);
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> a = supervisor.child(spec);
    a.cast(crash());
    kit.run();
    for (int i = 0; i < 3; i++) a.cast(new Add(1));
    kit.run();
    assertThat(kit.expectDeadLetter(Add.class).reason()).isEqualTo(DeadLetterReason.HELD_TOO_MANY);
    assertThatThrownBy(() -> a.call(new Total()))
        .isInstanceOf(CalleeStoppedException.class)
        .hasMessageContaining("down");
    kit.advance(ofSeconds(1));
    assertThat(a.call(new Total())).isEqualTo(2);
  }

  @Test
  void aBoundedMailboxKeepsWhatItHasRoomForAndThenDoesWhatItsPolicySays() {
    ActorSpec<Msg> bounded =
        ActorSpec.of(() -> (Actor<Msg>) new Worker("a", diary))
            .withMailbox(MailboxConfig.bounded(3, OverflowPolicy.FAIL));
    ChildSpec<Msg> spec =
        ChildSpec.of("a", bounded)
            .withBackoff(Backoff.constant(ofSeconds(1)))
            .withHeldMessages(1); // of no meaning here
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> a = supervisor.child(spec);
    a.cast(crash());
    kit.run();
    for (int i = 0; i < 3; i++) a.cast(new Add(1));
    assertThatThrownBy(() -> a.cast(new Add(1))).isInstanceOf(MailboxFullException.class);
    kit.advance(ofSeconds(1));
    assertThat(a.call(new Total())).isEqualTo(3);
    assertThat(kit.system().snapshot().deadLettersTotal()).isZero();
  }

  @Test
  void aKilledChildComesBack() {
    ChildSpec<Msg> spec = worker("a");
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> a = supervisor.child(spec);
    a.cast(new Add(1));
    kit.run();
    kit.await(a.kill());
    assertThat(a.call(new Total())).isZero();
  }

  /** Whenever the kill comes: what it hit does not go on, and something answers in the end. */
  @Test
  void aKillIsNotUndoneByResuming() {
    Simulation.runAll(
        SimulationPlan.DEFAULT.withPreempts(false),
        1,
        1_000,
        simulation -> {
          ChildSpec<Msg> spec =
              ChildSpec.of("a", () -> (Actor<Msg>) new Worker("a", new ArrayList<>()))
                  .withAction(IllegalArgumentException.class, FailureAction.RESUME);
          Supervisor supervisor =
              Supervisor.start(
                  simulation.system(),
                  "sup",
                  SupervisorSpec.oneForOne().withChild(spec).withLimit(RestartLimit.NONE));
          ActorRef<Msg> a = supervisor.child(spec);
          a.cast(new Add(7));
          assertThat(a.call(new Total())).isEqualTo(7);
          ActorRef<Msg> other =
              simulation.spawn("other", () -> new Worker("other", new ArrayList<>()));
          a.cast(new Crash(new IllegalArgumentException("no matter")));
          other.call(new Total()); // meanwhile it may have crashed, and wait for the verdict
          a.kill().toCompletableFuture().join();
          assertThat(a.call(new Total())).isZero();
        });
  }

  /** A start that hangs is killed at once where no time to stop is given, however soon. */
  @Test
  void anInitThatHangsIsKilledWhereverTheOrdersFall() {
    Simulation.runAll(
        SimulationPlan.DEFAULT.withPreempts(false),
        1,
        500,
        simulation -> {
          ChildSpec<Msg> spec =
              ChildSpec.of("a", Hanging::new).withStopDeadline(java.time.Duration.ZERO);
          Supervisor supervisor =
              Supervisor.start(
                  simulation.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
          ActorRef<Msg> a = supervisor.child(spec);
          supervisor.restart("a");
          assertThat(supervisor.stop(a)).isTrue();
          assertThat(supervisor.children().getFirst().state()).isEqualTo(ChildState.ENDED);
        });
  }

  private static final class Hanging implements Actor<Msg> {
    @Override
    public void init(Context<Msg> context) throws InterruptedException {
      new java.util.concurrent.CountDownLatch(1).await();
    }

    @Override
    public void receive(Msg message, Context<Msg> context) {}
  }
}
