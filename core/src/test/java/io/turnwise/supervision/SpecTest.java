package io.turnwise.supervision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A faulty spec is refused when it is made, with a message that names the child and the field. */
@SuppressWarnings("NullAway") // faulty on purpose
class SpecTest {
  private static final ActorSpec<Object> ACTOR = ActorSpec.of(() -> (_, _) -> {});
  private static final Duration WINDOW = Duration.ofSeconds(1);

  private static Actor<Object> nothing() {
    return (_, _) -> {};
  }

  private static ChildSpec<Object> child(String name) {
    return ChildSpec.of(name, SpecTest::nothing);
  }

  private static Arguments faulty(String field, ThrowingCallable make) {
    return Arguments.of(field, make);
  }

  private static Map<Class<? extends Throwable>, FailureAction> noAction() {
    var actions = new HashMap<Class<? extends Throwable>, FailureAction>();
    actions.put(IOException.class, null);
    return actions;
  }

  static Stream<Arguments> faultyChildren() {
    return Stream.of(
        faulty("actor", () -> ChildSpec.of("worker", (ActorSpec<Object>) null)),
        faulty("restart", () -> child("worker").withRestart(null)),
        faulty("backoff", () -> child("worker").withBackoff(null)),
        faulty("stopDeadline", () -> child("worker").withStopDeadline(null)),
        faulty("stopDeadline", () -> child("worker").withStopDeadline(Duration.ofSeconds(-1))),
        faulty("significant", () -> child("worker").withSignificant(true)),
        faulty("actions", () -> child("worker").withAction(null, FailureAction.STOP)),
        faulty("actions", () -> child("worker").withAction(IOException.class, null)),
        faulty("actions", () -> withActions(null)),
        faulty("actions", () -> withActions(noAction())),
        faulty("dependsOn", () -> child("worker").withDependsOn("worker")),
        faulty("dependsOn", () -> child("worker").withDependsOn((String) null)),
        faulty("dependsOn", () -> withDependsOn(null)),
        faulty("dependsOn", () -> child("worker").withDependsOn((String[]) null)),
        faulty("heldMessages", () -> child("worker").withHeldMessages(-1)),
        faulty("tries", () -> child("worker").withTries(0)),
        faulty(
            "name",
            () -> SupervisorSpec.oneForOne().withChild(child("worker")).withChild(child("worker"))),
        faulty(
            "dependsOn",
            () -> SupervisorSpec.oneForOne().withChild(child("worker").withDependsOn("other"))),
        faulty(
            "dependsOn",
            () ->
                SupervisorSpec.graph(Recovery.ONE)
                    .withChild(child("worker").withDependsOn("other"))
                    .asActor()),
        faulty("factory", () -> ChildSpec.of("worker", (Supplier<Actor<Object>>) null)),
        faulty(
            "significant",
            () -> SupervisorSpec.oneForOne().withChild(significant("worker")).asActor()),
        faulty("significant", () -> SupervisorSpec.dynamic().check(significant("worker"))));
  }

  private static ChildSpec<Object> significant(String name) {
    return child(name).withRestart(RestartType.TRANSIENT).withSignificant(true);
  }

  private static ChildSpec<Object> unnamed(boolean significant) {
    return ChildSpec.of(SpecTest::nothing)
        .withRestart(RestartType.TRANSIENT)
        .withSignificant(significant);
  }

  private static ChildSpec<Object> needy() {
    return unnamed(false).withDependsOn("other");
  }

  /** The order in which a spec is put together does not matter. */
  @Test
  void whatALaterStepBringsIsNotMissedBefore() {
    SupervisorSpec graph =
        SupervisorSpec.graph(Recovery.ONE)
            .withChild(child("web").withDependsOn("cache", "store"))
            .withChild(child("cache").withDependsOn("store"));
    assertThatThrownBy(graph::asActor)
        .hasMessageContaining("ChildSpec 'web': dependsOn has 'store'")
        .hasMessageContaining("[web, cache]");
    assertThat(graph.withChild(child("store")).asActor()).isNotNull();
    assertThatThrownBy(() -> graph.withChild(child("store").withDependsOn("web")))
        .hasMessageContaining("DEPENDENCY-CIRCLE");
    SupervisorSpec job = SupervisorSpec.oneForOne().withChild(significant("job"));
    assertThatThrownBy(job::asActor).hasMessageContaining("'job': significant");
    assertThat(job.withAutoShutdown(AutoShutdown.ANY_SIGNIFICANT).asActor()).isNotNull();
  }

  private static ChildSpec<Object> withActions(
      Map<Class<? extends Throwable>, FailureAction> actions) {
    return new ChildSpec<>(
        "worker",
        ACTOR,
        RestartType.PERMANENT,
        Backoff.NONE,
        WINDOW,
        false,
        actions,
        Set.of(),
        0,
        1);
  }

