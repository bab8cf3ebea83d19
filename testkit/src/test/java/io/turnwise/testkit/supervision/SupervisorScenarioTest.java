package io.turnwise.testkit.supervision;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.CalleeFailedException;
import io.turnwise.Context;
import io.turnwise.StopReason;
import io.turnwise.supervision.AutoShutdown;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.Recovery;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorGaveUpException;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.supervision.Family.Finish;
import io.turnwise.testkit.supervision.Family.Hang;
import io.turnwise.testkit.supervision.Family.Life;
import io.turnwise.testkit.supervision.Family.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What Erlang's supervisors are tested for, on ours.
 *
 * <table>
 *   <caption>Its scenarios</caption>
 *   <tr><th>there</th><th>here</th></tr>
 *   <tr><td>start: normal, in order</td><td>childrenStartInOrderAndStopInReverse</td></tr>
 *   <tr><td>start: ignore</td><td>no such answer; aChildThatStopsItselfInInitEnds</td></tr>
 *   <tr><td>start: error or crash in init</td><td>a start never fails the supervisor at once, it is
 *       a restart like any: aChildThatFailsInInitIsTriedAgainUpToTheLimit; of a supervisor under
 *       another: FailedStartTest</td></tr>
 *   <tr><td>faulty specs</td><td>SpecTest of core</td></tr>
 *   <tr><td>stop: infinity, timeout, brutal kill, ignored shutdown</td><td>aChildStopsInItsTime,
 *       SupervisionEdgeTest.aChildThatDoesNotStopInTimeWasKilled</td></tr>
 *   <tr><td>stop: race with a child that exits</td><td>aChildThatEndsWhileItsSupervisorStops,
 *       SupervisionSimulationProperty</td></tr>
 *   <tr><td>permanent, transient, temporary by reason, with bystanders</td>
 *       <td>theTypeDecidesByTheReason, SupervisorLoopTest of core</td></tr>
 *   <tr><td>escalation</td><td>tooManyRestartsEndTheSupervisor; at the top RootFailureTest</td>
 *       </tr>
 *   <tr><td>another child fails during a restart</td><td>anotherFailsDuringTheRestart</td></tr>
 *   <tr><td>counts and lists while children restart</td><td>listsWhileChildrenRestart</td></tr>
 *   <tr><td>hanging restart loop</td><td>aRestartThatHangsCanBeStopped,
 *       aRestartThatFailsForEverCanBeStopped</td></tr>
 *   <tr><td>a child that unlinks itself</td><td>no meaning: a child is its supervisor's by its
 *       place, not by a link</td></tr>
 *   <tr><td>parameters of temporary children are not kept</td><td>aTemporaryChildIsForgotten</td>
 *       </tr>
 *   <tr><td>significant children, 14 cases</td><td>significantChildrenEndTheSupervisor,
 *       whoIsEndedByTheSupervisorDoesNotEndIt</td></tr>
 *   <tr><td>name taken outside the tree</td><td>names belong to a parent; within it:
 *       aNameThatIsTakenIsRefused</td></tr>
 *   <tr><td>scaling</td><td>row F6 of the faults; ManyChildrenTest: others run meanwhile</td></tr>
 *   <tr><td>log texts are bounded in depth and length</td><td>LogBoundsTest of core: crashes,
 *       restarts, escalations, trees and refused specs</td></tr>
 * </table>
 */
class SupervisorScenarioTest extends FamilyTest {
  enum Strategy {
    ONE_FOR_ONE(SupervisorSpec::oneForOne),
    ONE_FOR_ALL(SupervisorSpec::oneForAll),
    REST_FOR_ONE(SupervisorSpec::restForOne);

    private final Supplier<SupervisorSpec> spec;

    Strategy(Supplier<SupervisorSpec> spec) {
      this.spec = spec;
    }
  }

  enum End {
    FINISHED,
    SHUT_DOWN,
    CRASHED,
    KILLED;

    void of(ActorRef<Order> actor) {
      switch (this) {
        case FINISHED -> actor.cast(new Finish());
        case SHUT_DOWN -> actor.stop();
        case CRASHED -> actor.cast(Family.crash());
        case KILLED -> actor.kill();
      }
    }

