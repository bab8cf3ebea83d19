package io.turnwise.testkit.supervision;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.HandlerCancelled;
import io.turnwise.StopReason;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.PendingRestart;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.supervision.Family.Hang;
import io.turnwise.testkit.supervision.Family.Life;
import io.turnwise.testkit.supervision.Family.Order;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Restarts take their time, and nobody waits for them. Everything on virtual time. */
class RestartTimingTest extends FamilyTest {
  private static final Duration TICK = ofMillis(2);

  @Test
  void supervisorRestartNonBlocking() {
    ChildSpec<Order> slow = family.child("slow").withBackoff(Backoff.constant(ofSeconds(60)));
    ChildSpec<Order> other = family.child("other");
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(slow).withChild(other));
    ActorRef<Order> a = supervisor.child(slow);
    a.cast(Family.crash());
    kit.run();
    // The supervisor answers, restarts another and starts a third: all at this very moment.
    Duration began = kit.clock().elapsed();
    assertThat(supervisor.pendingRestarts()).extracting(PendingRestart::actor).containsExactly(a);
    supervisor.child(other).cast(Family.crash());
    assertThat(supervisor.child(other).call(new Life())).isEqualTo(2);
    assertThat(supervisor.start(family.child("third")).call(new Life())).isEqualTo(1);
    assertThat(kit.clock().elapsed()).isEqualTo(began);
    assertThat(family.livesOf("slow")).isEqualTo(1);
    kit.advance(ofSeconds(60).plus(TICK));
    assertThat(a.call(new Life())).isEqualTo(2);
  }

  @Test
  void multipleChildrenRestartConcurrent() {
    List<ChildSpec<?>> specs = new ArrayList<>();
    for (int i = 0; i < 100; i++)
      specs.add(family.child("c" + i).withBackoff(Backoff.constant(ofMillis(500))));
    Supervisor supervisor =
        start(SupervisorSpec.oneForOne().withChildren(specs).withLimit(RestartLimit.NONE));
    for (ChildStatus child : supervisor.children()) cast(child.actor());
    kit.run();
    assertThat(supervisor.pendingRestarts()).hasSize(100);
    kit.advance(ofMillis(490));
    assertThat(supervisor.pendingRestarts()).hasSize(100);
    kit.advance(ofMillis(20)); // not a hundred times half a second
    assertThat(supervisor.children())
        .allSatisfy(child -> assertThat(child.state()).isEqualTo(ChildState.UP))
        .allSatisfy(child -> assertThat(child.restarts()).isEqualTo(1));
  }

  @SuppressWarnings("unchecked") // made from specs of such actors
  private static void cast(ActorRef<?> actor) {
    ((ActorRef<Order>) actor).cast(Family.crash());
  }

  @Test
  void cancelRestartOnChildStop() {
    ChildSpec<Order> spec = family.child("a").withBackoff(Backoff.constant(ofSeconds(10)));
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Order> a = supervisor.child(spec);
    a.cast(Family.crash());
    kit.advance(ofSeconds(5));
    assertThat(supervisor.stop(a)).isTrue();
    assertThat(supervisor.pendingRestarts()).isEmpty();
    kit.expectStopped(a);
    kit.advance(ofSeconds(60));
    assertThat(family.livesOf("a")).isEqualTo(1);
    assertThat(supervisor.children().getFirst().state()).isEqualTo(ChildState.ENDED);
  }

  @Test
  void restartBackoffAppliedCorrectly() {
    ChildSpec<Order> spec =
        family
            .child("a")
            .withBackoff(
                Backoff.exponential(ofSeconds(1))
                    .withFactor(3)
                    .withCeiling(ofSeconds(20))
                    .withResetAfter(ofSeconds(100)));
    Supervisor supervisor =
        start(SupervisorSpec.oneForOne().withChild(spec).withLimit(RestartLimit.NONE));
    ActorRef<Order> a = supervisor.child(spec);
    int life = 1;
    for (int delay : new int[] {1, 3, 9, 20, 20}) {
      a.cast(Family.crash());
      kit.advance(ofSeconds(delay).minus(TICK));
      assertThat(family.livesOf("a")).as("after almost %d s", delay).isEqualTo(life);
      kit.advance(TICK.multipliedBy(2));
      assertThat(family.livesOf("a")).as("after %d s", delay).isEqualTo(++life);
    }
    kit.advance(ofSeconds(100)); // it has recovered
    a.cast(Family.crash());
    kit.advance(ofSeconds(1).plus(TICK));
    assertThat(family.livesOf("a")).isEqualTo(++life);
  }

  @Test
  void theTimeThatAChildIsDownBecauseOfAnotherIsNoHealthyOne() {
    ChildSpec<Order> slow = family.child("slow").withBackoff(Backoff.constant(ofSeconds(120)));
    ChildSpec<Order> bad =
        family
            .child("bad")
            .withBackoff(Backoff.exponential(ofSeconds(1)).withResetAfter(ofSeconds(60)));
    Supervisor supervisor =
        start(
            SupervisorSpec.oneForAll().withChild(slow).withChild(bad).withLimit(RestartLimit.NONE));
    for (int i = 0; i < 3; i++) {
      supervisor.child(bad).cast(Family.crash());
      kit.advance(ofSeconds(5));
    }
    supervisor.child(slow).cast(Family.crash());
    family.crashInInit.put("bad", 1); // its fourth failure, after seconds of health
    kit.advance(ofSeconds(120).plus(TICK));
    assertThat(supervisor.pendingRestarts())
        .filteredOn(pending -> pending.actor().path().endsWith("bad"))
        .singleElement()
        .satisfies(pending -> assertThat(pending.dueIn()).isGreaterThan(ofSeconds(7)));
  }

  @Test
  void aHandlerThatTakesLongerThanThirtySecondsEndsItsActorAndTheSupervisorBringsItBack() {
    ChildSpec<Order> plain = family.child("worker");
    ChildSpec<Order> spec =
        ChildSpec.of("worker", plain.actor().withHandlerTimeout(ofSeconds(30), TimeoutAction.STOP));
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Order> worker = supervisor.child(spec);
    worker.cast(new Hang());
    kit.advance(ofSeconds(30).minus(TICK));
    assertThat(supervisor.children().getFirst().restarts()).isZero();
    kit.advance(ofMillis(50));
    assertThat(worker.call(new Life())).isEqualTo(2);
    assertThat(supervisor.children().getFirst().restarts()).isEqualTo(1);
    assertThat(supervisor.children().getFirst().lastReason())
        .isInstanceOfSatisfying(
            StopReason.Crashed.class,
            crashed -> assertThat(crashed.cause()).isInstanceOf(HandlerCancelled.class));
  }
}
