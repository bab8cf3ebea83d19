package io.turnwise.testkit.supervision;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.CallTimeoutException;
import io.turnwise.CalleeFailedException;
import io.turnwise.CalleeStoppedException;
import io.turnwise.Context;
import io.turnwise.StopReason;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.supervision.Family.Crash;
import io.turnwise.testkit.supervision.Family.Life;
import io.turnwise.testkit.supervision.Family.Order;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What a supervisor tells those who ask it, also when they ask for what cannot be. */
class SupervisorAnswersTest extends FamilyTest {
  private ChildSpec<Order> nowhere(String name) {
    return ChildSpec.of(
        name, ActorSpec.of(family.child(name).actor().factory()).withDispatcher("no"));
  }

  // ---- what cannot be --------------------------------------------------------------------------

  @Test
  void aChildThatCannotBeMadeIsRefusedByNameAndLeavesNoTrace() {
    ChildSpec<Order> a = family.child("a");
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(a));
    assertThatThrownBy(() -> supervisor.start(nowhere("b")))
        .isInstanceOf(CalleeFailedException.class)
        .cause()
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ChildSpec 'b': actor: ")
        .hasMessageContaining("no dispatcher 'no'");
    assertThat(supervisor.children()).extracting(c -> c.actor().name()).containsExactly("a");
    assertThat(supervisor.child("b")).isEmpty();
    // Neither what follows nor the end finds half a child.
    assertThat(supervisor.start(family.child("b")).call(new Life())).isEqualTo(1);
    supervisor.child(a).cast(Family.crash());
    assertThat(supervisor.child(a).call(new Life())).isEqualTo(2);
    supervisor.stop();
    kit.expectStopped(supervisor.actor());
  }

  @Test
  void aSupervisorWithAChildThatCannotBeMadeIsRefusedWhereItIsStarted() {
    SupervisorSpec spec = SupervisorSpec.oneForOne().withChild(nowhere("b"));
    assertThatThrownBy(() -> Supervisor.start(kit.system(), "sup", spec))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ChildSpec 'b': actor: ");
    assertThat(kit.system().find("sup")).isEmpty();
  }

  @Test
  void whoCannotBeAnsweredIsToldWhatToDo() {
    ChildSpec<Order> spec =
        family.child("a").withBackoff(Backoff.constant(ofSeconds(60))).withHeldMessages(1);
    ActorRef<Order> a = start(SupervisorSpec.oneForOne().withChild(spec)).child(spec);
    a.cast(Family.crash());
    assertThatThrownBy(() -> a.call(new Life(), ofSeconds(10)))
        .isInstanceOf(CallTimeoutException.class)
        .hasMessageContaining("/test/sup/a is RESTARTING")
        .hasMessageContaining("down until its restart")
        .hasMessageNotContaining("stack");
    assertThatThrownBy(() -> a.call(new Life())) // that one is kept
        .isInstanceOf(CalleeStoppedException.class)
        .hasMessageContaining("keeps no more")
        .hasMessageContaining("raise ChildSpec.heldMessages");
  }

  @Test
  void whoWaitsInVainForChildrenToComeUpIsToldWhichAreNotAndWhy() {
    ChildSpec<Order> broken =
        failingToStart("broken").withBackoff(Backoff.constant(Duration.ofHours(1)));
    Supervisor supervisor =
        start(
            SupervisorSpec.graph(Recovery.ONE)
                .withChild(family.child("fine"))
                .withChild(broken)
                .withChild(family.child("behind").withDependsOn("broken")));
    assertThatThrownBy(() -> supervisor.awaitUp(ofSeconds(1)))
        .isInstanceOfSatisfying(
            CallTimeoutException.class, e -> assertThat(e.timeout()).isEqualTo(ofSeconds(1)))
        .hasMessageContainingAll(
            "Supervisor /test/sup is not up after 1000 ms. [CALL-TIMEOUT]",
            "broken is WAITING, and ended last with Crashed",
            "no file",
            "behind is WAITING",
            "next:")
        .hasMessageNotContainingAny("fine", "stack")
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void whoWaitsForChildrenOfASupervisorThatGivesUpIsToldWhy() {
    SupervisorSpec spec = SupervisorSpec.oneForOne().withChild(failingToStart("broken"));
    Supervisor supervisor =
        Supervisor.start(kit.system(), "sup", spec.withLimit(RestartLimit.of(2)));
    assertThatThrownBy(() -> supervisor.awaitUp(ofSeconds(1)))
        .isInstanceOf(CalleeStoppedException.class)
        .hasMessageContaining("more than 2 restarts")
        .hasRootCauseMessage("no file");
    assertThatThrownBy(supervisor::children) // afterwards as well
        .isInstanceOf(CalleeStoppedException.class)
        .hasMessageContaining("it has crashed: ")
        .hasMessageContaining("more than 2 restarts")
        .hasRootCauseMessage("no file");
  }

  @Test
  void whoWaitsForChildrenOfASupervisorThatIsStoppedIsTold() {
    ChildSpec<Order> broken =
        failingToStart("broken").withBackoff(Backoff.constant(Duration.ofHours(1)));
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(broken));
    CompletionStage<Boolean> up = supervisor.actor().callAsync(new SupervisorRequest.AwaitUp());
    kit.run();
    supervisor.stop();
    kit.run();
    assertThatThrownBy(() -> kit.await(up)).hasStackTraceContaining("CalleeStoppedException");
  }

  private static ChildSpec<Order> failingToStart(String name) {
    return ChildSpec.of(
        name,
        () ->
            new Actor<>() {
              @Override
              public void init(Context<Order> context) throws IOException {
                throw new IOException("no file");
              }

              @Override
              public void receive(Order order, Context<Order> context) {}
            });
  }

  @Test
  void whatIsNullIsNamed() {
    Supervisor supervisor = start(SupervisorSpec.oneForOne());
    assertThatThrownBy(() -> supervisor.stop(null)).hasMessageContaining("stop: the child");
    assertThatThrownBy(() -> supervisor.remove(null)).hasMessageContaining("remove: the child");
    assertThatThrownBy(() -> supervisor.child((String) null)).hasMessageContaining("the name");
    assertThatThrownBy(() -> supervisor.restart((String) null)).hasMessageContaining("the name");
    assertThatThrownBy(() -> supervisor.restart((ActorRef<?>) null))
        .hasMessageContaining("restart: the child");
    assertThatThrownBy(() -> supervisor.cancelPendingRestarts(null))
        .hasMessageContaining("cancelPendingRestarts: the child");
  }

  @Test
  void aChildCanBeStartedAgainByItsAddress() {
    Supervisor supervisor = start(SupervisorSpec.dynamic().withLimit(RestartLimit.of(0)));
    ChildSpec<Order> spec = ChildSpec.of(family.child("a").actor());
    ActorRef<Order> a = supervisor.start(spec.withBackoff(Backoff.constant(ofSeconds(60))));
    kit.run();
    assertThat(supervisor.restart(a)).isTrue();
    assertThat(a.call(new Life())).isEqualTo(2);
    assertThat(supervisor.children())
        .singleElement()
        .satisfies(child -> assertThat(child.actor()).isSameAs(a));
    assertThat(supervisor.stop(a)).isTrue();
    assertThat(supervisor.restart(a)).isFalse();
    assertThat(supervisor.restart(supervisor.actor())).as("no child of its").isFalse();
  }

  @Test
  void aChildThatWaitsForItsRestartCanBeStartedNow() {
    ChildSpec<Order> spec = family.child("a").withBackoff(Backoff.constant(ofSeconds(60)));
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<Order> a = supervisor.child(spec);
    a.cast(Family.crash());
    kit.run();
    assertThat(supervisor.restart(a)).isTrue();
    Duration before = kit.clock().elapsed();
    assertThat(a.call(new Life())).isEqualTo(2);
    assertThat(kit.clock().elapsed()).isEqualTo(before);
    assertThat(supervisor.pendingRestarts()).isEmpty();
  }

  @Test
  void childrenMayAskItWhileTheyStart() {
    List<Supervisor> known = new ArrayList<>();
    List<ChildState> seen = new ArrayList<>();
    ChildSpec<Order> curious =
        ChildSpec.of(
            "curious",
            () -> {
              seen.add(known.getFirst().children().getFirst().state());
              return (_, _) -> {};
            });
    known.add(Supervisor.start(kit.system(), "sup", SupervisorSpec.oneForOne().withChild(curious)));
    kit.run();
    assertThat(seen).containsExactly(ChildState.STARTING);
  }

  // ---- counts and reasons ----------------------------------------------------------------------

  @Test
  void restartsAreCountedForAnAddressAndTheTreeSaysTheSame() {
    ChildSpec<Order> leaf = family.child("leaf");
    ChildSpec<SupervisorRequest> inner =
        ChildSpec.supervisor(
            "inner", SupervisorSpec.oneForOne().withChild(leaf).withLimit(RestartLimit.of(1)));
    Supervisor outer = start(SupervisorSpec.oneForOne().withChild(inner));
    Supervisor middle = Supervisor.at(outer.child(inner));
    ActorRef<Order> ref = middle.child(leaf);
    for (int i = 0; i < 2; i++) { // the second is one too many, and restarts them both
      ref.cast(Family.crash());
      kit.run();
    }
    assertThat(middle.child(leaf)).isSameAs(ref);
    assertThat(middle.children()).extracting(ChildStatus::restarts).containsExactly(2);
    assertThat(kit.system().tree()).contains("leaf  RECEIVING, 2 restarts");
    // Another actor, under another address, has not been restarted.
    assertThat(middle.stop(ref)).isTrue();
    assertThat(middle.children()).extracting(ChildStatus::restarts).containsExactly(2);
    middle.restart("leaf");
    kit.run();
    assertThat(middle.children()).extracting(ChildStatus::restarts).containsExactly(0);
    assertThat(kit.system().tree()).contains("leaf  RECEIVING\n");
  }

  @Test
  void theTreeTellsWhoIsNotStartedYetFromWhoComesBack() {
    family.crashInInit.put("a", 1);
    Supervisor unused =
        start(
            SupervisorSpec.oneForOne()
                .withChild(family.child("a").withBackoff(Backoff.constant(ofSeconds(5))))
                .withChild(family.child("b")));
    assertThat(kit.system().tree())
        .contains("a  RESTARTING, next in 5.0 s\n")
        .contains("b  STARTING\n");
    kit.advance(ofSeconds(6));
    assertThat(kit.system().tree()).contains("a  RECEIVING, 1 restart\n", "b  RECEIVING\n");
  }

  @Test
  void whoWasResumedHasNotEnded() {
    ChildSpec<Order> spec =
        family.child("a").withAction(IllegalArgumentException.class, FailureAction.RESUME);
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    supervisor.child(spec).cast(new Crash(new IllegalArgumentException("no matter")));
    kit.run();
    assertThat(supervisor.children().getFirst())
        .isEqualTo(new ChildStatus(supervisor.child(spec), ChildState.UP, 0, null));
    supervisor.child(spec).cast(Family.crash());
    kit.run();
    assertThat(supervisor.children().getFirst().lastReason())
        .isInstanceOf(StopReason.Crashed.class);
  }

  @Test
  void whoWasStartedAgainWithAnotherEndedByItsSupervisor() {
    ChildSpec<Order> a = family.child("a");
    Supervisor supervisor =
        start(SupervisorSpec.oneForAll().withChild(a).withChild(family.child("b")));
    supervisor.child(a).cast(Family.crash());
    kit.run();
    assertThat(supervisor.children())
        .extracting(ChildStatus::lastReason)
        .satisfiesExactly(
            reason -> assertThat(reason).isInstanceOf(StopReason.Crashed.class),
            reason -> assertThat(reason).isEqualTo(new StopReason.ShutDown("its supervisor")));
  }
}
