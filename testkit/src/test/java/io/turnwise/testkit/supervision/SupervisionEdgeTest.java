package io.turnwise.testkit.supervision;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Context;
import io.turnwise.StopReason;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorGaveUpException;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.supervision.Family.Finish;
import io.turnwise.testkit.supervision.Family.Hang;
import io.turnwise.testkit.supervision.Family.Life;
import io.turnwise.testkit.supervision.Family.Order;
import io.turnwise.testkit.supervision.Family.StopAndCrash;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Where two things happen to a supervisor or a child at once. */
class SupervisionEdgeTest extends FamilyTest {
  private SupervisorSpec row(SupervisorSpec shape) {
    return shape
        .withChild(family.child("a"))
        .withChild(family.child("b"))
        .withChild(family.child("c"));
  }

  // ---- stop meets crash ------------------------------------------------------------------------

  @Test
  void aChildThatIsAskedToStopWhileItCrashesDoesNotComeBack() {
    ChildSpec<Order> spec = family.child("a").withRestart(RestartType.TRANSIENT);
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Order> a = supervisor.child(spec);
    a.cast(new StopAndCrash(new IllegalStateException("crash")));
    kit.run();
    kit.expectStopped(a);
    assertThat(family.livesOf("a")).isEqualTo(1);
    assertThat(supervisor.children().getFirst().state()).isEqualTo(ChildState.ENDED);
  }

  @Test
  void aChildThatIsAskedToStopWhileItCrashesDoesNotGoOn() {
    ChildSpec<Order> spec =
        family
            .child("a")
            .withRestart(RestartType.TRANSIENT)
            .withAction(IllegalStateException.class, FailureAction.RESUME);
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Order> a = supervisor.child(spec);
    a.cast(new StopAndCrash(new IllegalStateException("crash")));
    kit.run();
    kit.expectStopped(a);
  }

  @Test
  void aPermanentChildThatIsAskedToStopWhileItCrashesComesBackOnce() {
    ChildSpec<Order> spec = family.child("a");
    Supervisor supervisor =
        start(SupervisorSpec.oneForOne().withChild(spec).withLimit(RestartLimit.of(1)));
    ActorRef<Order> a = supervisor.child(spec);
    a.cast(new StopAndCrash(new IllegalStateException("crash")));
    assertThat(a.call(new Life())).isEqualTo(2);
    assertThat(supervisor.children().getFirst().restarts()).isEqualTo(1);
  }

  @Test
  void aChildThatIsAskedToStopWhileItIsTakenDownDoesNotComeBack() {
    ChildSpec<Order> spec = family.child("a").withRestart(RestartType.TRANSIENT);
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Order> a = supervisor.child(spec);
    family.hangInTeardown.add("a");
    a.cast(Family.crash());
    kit.run();
    a.stop();
    kit.run();
    family.openGate();
    kit.run();
    kit.expectStopped(a);
    assertThat(family.livesOf("a")).isEqualTo(1);
  }

  // ---- reasons ---------------------------------------------------------------------------------

  @Test
  void aChildThatDoesNotStopInTimeWasKilled() {
    ChildSpec<Order> spec = family.child("a").withStopDeadline(ofSeconds(2));
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Order> a = supervisor.child(spec);
    a.cast(new Hang());
    kit.run();
    CompletableFuture<StopReason> ended = a.whenStopped().toCompletableFuture();
    supervisor.stop();
    kit.advance(ofMillis(1_990));
    assertThat(ended).isNotDone();
    kit.advance(ofMillis(60));
    assertThat(ended).isCompleted();
    assertThat(ended.join()).isInstanceOf(StopReason.Killed.class);
    assertThat(family.diary).containsExactly("a starts"); // no teardown after a kill
    kit.expectStopped(supervisor.actor());
  }

  @Test
  void aChildThatCrashedOnceTooOftenHasCrashed() {
    ChildSpec<Order> spec = family.child("a");
    Supervisor supervisor =
        start(SupervisorSpec.oneForOne().withChild(spec).withLimit(RestartLimit.of(0)));
    ActorRef<Order> a = supervisor.child(spec);
    a.cast(Family.crash());
    kit.run();
    assertThat(kit.expectStopped(a, StopReason.Crashed.class).cause()).hasMessage("crash");
  }

  @Test
  void theChildrenOfAKilledSupervisorAreKilled() {
    Supervisor supervisor = start(row(SupervisorSpec.oneForOne()));
    ActorRef<Order> a = supervisor.child(family.child("a"));
    ActorRef<Order> b = supervisor.child(family.child("b"));
    ActorRef<Order> c = supervisor.child(family.child("c"));
    family.fresh();
    kit.await(supervisor.actor().kill());
    assertThat(kit.expectStopped(a)).isInstanceOf(StopReason.Killed.class);
    assertThat(kit.expectStopped(b)).isInstanceOf(StopReason.Killed.class);
    assertThat(kit.expectStopped(c)).isInstanceOf(StopReason.Killed.class);
    assertThat(family.diary).isEmpty();
  }