  private static ChildSpec<Object> withDependsOn(Set<String> dependsOn) {
    return new ChildSpec<>(
        "worker",
        ACTOR,
        RestartType.PERMANENT,
        Backoff.NONE,
        WINDOW,
        false,
        Map.of(),
        dependsOn,
        0,
        1);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faultyChildren")
  void aFaultyChildIsRefusedByNameAndField(String field, ThrowingCallable make) {
    assertThatThrownBy(make).hasMessageContaining("'worker'").hasMessageContaining(field);
  }

  static Stream<Arguments> faultySettings() {
    SupervisorSpec row = SupervisorSpec.oneForOne();
    return Stream.of(
        faulty("name", () -> child("not a name")),
        faulty("name", () -> child("")),
        faulty("children[0]: name", () -> row.withChild(ChildSpec.of(SpecTest::nothing))),
        faulty("the spec", () -> ChildSpec.supervisor("worker", null)),
        faulty("SupervisorSpec.shape", () -> spec(null, Recovery.ONE, RestartLimit.DEFAULT)),
        faulty(
            "SupervisorSpec.recovery",
            () -> spec(SupervisorSpec.Shape.ROW, null, RestartLimit.DEFAULT)),
        faulty(
            "SupervisorSpec.recovery",
            () -> spec(SupervisorSpec.Shape.DYNAMIC, Recovery.ALL, RestartLimit.DEFAULT)),
        faulty("SupervisorSpec.limit", () -> row.withLimit(null)),
        faulty("SupervisorSpec.children is null", () -> row.withChildren(null)),
        faulty(
            "SupervisorSpec.children[1] is null",
            () -> row.withChildren(Arrays.asList(child("worker"), null))),
        faulty(
            "ChildSpec (without a name): significant",
            () -> SupervisorSpec.dynamic().check(unnamed(true))),
        faulty(
            "ChildSpec (without a name): dependsOn", () -> SupervisorSpec.dynamic().check(needy())),
        faulty(
            "ChildSpec (without a name): factory",
            () -> ChildSpec.of((Supplier<Actor<Object>>) null)),
        faulty("delayAfter: chance", () -> Backoff.constant(WINDOW).delayAfter(1, -0.1)),
        faulty("delayAfter: chance", () -> Backoff.constant(WINDOW).delayAfter(1, Double.NaN)),
        faulty("SupervisorSpec.autoShutdown", () -> row.withAutoShutdown(null)),
        faulty("the child is null", () -> row.withChild((ChildSpec<?>) null)),
        faulty("RestartLimit.restarts", () -> row.withLimit(-1, WINDOW)),
        faulty("RestartLimit.window", () -> row.withLimit(1, Duration.ZERO)),
        faulty("RestartLimit.window", () -> row.withLimit(1, Duration.ofSeconds(-1))),
        faulty("RestartLimit.window", () -> row.withLimit(1, Duration.ofDays(366))),
        faulty("delay of a backoff", () -> Backoff.constant(null)),
        faulty("Backoff.first", () -> Backoff.linear(Duration.ofSeconds(-1))),
        faulty("use Duration.ZERO or", () -> Backoff.linear(Duration.ofSeconds(-1))),
        faulty("Backoff.first", () -> Backoff.linear(Duration.ofDays(366))),
        faulty("Backoff.factor", () -> Backoff.exponential(WINDOW).withFactor(0.5)),
        faulty("Backoff.factor", () -> Backoff.exponential(WINDOW).withFactor(Double.NaN)),
        faulty("Backoff.ceiling", () -> Backoff.exponential(WINDOW).withCeiling(null)),
        faulty("Backoff.jitter", () -> Backoff.exponential(WINDOW).withJitter(1.5)),
        faulty("Backoff.jitter", () -> Backoff.exponential(WINDOW).withJitter(-0.1)),
        faulty("Backoff.resetAfter", () -> Backoff.constant(WINDOW).withResetAfter(Duration.ZERO)),
        faulty("delayAfter: failures", () -> Backoff.constant(WINDOW).delayAfter(0, 0)));
  }

  private static SupervisorSpec spec(
      SupervisorSpec.Shape shape, Recovery recovery, RestartLimit limit) {
    return new SupervisorSpec(shape, recovery, List.of(), limit, AutoShutdown.NEVER, null);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faultySettings")
  void aFaultySettingIsRefusedByItsField(String field, ThrowingCallable make) {
    assertThatThrownBy(make).hasMessageContaining(field);
  }

  @Test
  void aCircleIsRefusedAndNamed() {
    List<ChildSpec<?>> circle =
        List.of(
            child("free"),
            child("a").withDependsOn("c", "free"),
            child("b").withDependsOn("a"),
            child("c").withDependsOn("b"),
            child("behind").withDependsOn("c"));
    for (int i = 0; i < 5; i++) {
      List<ChildSpec<?>> turned = Arrays.asList(circle.toArray(ChildSpec<?>[]::new));
      Collections.rotate(turned, i);
      assertThatThrownBy(() -> SupervisorSpec.graph(Recovery.ONE).withChildren(turned))
          .hasMessageContaining("DEPENDENCY-CIRCLE")
          .message()
          .satisfies(
              text ->
                  assertThat(text)
                      .matches(
                          "(?s).*: (a -> c -> b -> a|b -> a -> c -> b|c -> b -> a -> c)\\..*"));
    }
  }

  @Test
  void aDelayGrowsAsItsBackoffSaysAndStaysBelowItsCeiling() {
    Backoff doubling =
        Backoff.exponential(Duration.ofSeconds(1)).withCeiling(Duration.ofSeconds(6));
    assertThat(Stream.of(1, 2, 3, 4, 5, 1_000_000).map(n -> doubling.delayAfter(n, 0).toSeconds()))
        .containsExactly(1L, 2L, 4L, 6L, 6L, 6L);
    Backoff linear = Backoff.linear(Duration.ofSeconds(2));
    assertThat(Stream.of(1, 2, 3, 100).map(n -> linear.delayAfter(n, 0).toSeconds()))
        .containsExactly(2L, 4L, 6L, 60L);
    Backoff spread = Backoff.constant(Duration.ofSeconds(10)).withJitter(0.2);
    assertThat(spread.delayAfter(1, 0)).isEqualTo(Duration.ofSeconds(8));
    assertThat(spread.delayAfter(1, 0.5)).isEqualTo(Duration.ofSeconds(10));
    assertThat(spread.delayAfter(1, 1)).isEqualTo(Duration.ofSeconds(12));
    assertThat(doubling.withJitter(1).delayAfter(9, 1)).isEqualTo(Duration.ofSeconds(6));
  }
}
