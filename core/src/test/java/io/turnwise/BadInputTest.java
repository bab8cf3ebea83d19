package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static io.turnwise.Puppet.want;
import static io.turnwise.internal.cell.ManualSystem.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.HandlerTimeout;
import io.turnwise.scheduling.TimeoutAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Misuse: each an error that says what, where and what to do next, and harms nobody else. */
class BadInputTest {

  // ---- null ------------------------------------------------------------------------------------

  @ParameterizedTest(name = "bounded {0}")
  @ValueSource(booleans = {false, true})
  void aNullMessageIsRefused(boolean bounded) {
    try (var kit = new ManualSystem()) {
      UnaryOperator<ActorSpec<Puppet.Msg>> settings =
          s -> bounded ? s.withMailbox(MailboxConfig.bounded(5, OverflowPolicy.FAIL)) : s;
      var actor = kit.puppet("a", settings);
      for (Runnable send :
          new Runnable[] {
            () -> actor.cast(null),
            () -> actor.cast(null, Priority.HIGH),
            () -> actor.call(null),
            () -> actor.call(null, Duration.ofSeconds(1)),
            () -> actor.callAsync(null),
            () -> actor.callAsync(null, Duration.ofSeconds(1)),
          })
        assertThatThrownBy(send::run)
            .isInstanceOf(NullPointerException.class)
            .hasMessageContainingAll("/test/a", "null", "[NULL-MESSAGE]", "next:");
      kit.run();
      assertThat(kit.log()).containsExactly("a begins");
      assertThat(kit.accountedFor()).isZero();
    }
  }