  // ---- deadlines -------------------------------------------------------------------------------

  @Test
  void aCrashedChildWithoutTimeToStopIsNotTakenDown() {
    ChildSpec<Order> spec = family.child("a").withStopDeadline(ZERO);
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Order> a = supervisor.child(spec);
    family.hangInTeardown.add("a");
    a.cast(Family.crash());
    kit.advance(ofSeconds(1));
    assertThat(supervisor.children().getFirst().state()).isEqualTo(ChildState.UP);
    assertThat(a.call(new Life())).isEqualTo(2);
  }

  @Test
  void aChildWithoutTimeToStopEndsForTheReasonItHad() {
    ChildSpec<Order> spec =
        family.child("a").withStopDeadline(ZERO).withRestart(RestartType.TEMPORARY);
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Order> crashed = supervisor.child(spec);
    crashed.cast(Family.crash());
    kit.run();
    assertThat(kit.expectStopped(crashed, StopReason.Crashed.class).cause()).hasMessage("crash");
    ActorRef<Order> finished = supervisor.start(spec);
    finished.cast(new Finish());
    kit.run();
    kit.expectStopped(finished, StopReason.Finished.class);
    assertThat(family.diary).containsExactly("a starts", "a starts"); // no teardown
    ActorRef<Order> running = supervisor.start(spec);
    kit.run();
    supervisor.stop(running);
    kit.expectStopped(running, StopReason.Killed.class);
  }

  @Test
  void whatIsBelowAChildWithoutTimeToStopIsKilled() {
    Supplier<Actor<Order>> parent =
        () ->
            new Actor<>() {
              @Override
              public void init(Context<Order> context) {
                context.spawn("below", family.child("below").actor());
              }

              @Override
              public void receive(Order message, Context<Order> context) {
                throw new IllegalStateException("crash");
              }
            };
    family.hangInTeardown.add("below");
    ChildSpec<Order> spec = ChildSpec.of("a", parent).withStopDeadline(ZERO);
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    supervisor.child(spec).cast(new Finish());
    kit.advance(ofMillis(50));
    assertThat(supervisor.children().getFirst().state()).isEqualTo(ChildState.UP);
    assertThat(family.livesOf("below")).isEqualTo(2);
  }

  @Test
  void theChildrenOfASupervisorWithoutTimeToStopAreKilled() {
    SupervisorSpec below = row(SupervisorSpec.oneForOne()).withLimit(RestartLimit.of(0));
    ChildSpec<SupervisorRequest> inner =
        ChildSpec.supervisor("inner", below).withStopDeadline(ZERO);
    Supervisor outer = start(SupervisorSpec.oneForOne().withChild(inner));
    Supervisor supervisor = Supervisor.at(outer.child(inner));
    ActorRef<Order> a = supervisor.child(family.child("a"));
    a.cast(new Hang());
    supervisor.child(family.child("b")).cast(Family.crash());
    kit.advance(ofMillis(50));
    assertThat(outer.children().getFirst().lastReason())
        .isInstanceOfSatisfying(
            StopReason.Crashed.class,
            crashed -> assertThat(crashed.cause()).isInstanceOf(SupervisorGaveUpException.class));
    assertThat(a.call(new Life())).isEqualTo(2);
  }

  @Test
  void aChildWithoutTimeToStopThatGoesOnIsKilledAllTheSame() {
    ChildSpec<Order> spec =
        family
            .child("a")
            .withStopDeadline(ZERO)
            .withAction(IllegalStateException.class, FailureAction.RESUME);
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Order> a = supervisor.child(spec);
    a.cast(Family.crash());
    assertThat(a.call(new Life())).isEqualTo(1);
    kit.await(a.kill());
    assertThat(a.call(new Life())).isEqualTo(2);
  }

  // ---- supervisors under supervisors -----------------------------------------------------------

  @Test
  void aSupervisorThatGaveUpCannotGoOnAndIsStartedAgainInstead() {
    ChildSpec<Order> leaf = family.child("leaf");
    ChildSpec<SupervisorRequest> inner =
        ChildSpec.supervisor(
                "inner", SupervisorSpec.oneForOne().withChild(leaf).withLimit(RestartLimit.of(0)))
            .withAction(SupervisorGaveUpException.class, FailureAction.RESUME);
    Supervisor outer = start(SupervisorSpec.oneForOne().withChild(inner));
    ActorRef<Order> ref = Supervisor.at(outer.child(inner)).child(leaf);
    ref.cast(Family.crash());
    assertThat(ref.call(new Life())).isEqualTo(2);
  }