    boolean isOrderly() {
      return this == FINISHED || this == SHUT_DOWN;
    }
  }

  // ---- start and stop --------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void childrenStartInOrderAndStopInReverse(Strategy strategy) {
    SupervisorSpec spec = strategy.spec.get();
    for (String name : List.of("a", "b", "c", "d")) spec = spec.withChild(family.child(name));
    Supervisor supervisor = start(spec);
    assertThat(family.diary).containsExactly("a starts", "b starts", "c starts", "d starts");
    family.fresh();
    supervisor.stop();
    kit.run();
    assertThat(family.diary).containsExactly("d stops", "c stops", "b stops", "a stops");
    assertThat(kit.expectStopped(supervisor.actor())).isInstanceOf(StopReason.ShutDown.class);
  }

  @Test
  void aChildThatStopsItselfInInitEnds() {
    ChildSpec<Order> spec =
        ChildSpec.<Order>of(
                "a",
                () ->
                    new Actor<>() {
                      @Override
                      public void init(Context<Order> context) {
                        context.stop();
                      }

                      @Override
                      public void receive(Order message, Context<Order> context) {}
                    })
            .withRestart(RestartType.TRANSIENT);
    Supervisor supervisor =
        start(SupervisorSpec.oneForOne().withChild(spec).withChild(family.child("b")));
    assertThat(supervisor.children())
        .extracting(ChildStatus::state)
        .containsExactly(ChildState.ENDED, ChildState.UP);
  }

  @ParameterizedTest
  @EnumSource
  void aChildThatFailsInInitIsTriedAgainUpToTheLimit(Strategy strategy) {
    family.crashInInit.put("b", 3);
    Supervisor supervisor =
        start(
            strategy
                .spec
                .get()
                .withChild(family.child("a"))
                .withChild(family.child("b"))
                .withChild(family.child("c"))
                .withLimit(RestartLimit.of(3)));
    assertThat(supervisor.children())
        .allSatisfy(child -> assertThat(child.state()).isEqualTo(ChildState.UP));
    assertThat(family.livesOf("b")).isEqualTo(4);
    assertThat(family.livesOf("c")).isEqualTo(1);
    family.crashInInit.put("b", 1);
    supervisor.child(family.child("b")).cast(Family.crash());
    kit.run();
    assertThat(kit.expectStopped(supervisor.actor(), StopReason.Crashed.class).cause())
        .isInstanceOf(SupervisorGaveUpException.class);
  }

  @ParameterizedTest(name = "deadline {0} ms, hanging {1}: ends after {2} ms")
  @CsvSource({"0,true,0", "700,true,700", "700,false,0", "-1,false,0", "-1,true,5000"})
  void aChildStopsInItsTime(long deadline, boolean hangs, long after) {
    ChildSpec<Order> spec =
        family.child("a").withStopDeadline(deadline < 0 ? ChildSpec.FOREVER : ofMillis(deadline));
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    if (hangs) supervisor.child(spec).cast(new Hang());
    kit.run();
    CompletableFuture<StopReason> ended = supervisor.whenStopped().toCompletableFuture();
    supervisor.stop();
    if (after > 0) {
      kit.advance(ofMillis(after - 5));
      assertThat(ended).isNotDone();
    }
    if (deadline < 0) family.openGate();
    kit.advance(ofMillis(50)); // what a kill may take
    assertThat(ended).isDone();
  }

  @ParameterizedTest
  @EnumSource
  void aChildThatEndsWhileItsSupervisorStops(End end) {
    ChildSpec<Order> a = family.child("a");
    ChildSpec<Order> b = family.child("b");
    Supervisor supervisor = start(SupervisorSpec.oneForAll().withChild(a).withChild(b));
    ActorRef<Order> first = supervisor.child(a);
    ActorRef<Order> second = supervisor.child(b);
    end.of(first);
    supervisor.stop();
    end.of(second);
    kit.run();
    kit.expectStopped(first);
    kit.expectStopped(second);
    assertThat(kit.expectStopped(supervisor.actor())).isInstanceOf(StopReason.ShutDown.class);
  }

  // ---- types and reasons -----------------------------------------------------------------------

  static Stream<Arguments> typesAndEnds() {
    List<Arguments> all = new ArrayList<>();
    for (Strategy strategy : Strategy.values())
      for (RestartType type : RestartType.values())
        for (End end : End.values())
          for (String who : List.of("a", "b", "c")) all.add(Arguments.of(strategy, type, end, who));
    return all.stream();
  }

  @ParameterizedTest(name = "{0}: {1} child {3} {2}")
  @MethodSource("typesAndEnds")
  void theTypeDecidesByTheReason(Strategy strategy, RestartType type, End end, String who) {
    List<String> names = List.of("a", "b", "c");
    SupervisorSpec spec = strategy.spec.get();
    for (String name : names)
      spec =
          spec.withChild(
              name.equals(who) ? family.child(name).withRestart(type) : family.child(name));
    Supervisor supervisor = start(spec);
    ActorRef<Order> ended = supervisor.child(family.child(who));
    end.of(ended);
    kit.run();
    boolean back =
        type == RestartType.PERMANENT || type == RestartType.TRANSIENT && !end.isOrderly();
    for (String name : names) {
      boolean again =
          back
              && switch (strategy) {
                case ONE_FOR_ONE -> name.equals(who);
                case ONE_FOR_ALL -> true;
                case REST_FOR_ONE -> name.compareTo(who) >= 0;
              };
      assertThat(family.livesOf(name)).as(name).isEqualTo(again ? 2 : 1);
      if (back || !name.equals(who))
        assertThat(supervisor.child(family.child(name)).call(new Life())).isEqualTo(again ? 2 : 1);
    }
    if (back) return;
    StopReason reason = kit.expectStopped(ended);
    assertThat(reason.getClass().getSimpleName())
        .isEqualToIgnoringCase(end.name().replace("_", ""));
    assertThat(supervisor.child(who).isPresent()).isEqualTo(type != RestartType.TEMPORARY);
  }

  @ParameterizedTest
  @EnumSource
  void tooManyRestartsEndTheSupervisor(Strategy strategy) {
    ChildSpec<Order> a = family.child("a");
    ChildSpec<Order> b = family.child("b");
    Supervisor supervisor =
        start(strategy.spec.get().withChild(a).withChild(b).withLimit(2, ofSeconds(10)));
    ActorRef<Order> first = supervisor.child(a);
    ActorRef<Order> second = supervisor.child(b);
    CompletableFuture<StopReason> over = supervisor.whenStopped().toCompletableFuture();
    for (int i = 0; i < 3; i++) {
      (i % 2 == 0 ? first : second).cast(Family.crash());
      kit.run();
      assertThat(over.isDone()).isEqualTo(i == 2);
    }
    kit.expectStopped(first);
    kit.expectStopped(second);
  }

  @ParameterizedTest
  @EnumSource
  void anotherFailsDuringTheRestart(Strategy strategy) {
    SupervisorSpec spec = strategy.spec.get().withLimit(RestartLimit.of(10));
    for (String name : List.of("a", "b", "c")) spec = spec.withChild(family.child(name));
    Supervisor supervisor = start(spec);
    family.hangInTeardown.add("c");
    family.crashInInit.put("b", 2);
    supervisor.child(family.child("b")).cast(Family.crash());
    kit.run();
    supervisor.child(family.child("a")).cast(Family.crash());
    supervisor.child(family.child("c")).cast(Family.crash());
    kit.run();
    family.openGate();
    kit.run();
    for (String name : List.of("a", "b", "c"))
      assertThat(supervisor.child(family.child(name)).call(new Life())).as(name).isGreaterThan(1);
    assertThat(supervisor.pendingRestarts()).isEmpty();
  }

  @Test
  void listsWhileChildrenRestart() {
    ChildSpec<Order> a = family.child("a").withBackoff(Backoff.constant(ofSeconds(5)));
    ChildSpec<Order> c = family.child("c");
    Supervisor supervisor =
        start(SupervisorSpec.oneForOne().withChild(a).withChild(family.child("b")).withChild(c));
    supervisor.child(a).cast(Family.crash());
    family.hangInInit.add("c");
    supervisor.child(c).cast(Family.crash());
    kit.run();
    assertThat(supervisor.children())
        .extracting(ChildStatus::state)
        .containsExactly(ChildState.WAITING, ChildState.UP, ChildState.STARTING);
    assertThat(supervisor.pendingRestarts()).hasSize(1);
  }

  // ---- restarts that do not come to an end -----------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void aRestartThatHangsCanBeStopped(Strategy strategy) {
    ChildSpec<Order> a = family.child("a").withStopDeadline(ofSeconds(3));
    Supervisor supervisor = start(strategy.spec.get().withChild(a).withChild(family.child("b")));
    ActorRef<Order> first = supervisor.child(a);
    family.hangInInit.add("a");
    first.cast(Family.crash());
    kit.run();
    // The child alone, on its supervisor's order: the call lets exactly the deadline pass.
    var began = kit.clock().elapsed();
    assertThat(supervisor.stop(first)).isTrue();
    assertThat(kit.clock().elapsed().minus(began)).isBetween(ofSeconds(3), ofMillis(3_050));
    assertThat(kit.expectStopped(first)).isInstanceOf(StopReason.Killed.class);
    // Then the supervisor, with another one that hangs.
    supervisor.restart("a");
    kit.run();
    CompletableFuture<StopReason> over = supervisor.whenStopped().toCompletableFuture();
    supervisor.stop();
    kit.advance(ofMillis(2_990));
    assertThat(over).isNotDone();
    kit.advance(ofMillis(60));
    assertThat(over).isDone();
  }

  @ParameterizedTest
  @EnumSource
  void aRestartThatFailsForEverCanBeStopped(Strategy strategy) {
    ChildSpec<Order> a = family.child("a");
    ChildSpec<Order> b = family.child("b").withBackoff(Backoff.constant(ofMillis(1)));
    Supervisor supervisor =
        start(strategy.spec.get().withChild(a).withChild(b).withLimit(RestartLimit.NONE));
    ActorRef<Order> second = supervisor.child(b);
    family.crashInInit.put("b", Integer.MAX_VALUE);
    second.cast(Family.crash());
    kit.advance(ofSeconds(1));
    assertThat(family.livesOf("b")).isGreaterThan(100);
    assertThat(supervisor.children()).hasSize(2); // it answers
    assertThat(supervisor.stop(second)).isTrue();
    kit.expectStopped(second);
    int lives = family.livesOf("b");
    supervisor.restart("b");
    kit.advance(ofSeconds(1));
    assertThat(family.livesOf("b")).isGreaterThan(lives + 100);
    supervisor.stop();
    kit.run(); // without any time
    kit.expectStopped(supervisor.actor());
  }

  // ---- children that come and go ---------------------------------------------------------------

  @Test
  void aTemporaryChildIsForgotten() {
    ChildSpec<Order> spec = family.child("a").withRestart(RestartType.TEMPORARY);
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(spec));
    supervisor.child(spec).cast(new Finish());
    kit.run();
    assertThat(supervisor.children()).isEmpty();
    assertThatThrownBy(() -> supervisor.restart("a"))
        .isInstanceOf(CalleeFailedException.class)
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .hasStackTraceContaining("NO-CHILD");
    assertThat(supervisor.start(spec).call(new Life())).isEqualTo(2); // its name is free
  }

  @Test
  void aNameThatIsTakenIsRefused() {
    Supervisor supervisor = start(SupervisorSpec.oneForOne().withChild(family.child("a")));
    assertThatThrownBy(() -> supervisor.start(family.child("a")))
        .isInstanceOf(CalleeFailedException.class)
        .hasStackTraceContaining("NAME-TAKEN");
    supervisor.stop(supervisor.child(family.child("a")));
    assertThatThrownBy(() -> supervisor.start(family.child("a")))
        .hasStackTraceContaining("restart or remove that one");
    assertThat(supervisor.children()).hasSize(1);
  }

  // ---- significant children --------------------------------------------------------------------

  @ParameterizedTest(name = "{0}, {1} child {2}: the supervisor ends after {3} of 2")
  @CsvSource({
    "ANY_SIGNIFICANT,TRANSIENT,FINISHED,1",
    "ANY_SIGNIFICANT,TRANSIENT,SHUT_DOWN,1",
    "ANY_SIGNIFICANT,TRANSIENT,CRASHED,0",
    "ANY_SIGNIFICANT,TRANSIENT,KILLED,0",
    "ANY_SIGNIFICANT,TEMPORARY,FINISHED,1",
    "ANY_SIGNIFICANT,TEMPORARY,SHUT_DOWN,1",
    "ANY_SIGNIFICANT,TEMPORARY,CRASHED,1",
    "ANY_SIGNIFICANT,TEMPORARY,KILLED,1",
    "ALL_SIGNIFICANT,TRANSIENT,FINISHED,2",
    "ALL_SIGNIFICANT,TRANSIENT,SHUT_DOWN,2",
    "ALL_SIGNIFICANT,TRANSIENT,CRASHED,0",
    "ALL_SIGNIFICANT,TRANSIENT,KILLED,0",
    "ALL_SIGNIFICANT,TEMPORARY,FINISHED,2",
    "ALL_SIGNIFICANT,TEMPORARY,SHUT_DOWN,2",
    "ALL_SIGNIFICANT,TEMPORARY,CRASHED,2",
    "ALL_SIGNIFICANT,TEMPORARY,KILLED,2"
  })
  void significantChildrenEndTheSupervisor(
      AutoShutdown when, RestartType type, End end, int after) {
    ChildSpec<Order> a = family.child("a").withRestart(type).withSignificant(true);
    ChildSpec<Order> b = family.child("b").withRestart(type).withSignificant(true);
    Supervisor supervisor =
        start(
            new SupervisorSpec(
                SupervisorSpec.Shape.ROW,
                Recovery.ONE,
                List.of(a, family.child("c"), b),
                RestartLimit.DEFAULT,
                when,
                null));
    ActorRef<Order> first = supervisor.child(a);
    ActorRef<Order> second = supervisor.child(b);
    CompletableFuture<StopReason> over = supervisor.whenStopped().toCompletableFuture();
    end.of(first);
    kit.run();
    assertThat(over.isDone()).isEqualTo(after == 1);
    end.of(second);
    kit.run();
    assertThat(over.isDone()).isEqualTo(after > 0);
    if (after == 0) return;
    assertThat(kit.expectStopped(supervisor.actor())).isInstanceOf(StopReason.Finished.class);
    assertThat(family.diary).contains("c stops");
  }

  @ParameterizedTest
  @EnumSource(
      value = AutoShutdown.class,
      names = {"ANY_SIGNIFICANT", "ALL_SIGNIFICANT"})
  void whoIsEndedByTheSupervisorDoesNotEndIt(AutoShutdown when) {
    ChildSpec<Order> a = family.child("a").withRestart(RestartType.TEMPORARY).withSignificant(true);
    ChildSpec<Order> b = family.child("b").withRestart(RestartType.TRANSIENT).withSignificant(true);
    ChildSpec<Order> c = family.child("c");
    Supervisor supervisor =
        start(
            SupervisorSpec.oneForAll()
                .withAutoShutdown(when)
                .withChild(a)
                .withChild(b)
                .withChild(c));
    CompletableFuture<StopReason> over = supervisor.whenStopped().toCompletableFuture();
    supervisor.child(c).cast(Family.crash()); // and a ends with it
    kit.run();
    assertThat(supervisor.children()).hasSize(2);
    supervisor.stop(supervisor.child(b));
    kit.run();
    assertThat(over).isNotDone();
    supervisor.restart("b");
    kit.run();
    supervisor.child(b).cast(new Finish());
    kit.run();
    assertThat(kit.expectStopped(supervisor.actor())).isInstanceOf(StopReason.Finished.class);
  }
}
