package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.HandlerTimeout;
import io.turnwise.scheduling.Placement;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.scheduling.YieldBudget;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings: named defaults, checked constructors, and changes that return a new value. */
class SettingsTest {
  private static final ActorSpec<String> SPEC = ActorSpec.of(() -> (_, _) -> {});

  @Test
  void theDefaultsAreThoseThatAreDocumented() {
    assertThat(SchedulingConfig.DEFAULT)
        .isEqualTo(new SchedulingConfig(100, Duration.ofMillis(10)));
    assertThat(SystemConfig.DEFAULT.scheduling()).isEqualTo(SchedulingConfig.DEFAULT);
    assertThat(SystemConfig.DEFAULT.workers())
        .isEqualTo(Math.min(1024, Runtime.getRuntime().availableProcessors()));
    assertThat(SystemConfig.DEFAULT.callTimeout()).isEqualTo(Duration.ofSeconds(5));
    assertThat(SystemConfig.DEFAULT.closeDeadline()).isEqualTo(Duration.ofSeconds(5));
    assertThat(SystemConfig.DEFAULT.dispatchers()).isEmpty();
    assertThat(SystemConfig.DEFAULT.closeOnShutdown()).isTrue();
    assertThat(SPEC.mailbox()).isEqualTo(MailboxConfig.UNBOUNDED);
    assertThat(SPEC.mailbox().isBounded()).isFalse();
    assertThat(SPEC.scheduling()).isNull();
    assertThat(SPEC.dispatcher()).isEqualTo("default");
    assertThat(SPEC.backend()).isEqualTo(Backend.ASYNC);
    assertThat(SPEC.placement()).isEqualTo(Placement.ANYWHERE);
    assertThat(SPEC.priorities()).isEmpty();
  }

  @Test
  void aChangeReturnsANewValueAndLeavesTheOldOne() {
    var changed =
        SystemConfig.DEFAULT
            .withWorkers(3)
            .withThroughput(7)
            .withQuantum(Duration.ofMillis(2))
            .withCallTimeout(Duration.ofSeconds(1))
            .withCloseDeadline(Duration.ofSeconds(2))
            .withDispatcher("io", 4)
            .withDispatcher("reports", 1)
            .withCloseOnShutdown(false)
            .withRootFailure(RootFailure.GO_ON)
            .withMaxPendingTimers(500);
    assertThat(changed)
        .isEqualTo(
            new SystemConfig(
                3,
                new SchedulingConfig(7, Duration.ofMillis(2)),
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                Map.of("io", 4, "reports", 1),
                false,
                RootFailure.GO_ON,
                500));
    assertThat(SystemConfig.DEFAULT.dispatchers()).isEmpty();

    var spec =
        SPEC.withMailbox(MailboxConfig.bounded(5, OverflowPolicy.WAIT))
            .withScheduling(SchedulingConfig.LATENCY)
            .withDispatcher("io")
            .withBackend(Backend.BLOCKING)
            .withPlacement(Placement.pinnedTo(2))
            .withPriority(String.class, Priority.HIGH)
            .withStashCapacity(9)
            .withHandlerTimeout(HandlerKind.CALL, Duration.ofSeconds(1), TimeoutAction.STOP);
    assertThat(spec)
        .isEqualTo(
            new ActorSpec<>(
                SPEC.factory(),
                new MailboxConfig(5, OverflowPolicy.WAIT),
                SchedulingConfig.LATENCY,
                "io",
                Backend.BLOCKING,
                new Placement.Pinned(2),
                Map.of(String.class, Priority.HIGH),
                9,
                Map.of(
                    HandlerKind.CALL,
                    new HandlerTimeout(Duration.ofSeconds(1), TimeoutAction.STOP))));
    assertThat(SPEC.priorities()).isEmpty();
  }