  @Test
  void aChildThatIsAddedRightAfterItsSupervisorCameBackLives() {
    ChildSpec<SupervisorRequest> inner =
        ChildSpec.supervisor("inner", SupervisorSpec.dynamic().withLimit(RestartLimit.of(0)));
    Supervisor outer = start(SupervisorSpec.oneForOne().withChild(inner));
    Supervisor dynamic = Supervisor.at(outer.child(inner));
    ActorRef<Order> first = dynamic.start(family.child("x"));
    ActorRef<Order> other = dynamic.start(family.child("y"));
    kit.run();
    other.cast(Family.crash());
    CompletableFuture<ActorRef<?>> added =
        dynamic
            .actor()
            .callAsync(new SupervisorRequest.Start(family.child("x")))
            .toCompletableFuture();
    kit.run();
    kit.expectStopped(first);
    kit.expectStopped(other);
    ActorRef<?> again = added.join();
    assertThat(again).isNotSameAs(first);
    assertThat(dynamic.children())
        .singleElement()
        .satisfies(
            child -> {
              assertThat(child.actor()).isSameAs(again);
              assertThat(child.state()).isEqualTo(ChildState.UP);
            });
  }

  @Test
  void aChildOfAnotherSpecDoesNotTakeThePlaceOfOneThatItsSupervisorStartsWith() {
    ChildSpec<Order> listed = family.child("x");
    ChildSpec<SupervisorRequest> inner =
        ChildSpec.supervisor(
            "inner", SupervisorSpec.oneForOne().withChild(listed).withLimit(RestartLimit.of(0)));
    Supervisor outer = start(SupervisorSpec.oneForOne().withChild(inner));
    Supervisor middle = Supervisor.at(outer.child(inner));
    middle.remove(middle.child(listed));
    ChildSpec<String> another =
        ChildSpec.of(
            "x",
            () ->
                (_, _) -> {
                  throw new IllegalStateException("crash");
                });
    middle.start(another).cast("crash");
    kit.run();
    assertThat(middle.child(listed).call(new Life())).isEqualTo(2);
  }

  @Test
  void whoGaveUpNamesAChildWithoutAName() {
    Supervisor supervisor = start(SupervisorSpec.dynamic().withLimit(RestartLimit.of(0)));
    ActorRef<String> child =
        supervisor.start(
            ChildSpec.of(
                () ->
                    (_, _) -> {
                      throw new IllegalStateException("crash");
                    }));
    child.cast("crash");
    kit.run();
    StopReason.Crashed gaveUp = kit.expectStopped(supervisor.actor(), StopReason.Crashed.class);
    assertThat(gaveUp.cause()).hasMessageContaining(child.name());
  }

  // ---- counts ----------------------------------------------------------------------------------

  @Test
  void whoIsStartedAgainWithOthersIsCountedToo() {
    Supervisor supervisor = start(row(SupervisorSpec.oneForAll()));
    supervisor.child(family.child("b")).cast(Family.crash());
    kit.run();
    assertThat(supervisor.children()).extracting(ChildStatus::restarts).containsExactly(1, 1, 1);
  }

  @Test
  void whoWaitsForItsRestartWithOthersIsPendingToo() {
    Supervisor supervisor =
        start(
            SupervisorSpec.oneForAll()
                .withChild(family.child("a"))
                .withChild(family.child("b").withBackoff(Backoff.constant(ofSeconds(5)))));
    supervisor.child(family.child("b")).cast(Family.crash());
    kit.run();
    assertThat(supervisor.pendingRestarts()).hasSize(2);
  }

  @Test
  void aWindowThatNoClockCanMeasureIsRefused() {
    assertThatThrownBy(() -> new RestartLimit(1, Duration.ofDays(1_000_000)))
        .hasMessageContaining("RestartLimit.window");
  }

  @Test
  void aSupervisorThatIsTakenDownBeforeItHasBegunAnewKeepsItsChildren() {
    ChildSpec<Order> worker =
        family.child("worker").withAction(IllegalStateException.class, FailureAction.ESCALATE);
    ChildSpec<SupervisorRequest> middle =
        ChildSpec.supervisor("middle", SupervisorSpec.oneForOne().withChild(worker))
            .withBackoff(Backoff.constant(ofSeconds(10)));
    Supervisor top = start(SupervisorSpec.oneForOne().withChild(middle));
    ActorRef<Order> a = Supervisor.at(top.child(middle)).child(worker);
    a.cast(Family.crash());
    kit.run();
    // The first lets it begin, the second stops it again: both before it has had a turn.
    top.actor().callAsync(new SupervisorRequest.Restart("middle"));
    top.actor().callAsync(new SupervisorRequest.Restart("middle"));
    kit.run();
    assertThat(a.call(new Life())).isEqualTo(2);
  }
}
