package io.turnwise.testkit.supervision;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.LinkedActorEndedException;
import io.turnwise.StopReason;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.Probe;
import io.turnwise.testkit.Testkit;
import io.turnwise.testkit.VirtualTestkit;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Actors that are linked end together; names and the tree follow what comes back. */
class LinkTest {
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

  record Do(Consumer<Context<Msg>> what) implements Msg {}

  record Ping() implements Msg, Call<Msg, String> {}

  private static final class Doer implements Actor<Msg> {
    @Override
    public void receive(Msg message, Context<Msg> context) {
      switch (message) {
        case Do(Consumer<Context<Msg>> what) -> what.accept(context);
        case Ping ping -> context.reply(ping, "pong");
      }
    }
  }

  private final VirtualTestkit kit = Testkit.onVirtualTime();

  @AfterEach
  void close() {
    kit.allowCrashes();
    kit.allowDeadLetters();
    kit.close();
  }

  private ActorRef<Msg> doer(String name) {
    return kit.system().spawn(name, Doer::new);
  }

  private static Do crash() {
    return new Do(
        _ -> {
          throw new IllegalStateException("crash");
        });
  }

  private static Do linkTo(ActorRef<?> other) {
    return new Do(context -> context.link(other));
  }

  @Test
  void aCrashEndsBothWhoeverLinkedWhom() {
    ActorRef<Msg> a = doer("a");
    ActorRef<Msg> b = doer("b");
    ActorRef<Msg> c = doer("c");
    a.cast(linkTo(b));
    c.cast(linkTo(b));
    kit.run();
    b.cast(crash());
    kit.run();
    for (ActorRef<Msg> linked : java.util.List.of(a, c))
      assertThat(kit.expectStopped(linked, StopReason.Crashed.class).cause())
          .isInstanceOf(LinkedActorEndedException.class)
          .hasMessageContaining(b.path())
          .hasRootCauseMessage("crash");
  }

  @Test
  void theOneThatLinkedPullsTheOtherDown() {
    ActorRef<Msg> a = doer("a");
    ActorRef<Msg> b = doer("b");
    a.cast(linkTo(b));
    a.cast(crash());
    kit.run();
    kit.expectStopped(b, StopReason.Crashed.class);
  }

  @Test
  void anEndOfItsOwnAccordUntiesThem() {
    ActorRef<Msg> a = doer("a");
    ActorRef<Msg> b = doer("b");
    a.cast(linkTo(b));
    b.cast(new Do(Context::stop));
    kit.run();
    assertThat(a.call(new Ping())).isEqualTo("pong");
  }

  @Test
  void anOrderToStopIsForBoth() {
    ActorRef<Msg> a = doer("a");
    ActorRef<Msg> b = doer("b");
    a.cast(linkTo(b));
    kit.run();
    b.stop();
    assertThat(kit.expectStopped(a)).isInstanceOf(StopReason.ShutDown.class);
  }

  @Test
  void unlinkedActorsEndAlone() {
    ActorRef<Msg> a = doer("a");
    ActorRef<Msg> b = doer("b");
    a.cast(linkTo(b));
    kit.run();
    b.cast(new Do(context -> context.unlink(a)));
    kit.run();
    a.cast(crash());
    kit.run();
    assertThat(b.call(new Ping())).isEqualTo("pong");
  }

  @Test
  void aLinkToOneThatHasEndedEndsTheOther() {
    ActorRef<Msg> a = doer("a");
    ActorRef<Msg> b = doer("b");
    b.cast(crash());
    kit.run();
    a.cast(linkTo(b));
    kit.run();
    kit.expectStopped(a, StopReason.Crashed.class);
  }

  @Test
  void nobodyIsLinkedToItself() {
    ActorRef<Msg> a = doer("a");
    a.cast(new Do(context -> context.link(context.self())));
    assertThat(kit.expectStopped(a, StopReason.Crashed.class).cause())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/test/a");
  }

  @Test
  void linkedChildrenComeBackTogetherAndUnlinked() {
    ChildSpec<Msg> one = ChildSpec.of("one", Doer::new);
    ChildSpec<Msg> two = ChildSpec.of("two", Doer::new);
    Supervisor supervisor =
        Supervisor.start(
            kit.system(), "sup", SupervisorSpec.oneForOne().withChild(one).withChild(two));
    ActorRef<Msg> first = supervisor.child(one);
    ActorRef<Msg> second = supervisor.child(two);
    first.cast(linkTo(second));
    first.cast(crash());
    kit.run();
    assertThat(supervisor.children()).allMatch(child -> child.restarts() == 1);
    first.cast(crash());
    kit.run();
    assertThat(supervisor.children().get(0).restarts()).isEqualTo(2);
    assertThat(supervisor.children().get(1).restarts()).isEqualTo(1);
  }