  @Test
  void aNullRequestInsideATurnIsRefused() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(
          does(
              c -> {
                assertThatThrownBy(() -> c.callToSelf(actor, null, o -> say("" + o)))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("[NULL-MESSAGE]");
                kit.note("checked");
              }));
      var call =
          kit.call(
              actor,
              want(
                  (w, c) -> {
                    assertThatThrownBy(() -> c.forward(w, actor, null))
                        .isInstanceOf(NullPointerException.class)
                        .hasMessageContaining("[NULL-MESSAGE]");
                    c.reply(w, "still mine");
                  }));
      kit.run();
      assertThat(kit.log()).contains("checked");
      assertThat(call).isCompletedWithValue("still mine");
    }
  }

  @Test
  void aNullPriorityIsRefused() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      assertThatThrownBy(() -> actor.cast(say("x"), null))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContainingAll("/test/a", "priority", "; name a lane");
    }
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"PT0S", "PT-1S"})
  void aCallWithoutTimeIsRefusedWithTheActorsPath(Duration timeout) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      assertThatThrownBy(() -> actor.call(ask("x"), timeout))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("/test/a", "is " + timeout, "; use a positive duration");
      assertThatThrownBy(() -> actor.callAsync(ask("x"), timeout))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("/test/a");
      kit.run();
      assertThat(kit.log()).containsExactly("a begins");
    }
  }

  @Test
  void nullFactoriesAndSpecsAreRefused() {
    try (var kit = new ManualSystem()) {
      var system = kit.system();
      assertThatThrownBy(() -> system.spawn((Supplier<Actor<String>>) null))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("factory");
      assertThatThrownBy(() -> system.spawn("a", (Supplier<Actor<String>>) null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> system.spawn((ActorSpec<String>) null))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("spec");
      assertThatThrownBy(() -> system.spawn("a", (ActorSpec<String>) null))
          .isInstanceOf(NullPointerException.class);
      assertThat(system.find("a")).isEmpty();
      assertThat(system.snapshot().actorsSpawned()).isZero();
    }
  }

  // ---- the wrong type --------------------------------------------------------------------------

  /** Tells its protocol in its declaration. */
  static final class Numbers implements Actor<Integer> {
    private final List<Integer> seen;

    Numbers(List<Integer> seen) {
      this.seen = seen;
    }

    @Override
    public void receive(Integer message, Context<Integer> context) {
      seen.add(message);
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static void castRaw(ActorRef<?> actor, Object message) {
    ((ActorRef) actor).cast(message);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Object callRaw(ActorRef<?> actor, Call<?, ?> request) {
    return ((ActorRef) actor).call((Call) request);
  }

  @Test
  void aMessageOfTheWrongTypeIsADeadLetterAndTheActorLives() throws Exception {
    try (var kit = new ManualSystem()) {
      List<Integer> seen = new ArrayList<>();
      BlockingQueue<DeadLetter> shown = new LinkedBlockingQueue<>();
      kit.system().onDeadLetter(shown::add);
      var actor = kit.spawn("numbers", () -> new Numbers(seen));
      actor.cast(1);
      castRaw(actor, "two");
      actor.cast(3);
      kit.run();
      assertThat(seen).containsExactly(1, 3);
      assertThat(kit.deadLetters(DeadLetterReason.WRONG_TYPE)).isEqualTo(1);
      assertThat(shown.poll(20, TimeUnit.SECONDS))
          .isEqualTo(new DeadLetter("two", "/test/numbers", DeadLetterReason.WRONG_TYPE));
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.RECEIVING);
      assertThat(kit.accountedFor()).isEqualTo(3);
    }
  }

  @Test
  void aMessageOfTheWrongTypeToALambdaIsADeadLetterAndTheActorLives() {
    try (var kit = new ManualSystem()) {
      List<Integer> seen = new ArrayList<>();
      ActorRef<Integer> actor = kit.spawn("numbers", () -> (n, _) -> seen.add(n + 1));
      actor.cast(1);
      castRaw(actor, "two");
      actor.cast(3);
      kit.run();
      assertThat(seen).containsExactly(2, 4);
      assertThat(kit.deadLetters(DeadLetterReason.WRONG_TYPE)).isEqualTo(1);
    }
  }

  /** The compiler then throws without a stack: what lambdas refuse must be known otherwise. */
  @Test
  void aFloodOfMessagesOfTheWrongTypeToALambdaHarmsNobody() {
    try (var kit = new ManualSystem()) {
      List<Integer> seen = new ArrayList<>();
      ActorRef<Integer> actor = kit.spawn("numbers", () -> (n, _) -> seen.add(n + 1));
      int flood = 200_000;
      for (int i = 0; i < flood; i++) {
        castRaw(actor, "wrong");
        if (i % 1_000 == 0) {
          actor.cast(i);
          kit.run();
        }
      }
      castRaw(actor, 'x'); // of another wrong type
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.RECEIVING);
      assertThat(seen).hasSize(flood / 1_000);
      assertThat(kit.deadLetters(DeadLetterReason.WRONG_TYPE)).isEqualTo(flood + 1);
    }
  }

  /** As compiled code throws it that has thrown it often. */
  private static final class Stackless extends ClassCastException {
    private static final long serialVersionUID = 1;

    @Override
    public Throwable fillInStackTrace() {
      return this;
    }
  }

  @Test
  void aClassCastExceptionWithoutAStackIsACrashUnlessTheTypeIsKnownToBeRefused() {
    try (var kit = new ManualSystem()) {
      ActorRef<Number> actor =
          kit.spawn(
              "a",
              () ->
                  (n, _) -> {
                    if (n.intValue() == 7) throw new Stackless();
                  });
      actor.cast(1);
      castRaw(actor, "refused");
      actor.cast(2.5);
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.RECEIVING);
      actor.cast(7);
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.HALTED);
      assertThat(kit.deadLetters(DeadLetterReason.WRONG_TYPE)).isEqualTo(1);
    }
  }

  @Test
  void aClassCastExceptionOfTheHandlersOwnIsACrash() {
    try (var kit = new ManualSystem()) {
      ActorRef<Object> actor =
          kit.spawn(
              "a",
              () ->
                  new Actor<Object>() {
                    @Override
                    public void receive(Object message, Context<Object> context) {
                      kit.note("" + (Integer) message);
                    }
                  });
      actor.cast("not a number");
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.HALTED);
      assertThat(kit.system().snapshot().messagesFailed()).isEqualTo(1);
    }
  }

  /** Ties itself to Integer and forgets to be one: Java has no way to forbid it. */
  record Forgetful() implements Call<Integer, String> {}

  @Test
  void aCallThatForgetsToImplementTheProtocolFailsWithASentenceThatSaysSo() {
    try (var kit = new ManualSystem()) {
      var actor = kit.spawn("numbers", () -> new Numbers(new ArrayList<>()));
      kit.run();
      assertThatThrownBy(() -> actor.call(new Forgetful()))
          .isInstanceOf(ClassCastException.class)
          .hasMessageContainingAll(
              "/test/numbers",
              "java.lang.Integer",
              "Forgetful",
              "[WRONG-TYPE]",
              "next:",
              "implement Integer");
      assertThatThrownBy(() -> actor.callAsync(new Forgetful()))
          .isInstanceOf(ClassCastException.class);
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.RECEIVING);
    }
  }

  @Test
  void theSameHoldsBeforeTheActorHasStarted() {
    try (var kit = new ManualSystem()) {
      var actor = kit.spawn("numbers", () -> new Numbers(new ArrayList<>()));
      var call = kit.call(actor, new Forgetful());
      kit.run();
      assertThat(failureOf(call))
          .isInstanceOf(ClassCastException.class)
          .hasMessageContaining("[WRONG-TYPE]");
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.RECEIVING);
    }
  }

  @Test
  void anotherActorsRequestThroughRawTypesFailsTheCallNotTheActor() {
    try (var kit = new ManualSystem()) {
      var puppet = kit.spawn("puppet", () -> new Puppet(kit.raw())); // of the same kind
      var fine = kit.call(puppet, ask("fine"));
      kit.run();
      assertThat(fine).isCompletedWithValue("FINE");
      var actor = kit.spawn("numbers", () -> new Numbers(new ArrayList<>()));
      kit.run();
      var caller = kit.puppet("caller");
      caller.cast(
          does(
              _ -> {
                assertThatThrownBy(() -> callRaw(actor, ask("wrong")))
                    .isInstanceOf(ClassCastException.class)
                    .hasMessageContaining("[WRONG-TYPE]");
                kit.note("checked");
              }));
      kit.run();
      assertThat(kit.log()).contains("checked");
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.RECEIVING);
    }
  }

  /** Handles whatever comes, also a request that is wrong for others of its kind. */
  static final class Anything implements Actor<Object> {
    @Override
    public void receive(Object message, Context<Object> context) {
      reply(context, (Forgetful) message);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static void reply(Context<Object> context, Forgetful request) {
      ((Context) context).reply(request, "fine");
    }
  }

  @ParameterizedTest(name = "after another actor of its kind has had such a request: {0}")
  @ValueSource(booleans = {false, true})
  void forwardingARequestOfTheWrongTypeIsAnErrorOfWhoForwards(boolean warm) {
    try (var kit = new ManualSystem()) {
      if (warm) {
        ActorRef<?> anything = kit.spawn("anything", Anything::new);
        kit.run();
        kit.puppet("caller").cast(does(_ -> kit.note("got " + callRaw(anything, new Forgetful()))));
        kit.run();
        assertThat(kit.log()).contains("got fine");
      }
      var actor = kit.spawn("numbers", () -> new Numbers(new ArrayList<>()));
      kit.run();
      var call =
          kit.call(
              kit.puppet("front"),
              want(
                  (w, c) -> {
                    assertThatThrownBy(() -> c.forward(w, actor, new Forgetful()))
                        .isInstanceOf(ClassCastException.class);
                    c.reply(w, "kept");
                  }));
      kit.run();
      assertThat(call).isCompletedWithValue("kept");
    }
  }

  // ---- after the close -------------------------------------------------------------------------

  @Test
  void afterTheCloseACastIsADeadLetter() {
    var kit = new ManualSystem();
    kit.system().onDeadLetter(_ -> {});
    var actor = kit.puppet("a");
    kit.close();
    actor.cast(say("x"));
    actor.cast(say("x"), Priority.LOW);
    assertThat(kit.system().snapshot().deadLettersTotal()).isEqualTo(2);
  }

  @Test
  void afterTheCloseACallFailsAtOnce() {
    var kit = new ManualSystem();
    var actor = kit.puppet("a");
    kit.close();
    assertThatThrownBy(() -> actor.call(ask("x"))).isInstanceOf(CalleeStoppedException.class);
    assertThat(failureOf(actor.callAsync(ask("x")).toCompletableFuture()))
        .isInstanceOf(CalleeStoppedException.class);
  }

  @Test
  void afterTheCloseSpawnIsAnError() {
    var kit = new ManualSystem();
    kit.close();
    assertThatThrownBy(() -> kit.system().spawn("late", kit.puppetSpec()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll("System test is closed", "next:");
    assertThatThrownBy(() -> kit.system().spawn(kit.puppetSpec()))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void afterTheCloseEverythingThatLooksStillLooks() throws Exception {
    var kit = new ManualSystem();
    var actor = kit.puppet("a");
    kit.close();
    assertThat(actor.path()).isEqualTo("/test/a");
    assertThat(actor.snapshot().state()).isEqualTo(ActorState.HALTED);
    assertThat(Await.end(actor)).isEqualTo(new StopReason.ShutDown("system test"));
    assertThat(kit.system().find("a")).isEmpty();
    assertThat(kit.system().dump()).contains("system test (closed)");
    assertThat(kit.system().isClosed()).isTrue();
    actor.stop();
    actor.stopAfterDrain();
  }

  @Test
  void afterTheCloseResizeIsAnError() {
    var kit = new ManualSystem();
    kit.close();
    assertThatThrownBy(() -> kit.system().dispatcher().resize(2))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  // ---- what to do next -------------------------------------------------------------------------

  /** A mistake that an actor or a thread makes; the system is open, or closed. */
  private record Mistake(String name, boolean closed, MistakeCode code, String... says) {
    @Override
    public String toString() {
      return name;
    }
  }

  @FunctionalInterface
  private interface MistakeCode {
    void make(ActorSystem system, Context<Puppet.Msg> context);
  }

  private static Map<HandlerKind, HandlerTimeout> withNull(boolean key) {
    var limit = new HandlerTimeout(Duration.ofSeconds(1), TimeoutAction.STOP);
    Map<HandlerKind, HandlerTimeout> all = new HashMap<>();
    all.put(key ? null : HandlerKind.CAST, key ? limit : null);
    return all;
  }

  private static ActorSpec<Puppet.Msg> withTimeouts(Map<HandlerKind, HandlerTimeout> timeouts) {
    ActorSpec<Puppet.Msg> of = ActorSpec.of(() -> new Puppet(new ArrayList<>()));
    return new ActorSpec<>(
        of.factory(),
        of.mailbox(),
        of.scheduling(),
        of.dispatcher(),
        of.backend(),
        of.placement(),
        of.priorities(),
        of.stashCapacity(),
        timeouts);
  }

  static List<Mistake> mistakes() {
    return List.of(
        new Mistake("watches itself", false, (_, c) -> c.watch(c.self()), "/test/a", "watch"),
        new Mistake("links itself", false, (_, c) -> c.link(c.self()), "/test/a", "link"),
        new Mistake(
            "stashes twice",
            false,
            (_, c) -> {
              c.stash();
              c.stash();
            },
            "/test/a",
            "no message in hand",
            "already"),
        new Mistake("finds null", false, (s, _) -> s.find(null), "find", "path is null"),
        new Mistake("looks null up", false, (s, _) -> s.registered(null), "registered", "null"),
        new Mistake("takes null back", false, (s, _) -> s.unregister(null), "unregister", "null"),
        new Mistake(
            "listens with null", false, (s, _) -> s.onDeadLetter(null), "onDeadLetter", "null"),
        new Mistake(
            "watches growth with null",
            false,
            (s, _) -> s.onMailboxGrowth(null),
            "onMailboxGrowth",
            "null"),
        new Mistake(
            "a timeout of null",
            false,
            (_, _) -> withTimeouts(withNull(false)),
            "ActorSpec.handlerTimeouts",
            "CAST=null"),
        new Mistake(
            "a timeout for null",
            false,
            (_, _) -> withTimeouts(withNull(true)),
            "ActorSpec.handlerTimeouts",
            "null="),
        new Mistake(
            "a timeout for one kind that is null",
            false,
            (_, _) ->
                withTimeouts(Map.of())
                    .withHandlerTimeout(null, Duration.ofSeconds(1), TimeoutAction.STOP),
            "ActorSpec.withHandlerTimeout",
            "null"),
        new Mistake("resizes late", true, (s, _) -> s.dispatcher().resize(2), "default", "closed"),
        new Mistake(
            "configures late",
            true,
            (s, _) -> s.dispatcher().configure(now -> now),
            "default",
            "closed"),
        new Mistake(
            "listens late", true, (s, _) -> s.onDeadLetter(_ -> {}), "System test", "closed"),
        new Mistake(
            "watches growth late",
            true,
            (s, _) -> s.onMailboxGrowth(_ -> {}),
            "System test",
            "closed"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aMistakeHasANameAndSaysWhatToDoNext(Mistake mistake) {
    List<Throwable> thrown = new ArrayList<>();
    var kit = new ManualSystem();
    kit.puppet("a")
        .cast(
            does(
                c -> {
                  if (!mistake.closed)
                    thrown.add(catchThrowable(() -> mistake.code.make(kit.system(), c)));
                }));
    kit.run();
    kit.close();
    if (mistake.closed) thrown.add(catchThrowable(() -> mistake.code.make(kit.system(), null)));
    assertThat(thrown).hasSize(1);
    assertThat(thrown.getFirst())
        .isInstanceOfAny(
            IllegalArgumentException.class, IllegalStateException.class, NullPointerException.class)
        .hasMessageContainingAll(mistake.says)
        .hasMessageMatching("(?s)[^\\n]*\\. \\[[A-Z]+(-[A-Z]+)+]\\n  next:  .+");
  }

  // ---- settings that only a running system can judge -------------------------------------------

  @Test
  void anUnknownDispatcherIsNamedWithThoseThatExist() {
    try (var kit = new ManualSystem(c -> c.withDispatcher("reports", 1))) {
      assertThatThrownBy(() -> kit.puppet("a", s -> s.withDispatcher("nowhere")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll(
              "nowhere", "default", "reports", "[NO-DISPATCHER]", "withDispatcher");
      assertThatThrownBy(() -> kit.system().dispatcher("nowhere"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(kit.system().find("a")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE, 1_025, Integer.MAX_VALUE})
  void anAbsurdNumberOfWorkersIsRefused(int workers) {
    try (var kit = new ManualSystem()) {
      assertThatThrownBy(() -> kit.system().dispatcher().resize(workers))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("" + workers, "1 to 1024");
      assertThat(kit.system().dispatcher().workers()).isEqualTo(1);
    }
  }

  @Test
  void aSchedulingOfNullIsRefused() {
    try (var kit = new ManualSystem()) {
      var before = kit.system().dispatcher().scheduling();
      assertThatThrownBy(() -> kit.system().dispatcher().configure(_ -> null))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContainingAll("Dispatcher.configure", "null", "changed");
      assertThatThrownBy(() -> kit.system().dispatcher().configure(null))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContainingAll("Dispatcher.configure", "null", "changed");
      assertThat(kit.system().dispatcher().scheduling()).isEqualTo(before);
    }
  }

  @Test
  void settingsOfNullAreRefused() {
    assertThatThrownBy(() -> ActorSystem.open("nothing", _ -> null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("nothing");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S"})
  void aCloseDeadlineMustBePositive(String deadline) {
    try (var kit = new ManualSystem()) {
      assertThatThrownBy(() -> kit.system().close(Duration.parse(deadline)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(kit.system().isClosed()).isFalse();
    }
  }

  @Test
  void whatIsWrongWithASystemIsSaidOfTheSystem() {
    assertThatThrownBy(() -> ActorSystem.open("a/b"))
        .hasMessageContainingAll("name of a system", "has the character '/', U+002F, at 1", "next:")
        .hasMessageNotContaining("spawn");
    assertThatThrownBy(() -> ActorSystem.open("a b")).hasMessageContaining("character U+0020 at");
    assertThatThrownBy(() -> ActorSystem.open(null))
        .hasMessageStartingWith("The name of a system is null. [BAD-NAME]");
    assertThatThrownBy(() -> ActorSystem.open("x", null)).hasMessageContaining("settings");
    assertThatThrownBy(() -> ActorSystem.open("x", c -> c.withDispatcher("in\nternal", 1)))
        .hasMessageContainingAll("name of a dispatcher", "next:");
    assertThatThrownBy(() -> ActorSystem.open("x", c -> c.withDispatcher("internal", 1)))
        .hasMessageContainingAll("internal", "system's own", "next:");
    var system = ActorSystem.open("x", c -> c.withCloseOnShutdown(false));
    assertThatThrownBy(() -> system.close(java.time.Duration.ofMillis(-1)))
        .hasMessageContaining("deadline of close");
    system.close();
    assertThatThrownBy(() -> system.spawn(() -> (_, _) -> {}))
        .hasMessageContaining("open another system");
  }
}