  @Test
  void mapsAreCopiedAndCannotBeChangedLater() {
    Map<String, Integer> dispatchers = new HashMap<>(Map.of("io", 1));
    var config =
        new SystemConfig(
            1,
            SchedulingConfig.DEFAULT,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            dispatchers,
            true,
            RootFailure.CLOSE,
            1);
    dispatchers.put("late", 1);
    assertThat(config.dispatchers()).containsOnlyKeys("io");
    assertThatThrownBy(() -> config.dispatchers().put("x", 1))
        .isInstanceOf(UnsupportedOperationException.class);
    var spec = SPEC.withPriority(String.class, Priority.LOW);
    assertThatThrownBy(() -> spec.priorities().clear())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void theOrderOfPrioritiesIsKept() {
    Map<Class<?>, Priority> order = new LinkedHashMap<>();
    order.put(Integer.class, Priority.LOW);
    order.put(Number.class, Priority.HIGH);
    order.put(Object.class, Priority.NORMAL);
    var spec =
        ActorSpec.<Object>of(() -> (_, _) -> {})
            .withPriority(Integer.class, Priority.LOW)
            .withPriority(Number.class, Priority.HIGH)
            .withPriority(Object.class, Priority.NORMAL);
    assertThat(List.copyOf(spec.priorities().keySet())).isEqualTo(List.copyOf(order.keySet()));
  }

  /** A setting that no system should accept, and a word that its error must contain. */
  record Absurd(String what, String word, ThrowingCallable attempt) {
    @Override
    public String toString() {
      return what;
    }
  }

  static List<Absurd> absurdities() {
    var system = SystemConfig.DEFAULT;
    var scheduling = SchedulingConfig.DEFAULT;
    return List.of(
        new Absurd("workers 0", "workers is 0", () -> system.withWorkers(0)),
        new Absurd("workers -3", "workers is -3", () -> system.withWorkers(-3)),
        new Absurd("workers 1025", "1 to 1024", () -> system.withWorkers(1025)),
        new Absurd("call timeout 0", "callTimeout", () -> system.withCallTimeout(Duration.ZERO)),
        new Absurd(
            "call timeout < 0", "callTimeout", () -> system.withCallTimeout(Duration.ofNanos(-1))),
        new Absurd("call timeout null", "callTimeout", () -> system.withCallTimeout(null)),
        new Absurd(
            "close deadline 0", "closeDeadline", () -> system.withCloseDeadline(Duration.ZERO)),
        new Absurd("close deadline null", "closeDeadline", () -> system.withCloseDeadline(null)),
        new Absurd("scheduling null", "scheduling", () -> system.withScheduling(null)),
        new Absurd("dispatcher default", "'default'", () -> system.withDispatcher("default", 1)),
        new Absurd("dispatcher blank", "' '", () -> system.withDispatcher(" ", 1)),
        new Absurd("dispatcher null", "dispatchers", () -> system.withDispatcher(null, 1)),
        new Absurd("dispatcher of 0", "dispatchers[io]", () -> system.withDispatcher("io", 0)),
        new Absurd(
            "dispatcher of 9999", "dispatchers[io]", () -> system.withDispatcher("io", 9999)),
        new Absurd(
            "dispatchers null",
            "dispatchers",
            () ->
                new SystemConfig(
                    1,
                    scheduling,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    null,
                    true,
                    RootFailure.CLOSE,
                    1)),
        new Absurd(
            "rootFailure null", "rootFailure", () -> SystemConfig.DEFAULT.withRootFailure(null)),
        new Absurd(
            "no timers",
            "maxPendingTimers is 0",
            () -> SystemConfig.DEFAULT.withMaxPendingTimers(0)),
        new Absurd("throughput 0", "throughput is 0", () -> scheduling.withThroughput(0)),
        new Absurd("throughput -1", "throughput is -1", () -> scheduling.withThroughput(-1)),
        new Absurd("quantum 0", "quantum", () -> scheduling.withQuantum(Duration.ZERO)),
        new Absurd("quantum < 0", "quantum", () -> scheduling.withQuantum(Duration.ofMillis(-10))),
        new Absurd("quantum 1 ns", "0.1 ms", () -> scheduling.withQuantum(Duration.ofNanos(1))),
        new Absurd("quantum 1 h", "1 s", () -> scheduling.withQuantum(Duration.ofHours(1))),
        new Absurd("quantum null", "quantum", () -> scheduling.withQuantum(null)),
        new Absurd(
            "capacity 0", "capacity is 0", () -> MailboxConfig.bounded(0, OverflowPolicy.FAIL)),
        new Absurd(
            "capacity -1", "capacity is -1", () -> MailboxConfig.bounded(-1, OverflowPolicy.FAIL)),
        new Absurd("overflow null", "overflow", () -> MailboxConfig.bounded(1, null)),
        new Absurd("pinned to -1", "worker is -1", () -> Placement.pinnedTo(-1)),
        new Absurd("pinned to 40000", "worker is 40000", () -> Placement.pinnedTo(40_000)),
        new Absurd("group null", "group", () -> Placement.groupedAs(null)),
        new Absurd("group blank", "group", () -> Placement.groupedAs(" ")),
        new Absurd("stash -1", "stashCapacity is -1", () -> SPEC.withStashCapacity(-1)),
        new Absurd("factory null", "factory", () -> ActorSpec.of(null)),
        new Absurd("mailbox null", "mailbox", () -> SPEC.withMailbox(null)),
        new Absurd("spec dispatcher null", "dispatcher", () -> SPEC.withDispatcher(null)),
        new Absurd("backend null", "backend", () -> SPEC.withBackend(null)),
        new Absurd("placement null", "placement", () -> SPEC.withPlacement(null)),
        new Absurd("priority of null", "priorities", () -> SPEC.withPriority(null, Priority.LOW)),
        new Absurd("priority null", "priorities", () -> SPEC.withPriority(String.class, null)),
        new Absurd("yield budget 0", "limit is 0", () -> new YieldBudget(0)),
        new Absurd("yield budget -1", "limit is -1", () -> new YieldBudget(-1)),
        new Absurd("yield every 0", "every is 0", () -> YieldBudget.yieldEvery(1, 0)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("absurdities")
  void absurdSettingsAreRefusedWithTheirNameAndWhatToWriteInstead(Absurd absurd) {
    assertThatThrownBy(absurd.attempt())
        .isInstanceOfAny(IllegalArgumentException.class, NullPointerException.class)
        .hasMessageContaining(absurd.word())
        .hasMessageMatching(".+; (use|name|pass|give) .+");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0.0001S", "PT0.001S", "PT1S"})
  void quantaFromATenthOfAMillisecondToASecondAreAccepted(String quantum) {
    assertThat(SchedulingConfig.DEFAULT.withQuantum(Duration.parse(quantum)).quantum())
        .isEqualTo(Duration.parse(quantum));
  }

  @Test
  void thePresetsAreWithinTheBounds() {
    assertThat(SchedulingConfig.LATENCY.throughput()).isEqualTo(1);
    assertThat(SchedulingConfig.BATCH.throughput())
        .isGreaterThan(SchedulingConfig.DEFAULT.throughput());
  }
}