  @Test
  void aLinkToAChildThatIsNotStartedYetIsOneToItsFirstLife() {
    var starts = new AtomicInteger();
    Supplier<Actor<Msg>> failsOnce =
        () -> {
          if (starts.getAndIncrement() == 0) throw new IllegalStateException("not yet");
          return new Doer();
        };
    ChildSpec<Msg> first =
        ChildSpec.of("first", failsOnce).withBackoff(Backoff.constant(ofSeconds(10)));
    ChildSpec<Msg> second = ChildSpec.of("second", Doer::new);
    Supervisor supervisor =
        Supervisor.start(
            kit.system(), "sup", SupervisorSpec.restForOne().withChild(first).withChild(second));
    ActorRef<Msg> unborn = supervisor.child(second);
    ActorRef<Msg> a = doer("a");
    a.cast(linkTo(unborn));
    kit.run();
    assertThat(a.call(new Ping())).isEqualTo("pong");
    kit.advance(ofSeconds(11));
    assertThat(unborn.call(new Ping())).isEqualTo("pong");
    assertThat(a.call(new Ping())).isEqualTo("pong");
    unborn.cast(crash());
    kit.expectStopped(a, StopReason.Crashed.class);
  }

  /**
   * One crashes, comes back and waits; then the other, which has not heard of it, crashes and comes
   * back. Now the first links itself anew: that the other's former life has ended is no matter.
   */
  @Test
  void theEndOfALifeDoesNotReachOneThatIsLinkedToTheNext() {
    Probe<Wait> gate = kit.probe("gate");
    ChildSpec<Msg> one = ChildSpec.of("one", Doer::new);
    ChildSpec<Msg> two = ChildSpec.of("two", Doer::new);
    Supervisor supervisor =
        Supervisor.start(
            kit.system(),
            "sup",
            SupervisorSpec.oneForOne().withChild(one).withChild(two).withLimit(RestartLimit.NONE));
    ActorRef<Msg> a = supervisor.child(one);
    ActorRef<Msg> b = supervisor.child(two);
    a.cast(linkTo(b));
    kit.run();
    b.cast(
        new Do(
            _ -> {
              gate.ref().call(new Wait("b"));
              throw new IllegalStateException("crash");
            }));
    Wait ofB = gate.expect(new Wait("b"));
    a.cast(crash());
    a.cast(
        new Do(
            context -> {
              gate.ref().call(new Wait("a"));
              context.link(b);
            }));
    Wait ofA = gate.expect(new Wait("a"));
    gate.reply(ofB, true);
    kit.run();
    assertThat(b.call(new Ping())).as("its second life").isEqualTo("pong");
    gate.reply(ofA, true);
    kit.run();
    assertThat(supervisor.children()).allMatch(child -> child.restarts() == 1);
    b.cast(crash()); // and this one does
    kit.run();
    assertThat(supervisor.children()).allMatch(child -> child.restarts() == 2);
  }

  private record Wait(String who) implements Call<Wait, Boolean> {}

  /** Whenever the other ends, before, while or after it is linked to: both end. */
  @Test
  void noLinkIsLostWhicheverWayItFalls() {
    Simulation.runAll(
        SimulationPlan.DEFAULT,
        1,
        2_000,
        simulation -> {
          ActorRef<Msg> a = simulation.spawn("a", Doer::new);
          ActorRef<Msg> b = simulation.spawn("b", Doer::new);
          a.cast(linkTo(b));
          b.cast(crash());
          StopReason reason = a.whenStopped().toCompletableFuture().join();
          assertThat(reason).isInstanceOf(StopReason.Crashed.class);
        });
  }

