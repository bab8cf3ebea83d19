package io.turnwise.testkit.supervision;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.ActorRef;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.supervision.Family.Finish;
import io.turnwise.testkit.supervision.Family.Order;
import org.junit.jupiter.api.Test;

/** Each stops after all behind it, and starts after all before it, whoever of them is there. */
class SupervisionOrderTest extends FamilyTest {
  private SupervisorSpec row(SupervisorSpec shape) {
    return shape
        .withChild(family.child("a"))
        .withChild(family.child("b"))
        .withChild(family.child("c"));
  }

  @Test
  void theLastStopsFirstAlsoWhereOneBetweenHasEnded() {
    Supervisor supervisor = start(row(SupervisorSpec.oneForOne()));
    supervisor.stop(supervisor.child(family.child("b")));
    family.hangInTeardown.add("c");
    family.fresh();
    supervisor.stop();
    kit.run();
    assertThat(family.diary).containsExactly("c lingers");
    family.openGate();
    kit.run();
    assertThat(family.diary).containsExactly("c lingers", "c stops", "a stops");
  }

  @Test
  void theLastStopsFirstAlsoWhereOneBetweenWaitsForItsRestart() {
    Supervisor supervisor =
        start(
            SupervisorSpec.oneForOne()
                .withChild(family.child("a"))
                .withChild(family.child("b").withBackoff(Backoff.constant(ofSeconds(60))))
                .withChild(family.child("c")));
    supervisor.child(family.child("b")).cast(Family.crash());
    kit.run();
    family.hangInTeardown.add("c");
    family.fresh();
    supervisor.stop();
    kit.run();
    assertThat(family.diary).containsExactly("c lingers");
    family.openGate();
    kit.run();
    assertThat(family.diary).containsExactly("c lingers", "c stops", "a stops");
  }

  @Test
  void theFirstOfAllWaitsForTheLastAlsoWhenTheMiddleOneIsDownAlready() {
    Supervisor supervisor = start(row(SupervisorSpec.oneForAll()));
    family.hangInTeardown.add("c");
    family.fresh();
    supervisor.child(family.child("b")).cast(Family.crash());
    kit.run();
    assertThat(family.diary).containsExactly("b stops", "c lingers");
    family.openGate();
    kit.run();
    assertThat(family.diary)
        .containsExactly(
            "b stops", "c lingers", "c stops", "a stops", "a starts", "b starts", "c starts");
  }

  @Test
  void theFirstWaitsForTheLastAlsoWhenATemporaryOneBetweenIsForgotten() {
    Supervisor supervisor =
        start(
            SupervisorSpec.oneForAll()
                .withChild(family.child("a"))
                .withChild(family.child("b").withRestart(RestartType.TEMPORARY))
                .withChild(family.child("c"))
                .withChild(family.child("d")));
    family.hangInTeardown.add("d");
    family.fresh();
    supervisor.child(family.child("c")).cast(Family.crash());
    ActorRef<Order> b = supervisor.child(family.child("b"));
    b.cast(new Finish());
    kit.run();
    assertThat(family.diary).containsExactly("c stops", "d lingers", "b stops");
    family.openGate();
    kit.run();
    assertThat(family.diary)
        .containsExactly(
            "c stops",
            "d lingers",
            "b stops",
            "d stops",
            "a stops",
            "a starts",
            "c starts",
            "d starts");
  }

  @Test
  void theNextStartsWhenTheOneBeforeIsUpAlsoWhereOneBetweenHasEnded() {
    Supervisor supervisor = start(row(SupervisorSpec.oneForAll()));
    supervisor.stop(supervisor.child(family.child("b")));
    family.hangInInit.add("a");
    family.fresh();
    supervisor.child(family.child("c")).cast(Family.crash());
    kit.run();
    assertThat(family.diary).containsExactly("c stops", "a stops", "a hangs");
    family.openGate();
    kit.run();
    assertThat(family.diary)
        .containsExactly("c stops", "a stops", "a hangs", "a starts", "c starts");
  }

  @Test
  void thoseThatDoNotDependOnEachOtherStartTogether() {
    family.hangInInit.add("b");
    family.hangInInit.add("c");
    start(
        SupervisorSpec.graph(Recovery.ONE)
            .withChild(family.child("d").withDependsOn("b", "c"))
            .withChild(family.child("b").withDependsOn("a"))
            .withChild(family.child("c").withDependsOn("a"))
            .withChild(family.child("e"))
            .withChild(family.child("a")));
    assertThat(family.diary)
        .containsExactlyInAnyOrder("e starts", "a starts", "b hangs", "c hangs");
    family.openGate();
    kit.run();
    assertThat(family.diary).hasSize(7).endsWith("d starts");
  }

  @Test
  void whoDependsOnAChildThatWasRemovedDependsOnTheNextOfItsName() {
    ChildSpec<Order> a = family.child("a");
    ChildSpec<Order> b = family.child("b").withDependsOn("a");
    Supervisor supervisor =
        start(SupervisorSpec.graph(Recovery.DOWNSTREAM).withChild(a).withChild(b));
    supervisor.remove(supervisor.child(a));
    family.fresh();
    supervisor.start(a).cast(Family.crash());
    kit.run();
    assertThat(family.diary)
        .containsExactly("a starts", "a stops", "b stops", "a starts", "b starts");
    family.fresh();
    supervisor.stop();
    kit.run();
    assertThat(family.diary).containsExactly("b stops", "a stops");
  }

  @Test
  void whoComesBackInOrderToDependOnThoseThatDependOnItIsRefused() {
    Supervisor supervisor =
        start(
            SupervisorSpec.graph(Recovery.DOWNSTREAM)
                .withChild(family.child("a"))
                .withChild(family.child("b").withDependsOn("a"))
                .withChild(family.child("c").withDependsOn("b")));
    supervisor.remove(supervisor.child(family.child("a")));
    assertThatThrownBy(() -> supervisor.start(family.child("a").withDependsOn("c")))
        .hasStackTraceContaining("ChildSpec 'a': dependsOn leads back to it: a -> c -> b -> a.")
        .hasStackTraceContaining("DEPENDENCY-CIRCLE");
    supervisor.remove(supervisor.child(family.child("b")));
    kit.run();
    assertThat(supervisor.start(family.child("a").withDependsOn("c"))).isNotNull();
  }

  @Test
  void aLongRowWhoseChildrenNeverStartedStops() {
    SupervisorSpec spec = SupervisorSpec.oneForOne();
    var children = new java.util.ArrayList<ChildSpec<?>>();
    for (int i = 0; i < 20_000; i++) children.add(family.child("c" + i));
    family.hangInInit.add("c0");
    Supervisor supervisor = start(spec.withChildren(children));
    supervisor.stop();
    kit.advance(ChildSpec.DEFAULT_STOP_DEADLINE);
    kit.expectStopped(supervisor.actor());
    assertThat(family.diary).containsExactly("c0 hangs");
  }

  @Test
  void childrenThatAreAddedStartBehindThoseThatHaveNotStartedYet() {
    family.hangInInit.add("a");
    Supervisor supervisor = start(row(SupervisorSpec.oneForOne()));
    supervisor.start(family.child("d"));
    supervisor.start(family.child("e"));
    kit.run();
    assertThat(family.diary).containsExactly("a hangs");
    family.openGate();
    kit.run();
    assertThat(family.diary)
        .containsExactly("a hangs", "a starts", "b starts", "c starts", "d starts", "e starts");
  }
}
