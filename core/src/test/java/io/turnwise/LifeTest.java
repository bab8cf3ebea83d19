package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.crash;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.DeadLetterReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From the constructor to teardown, and every way to crash in between. */
class LifeTest {

  @Test
  void initComesFirstThenMessagesThenTeardown() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(say("one"));
      actor.cast(say("two"));
      actor.stopAfterDrain();
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a one", "a two", "a ends: shut down");
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.HALTED);
    }
  }

  @Test
  void theFactoryRunsInTheFirstTurnOfTheActor() {
    try (var kit = new ManualSystem()) {
      var thread = new Thread[1];
      kit.<String>spawn(
          "a",
          () -> {
            thread[0] = Thread.currentThread();
            return (_, _) -> {};
          });
      assertThat(thread[0]).isNull();
      kit.run();
      assertThat(thread[0].isVirtual()).isTrue();
    }
  }

  @Test
  void initMayCallOtherActors() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      List<String> seen = new ArrayList<>();
      var actor =
          kit.spawn(
              "a",
              () ->
                  new Actor<String>() {
                    @Override
                    public void init(Context<String> context) {
                      seen.add(helper.call(ask("ready")));
                    }

                    @Override
                    public void receive(String message, Context<String> context) {
                      seen.add(message);
                    }
                  });
      actor.cast("first");
      kit.run();
      assertThat(seen).containsExactly("READY", "first");
    }
  }

  @Test
  void newsComesBeforeQueuedMessages() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      var watcher = kit.puppet("watcher");
      watcher.cast(does(c -> c.watch(watched)));
      kit.run();
      kit.clearLog();
      // The watched actor ends in the middle of the watcher's turn, which has more queued.
      watcher.cast(
          does(
              _ -> {
                watched.stop();
                try {
                  watched.call(ask("x"));
                } catch (CallException e) {
                  kit.note("it is gone");
                }
              }));
      watcher.cast(say("queued"));
      kit.run();
      assertThat(kit.log())
          .containsSubsequence(
              "it is gone", "watcher sees the end of watched: shut down", "watcher queued");
    }
  }

  @Test
  void everythingOneTurnWroteIsVisibleToTheNext() {
    try (var kit = new ManualSystem(c -> c.withWorkers(4))) {
      var sum = new int[1];
      ActorRef<Integer> actor = kit.spawn("a", () -> (n, _) -> sum[0] += n);
      for (int i = 1; i <= 1_000; i++) actor.cast(i);
      kit.run();
      assertThat(sum[0]).isEqualTo(500_500);
    }
  }

  /** Where an actor may throw. */
  enum Place {
    FACTORY,
    NULL_FACTORY,
    INIT,
    RECEIVE,
    INFO,
    TEARDOWN
  }

  private static final class Fragile implements Actor<String> {
    private final Place place;
    private final List<String> log;

    Fragile(Place place, List<String> log) {
      this.place = place;
      this.log = log;
      failAt(Place.FACTORY);
    }

    private void failAt(Place here) {
      if (place == here) throw new IllegalStateException("broken in " + here);
    }

    @Override
    public void init(Context<String> context) {
      log.add("init");
      context.watch(context.spawn("inner", () -> (String _, Context<String> c) -> c.stop()));
      failAt(Place.INIT);
    }

    @Override
    public void receive(String message, Context<String> context) {
      log.add(message);
      if (message.equals("end the inner one")) context.children().forEach(ActorRef::stop);
      else if (message.equals("stop")) context.stop();
      else failAt(Place.RECEIVE);
    }

    @Override
    public void info(Signal signal, Context<String> context) {
      log.add("info");
      failAt(Place.INFO);
    }

    @Override
    public void teardown(StopReason reason, Context<String> context) {
      log.add("teardown " + Puppet.describe(reason));
      failAt(Place.TEARDOWN);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCrashAnywhereReachesParentAndWatchers(Place place) {
    try (var kit = new ManualSystem()) {
      List<String> log = new ArrayList<>();
      var parent = kit.puppet("parent");
      var watcher = kit.puppet("watcher");
      var child = new CompletableFuture<ActorRef<String>>();
      Supplier<Actor<String>> factory =
          () -> place == Place.NULL_FACTORY ? null : new Fragile(place, log);
      parent.cast(does(c -> child.complete(c.spawn("child", factory))));
      kit.run();
      var actor = child.join();
      var end = actor.whenStopped().toCompletableFuture();
      watcher.cast(does(c -> c.watch(actor)));
      kit.run();
      actor.cast("end the inner one");
      kit.run();
      actor.cast(place == Place.TEARDOWN ? "stop" : "work");
      kit.run();

      assertThat(end).succeedsWithin(Duration.ofSeconds(20));
      assertThat(end.join()).isInstanceOf(StopReason.Crashed.class);
      String reason = Puppet.describe(end.join());
      assertThat(reason)
          .contains(place == Place.NULL_FACTORY ? "returned null" : "broken in " + place);
      assertThat(kit.log())
          .contains("parent sees the crash of child: " + reason)
          .contains("watcher sees the end of child: " + reason);
      assertThat(kit.system().snapshot().crashes()).isEqualTo(1);
      assertThat(parent.snapshot().state()).isEqualTo(ActorState.RECEIVING);
      boolean wasInitialised = place.ordinal() > Place.INIT.ordinal();
      assertThat(log.stream().filter(l -> l.startsWith("teardown")).count())
          .as("teardown runs once, and only after init succeeded")
          .isEqualTo(wasInitialised ? 1 : 0);
      assertThat(kit.system().find("parent/child")).isEmpty();
    }
  }

  @Test
  void teardownLearnsOfTheCrash() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(crash("boom"));
      actor.cast(say("never handled"));
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a ends: crashed by boom");
      assertThat(kit.deadLetters(DeadLetterReason.LEFT_BEHIND)).isEqualTo(1);
      assertThat(kit.system().snapshot().messagesFailed()).isEqualTo(1);
    }
  }

  @Test
  void whenTeardownThrowsAfterACrashTheFirstCauseIsKept() {
    try (var kit = new ManualSystem()) {
      var actor =
          kit.spawn(
              "a",
              () ->
                  new Actor<String>() {
                    @Override
                    public void receive(String message, Context<String> context) {
                      throw new IllegalStateException("first");
                    }

                    @Override
                    public void teardown(StopReason reason, Context<String> context) {
                      throw new IllegalStateException("second");
                    }
                  });
      var end = actor.whenStopped().toCompletableFuture();
      actor.cast("x");
      kit.run();
      assertThat(end).succeedsWithin(Duration.ofSeconds(20));
      assertThat(Puppet.describe(end.join())).isEqualTo("crashed by first");
      assertThat(kit.system().snapshot().crashes()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "StackOverflowError",
        "OutOfMemoryError",
        "NoClassDefFoundError",
        "AssertionError"
      })
  void errorsCrashTheActorAndNobodyElse(String kind) {
    try (var kit = new ManualSystem()) {
      Supplier<Actor<String>> factory =
          switch (kind) {
            case "StackOverflowError" -> Unwoven.Recursion::new;
            case "OutOfMemoryError" ->
                () -> (m, _) -> kit.note(m + new long[Integer.MAX_VALUE].length);
            case "NoClassDefFoundError" ->
                () ->
                    (_, _) -> {
                      throw new NoClassDefFoundError("missing");
                    };
            default ->
                () ->
                    (_, _) -> {
                      throw new AssertionError("wrong");
                    };
          };
      var victim = kit.spawn("victim", factory);
      var other = kit.puppet("other");
      var end = victim.whenStopped().toCompletableFuture();
      victim.cast("x");
      var answer = kit.call(other, ask("still there"));
      kit.run();
      assertThat(end).succeedsWithin(Duration.ofSeconds(20));
      assertThat(((StopReason.Crashed) end.join()).cause().getClass().getSimpleName())
          .isEqualTo(kind);
      assertThat(answer).isCompletedWithValue("STILL THERE");
      assertThat(kit.system().snapshot().workersReplaced()).isZero();
    }
  }

  @Test
  void aCrashOfAChildDoesNotStopItsParent() {
    try (var kit = new ManualSystem()) {
      var parent = kit.puppet("parent");
      parent.cast(does(c -> c.spawn("child", kit.puppetSpec()).cast(crash("boom"))));
      kit.run();
      parent.cast(say("goes on"));
      kit.run();
      assertThat(kit.log())
          .endsWith("parent sees the crash of child: crashed by boom", "parent goes on");
    }
  }

  @Test
  void anOrderlyEndOfAChildIsNoNewsUnlessWatched() {
    try (var kit = new ManualSystem()) {
      var parent = kit.puppet("parent");
      parent.cast(does(c -> c.spawn("child", kit.puppetSpec()).stop()));
      kit.run();
      assertThat(kit.log()).noneMatch(line -> line.startsWith("parent sees"));
    }
  }

  @Test
  void anInnerCrashIsToldToTheParentAloneNotToItsAncestors() {
    try (var kit = new ManualSystem()) {
      var top = kit.puppet("top");
      top.cast(
          does(
              c ->
                  c.spawn("middle", kit.puppetSpec())
                      .cast(does(d -> d.spawn("leaf", kit.puppetSpec()).cast(crash("boom"))))));
      kit.run();
      assertThat(kit.log())
          .contains("middle sees the crash of leaf: crashed by boom")
          .noneMatch(line -> line.startsWith("top sees"));
    }
  }

  @Test
  void reasonsSayWhetherTheEndWasWanted() {
    assertThat(new StopReason.Finished().orderly()).isTrue();
    assertThat(new StopReason.ShutDown("thread main").orderly()).isTrue();
    assertThat(new StopReason.Crashed(new IllegalStateException()).orderly()).isFalse();
  }
}