  @Test
  void whoIsResumedHasNotEndedAndKeepsItsLinks() {
    ChildSpec<Msg> spec =
        ChildSpec.of("one", Doer::new)
            .withAction(IllegalStateException.class, FailureAction.RESUME);
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> one = supervisor.child(spec);
    ActorRef<Msg> a = doer("a");
    ActorRef<Msg> b = doer("b");
    one.cast(linkTo(a));
    b.cast(linkTo(one));
    kit.run();
    one.cast(crash());
    kit.run();
    assertThat(a.call(new Ping())).isEqualTo("pong");
    assertThat(b.call(new Ping())).isEqualTo("pong");
    one.kill(); // and this is an end
    kit.run();
    kit.expectStopped(a, StopReason.Crashed.class);
    kit.expectStopped(b, StopReason.Crashed.class);
  }

  /** The other ends before, while or after this one crashes and goes on: both end. */
  @Test
  void whoIsResumedWhileTheOtherEndsEndsWithIt() {
    Simulation.runAll(
        SimulationPlan.DEFAULT,
        1,
        2_000,
        simulation -> {
          ChildSpec<Msg> spec =
              ChildSpec.of("one", Doer::new)
                  .withRestart(RestartType.TEMPORARY)
                  .withAction(IllegalStateException.class, FailureAction.RESUME);
          Supervisor supervisor =
              Supervisor.start(
                  simulation.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
          ActorRef<Msg> one = supervisor.child(spec);
          ActorRef<Msg> other = simulation.spawn("other", Doer::new);
          CompletableFuture<StopReason> end = one.whenStopped().toCompletableFuture();
          boolean isLinker = simulation.seed() % 2 == 0;
          if (isLinker) one.cast(linkTo(other));
          else other.cast(linkTo(one));
          one.cast(crash());
          other.cast(crash());
          assertThat(end.join()).isInstanceOf(StopReason.Crashed.class);
        });
  }

  @Test
  void whoIsLinkedToAChildThatIsNeverStartedLearnsOfItsEnd() {
    ChildSpec<Msg> second = ChildSpec.of("second", Doer::new);
    Supervisor supervisor = Supervisor.start(kit.system(), "sup", failsFirst().withChild(second));
    ActorRef<Msg> unborn = supervisor.child(second);
    ActorRef<Msg> a = doer("a");
    a.cast(linkTo(unborn));
    kit.run();
    supervisor.stop(unborn);
    kit.run();
    kit.expectStopped(a, StopReason.ShutDown.class);
  }

  /** A row whose first child takes its time. */
  private static SupervisorSpec failsFirst() {
    Supplier<Actor<Msg>> fails =
        () -> {
          throw new IllegalStateException("not yet");
        };
    return SupervisorSpec.restForOne()
        .withChild(ChildSpec.of("first", fails).withBackoff(Backoff.constant(ofSeconds(10))));
  }

  @Test
  void aRegisteredNameFollowsRestartsAndIsFreeInTheEnd() {
    ChildSpec<Msg> spec = ChildSpec.of("one", Doer::new);
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Msg> one = supervisor.child(spec);
    kit.system().register("the-one", one);
    one.cast(crash());
    kit.run();
    assertThat(kit.system().registered("the-one").orElseThrow()).isSameAs(one);
    assertThatThrownBy(() -> kit.system().register("the-one", doer("other")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("/test/sup/one");
    supervisor.stop(one);
    assertThat(kit.system().registered("the-one")).isEmpty();
    assertThatThrownBy(() -> kit.system().register("too-late", one))
        .isInstanceOf(IllegalStateException.class);
    assertThat(kit.system().registered("too-late")).isEmpty();
    ActorRef<Msg> next = doer("next");
    kit.system().register("the-one", next);
    assertThat(kit.system().unregister("the-one")).isTrue();
    assertThat(kit.system().unregister("the-one")).isFalse();
  }

  @Test
  void theTreeShowsWhoIsDownAndWhenItComesBack() {
    ChildSpec<Msg> one = ChildSpec.of("one", Doer::new);
    ChildSpec<Msg> two =
        ChildSpec.of("two", Doer::new).withBackoff(Backoff.constant(ofSeconds(90)));
    Supervisor supervisor =
        Supervisor.start(
            kit.system(), "sup", SupervisorSpec.oneForOne().withChild(one).withChild(two));
    doer("alone");
    supervisor.child(one).cast(crash());
    supervisor.child(two).cast(crash());
    kit.run();
    assertThat(kit.system().tree())
        .isEqualTo(
            """
            test
            ├─ alone  RECEIVING
            └─ sup  RECEIVING
               ├─ one  RECEIVING, 1 restart
               └─ two  RESTARTING, next in 90.0 s
            """);
  }
}
