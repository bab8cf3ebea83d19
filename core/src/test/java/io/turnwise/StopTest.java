package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static io.turnwise.Puppet.want;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.DeadLetterReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stopping: after the message in hand or after the queue, from inside or outside, in a tree. */
class StopTest {
  private static UnaryOperator<ActorSpec<Puppet.Msg>> mailbox(boolean bounded) {
    return spec ->
        bounded ? spec.withMailbox(MailboxConfig.bounded(100, OverflowPolicy.FAIL)) : spec;
  }

  @ParameterizedTest(name = "bounded {0}")
  @ValueSource(booleans = {false, true})
  void stopLeavesQueuedMessagesToTheDeadLetters(boolean bounded) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", mailbox(bounded));
      kit.run();
      for (int i = 0; i < 5; i++) actor.cast(say("" + i));
      actor.stop();
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a ends: shut down");
      assertThat(kit.deadLetters(DeadLetterReason.LEFT_BEHIND)).isEqualTo(5);
    }
  }

  @Test
  void stopLetsTheMessageInHandFinish() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var gate = new CompletableFuture<Reply<String>>();
      var actor = kit.puppet("a");
      actor.cast(
          does(_ -> kit.note("done " + helper.call(want((w, c) -> gate.complete(c.defer(w)))))));
      actor.cast(say("queued"));
      kit.run();
      actor.stop();
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.SUSPENDED);
      gate.join().send("now");
      kit.run();
      assertThat(kit.log()).endsWith("done now", "a ends: shut down").doesNotContain("a queued");
    }
  }

  @ParameterizedTest(name = "bounded {0}")
  @ValueSource(booleans = {false, true})
  void stopAfterDrainHandlesAllThatWasQueuedInEveryLane(boolean bounded) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", mailbox(bounded));
      for (int i = 0; i < 3; i++) {
        actor.cast(say("low " + i), Priority.LOW);
        actor.cast(say("normal " + i));
        actor.cast(say("high " + i), Priority.HIGH);
      }
      actor.stopAfterDrain();
      kit.run();
      assertThat(kit.log()).hasSize(11).endsWith("a ends: shut down");
      assertThat(kit.system().snapshot().deadLettersTotal()).isZero();
      assertThat(kit.accountedFor()).isEqualTo(9);
    }
  }

  @ParameterizedTest(name = "bounded {0}")
  @ValueSource(booleans = {false, true})
  void stopAfterDrainFromInsideHandlesWhatWasQueued(boolean bounded) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", mailbox(bounded));
      actor.cast(does(Context::stopAfterDrain));
      actor.cast(say("queued"));
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a queued", "a ends: finished");
    }
  }

  @ParameterizedTest(name = "bounded {0}")
  @ValueSource(booleans = {false, true})
  void stopAfterDrainHandlesWhatWasUnstashed(boolean bounded) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", mailbox(bounded));
      var open = new boolean[1];
      Puppet.Step step =
          c -> {
            if (open[0]) kit.note("handled");
            else c.stash();
          };
      actor.cast(does(step));
      actor.cast(does(step));
      actor.cast(
          does(
              c -> {
                open[0] = true;
                c.unstashAll();
                c.stopAfterDrain();
              }));
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "handled", "handled", "a ends: finished");
    }
  }

  @ParameterizedTest(name = "bounded {0}")
  @ValueSource(booleans = {false, true})
  void stopAfterDrainEndsAnActorThatKeepsSendingToItself(boolean bounded) {
    try (var kit = new ManualSystem()) {
      var count = new int[1];
      var spec =
          ActorSpec.<String>of(
              () ->
                  (m, c) -> {
                    if (++count[0] < 10_000) c.self().cast(m);
                  });
      ActorRef<String> actor =
          kit.spawn(
              "a",
              bounded ? spec.withMailbox(MailboxConfig.bounded(100, OverflowPolicy.FAIL)) : spec);
      actor.cast("again");
      actor.cast("and again");
      actor.stopAfterDrain();
      kit.run();
      assertThat(actor.snapshot().state()).isEqualTo(ActorState.HALTED);
      assertThat(count[0]).as("what was queued before the stop, and little more").isBetween(2, 40);
    }
  }

  @Test
  void stopAfterDrainOfAFullMailboxIsNotRefused() {
    try (var kit = new ManualSystem()) {
      var actor =
          kit.puppet("a", s -> s.withMailbox(MailboxConfig.bounded(2, OverflowPolicy.FAIL)));
      actor.cast(say("one"));
      actor.cast(say("two"));
      actor.stopAfterDrain();
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a one", "a two", "a ends: shut down");
    }
  }

  @Test
  void stopOvertakesStopAfterDrain() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      kit.run();
      actor.cast(say("queued"));
      actor.stopAfterDrain();
      actor.stop();
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a ends: shut down");
      assertThat(kit.system().snapshot().deadLettersTotal()).isEqualTo(1);
    }
  }

  @Test
  void stoppingTwiceIsStoppingOnce() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.stop();
      actor.stop();
      actor.stopAfterDrain();
      kit.run();
      actor.stop();
      actor.stopAfterDrain();
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a ends: shut down");
      assertThat(kit.system().snapshot().deadLettersTotal()).isZero();
    }
  }

  @Test
  void anActorStopsItselfAfterTheMessageInHand() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(
          does(
              c -> {
                c.stop();
                kit.note("still in hand");
              }));
      actor.cast(say("queued"));
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "still in hand", "a ends: finished");
    }
  }

  @Test
  void theReasonSaysWhoAsked() {
    try (var kit = new ManualSystem()) {
      var byThread = kit.puppet("by-thread");
      var byActor = kit.puppet("by-actor");
      var child = new CompletableFuture<ActorRef<Puppet.Msg>>();
      var parent = kit.puppet("parent");
      parent.cast(does(c -> child.complete(c.spawn("child", kit.puppetSpec()))));
      kit.run();
      byThread.stop();
      kit.puppet("asker").cast(does(_ -> byActor.stop()));
      parent.stop();
      kit.run();
      assertThat(reason(byThread))
          .isEqualTo(new StopReason.ShutDown("thread " + Thread.currentThread().getName()));
      assertThat(reason(byActor)).isEqualTo(new StopReason.ShutDown("/test/asker"));
      assertThat(((StopReason.ShutDown) reason(child.join())).askedBy()).contains("parent");
      var last = kit.puppet("last");
      var end = last.whenStopped().toCompletableFuture();
      kit.closeUnchecked();
      assertThat(end)
          .succeedsWithin(Duration.ofSeconds(20))
          .isEqualTo(new StopReason.ShutDown("system test"));
    }
  }

  private static StopReason reason(ActorRef<?> actor) {
    return actor
        .whenStopped()
        .toCompletableFuture()
        .orTimeout(20, java.util.concurrent.TimeUnit.SECONDS)
        .join();
  }

  @Test
  void childrenEndBeforeTheirParent() {
    try (var kit = new ManualSystem(c -> c.withWorkers(3))) {
      var top = kit.puppet("top");
      top.cast(
          does(
              c -> {
                for (int i = 0; i < 3; i++) {
                  String name = "child-" + i;
                  c.spawn(name, kit.puppetSpec())
                      .cast(does(d -> d.spawn("leaf-of-" + name, kit.puppetSpec())));
                }
              }));
      kit.run();
      kit.clearLog();
      top.stop();
      kit.run();
      List<String> ends = kit.log();
      assertThat(ends).hasSize(7).last().isEqualTo("top ends: shut down");
      for (int i = 0; i < 3; i++)
        assertThat(ends)
            .containsSubsequence(
                "leaf-of-child-" + i + " ends: shut down", "child-" + i + " ends: shut down");
    }
  }

  @Test
  void aParentWaitsForAChildInTheMiddleOfATurn() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var gate = new CompletableFuture<Reply<String>>();
      var parent = kit.puppet("parent");
      parent.cast(
          does(
              c ->
                  c.spawn("child", kit.puppetSpec())
                      .cast(does(_ -> helper.call(want((w, h) -> gate.complete(h.defer(w))))))));
      kit.run();
      parent.stop();
      kit.run();
      assertThat(parent.snapshot().state()).isEqualTo(ActorState.STOPPING);
      parent.cast(say("while stopping"));
      kit.run();
      assertThat(kit.log()).noneMatch(line -> line.startsWith("parent ends"));
      gate.join().send("go on");
      kit.run();
      assertThat(kit.log()).endsWith("child ends: shut down", "parent ends: shut down");
      assertThat(kit.system().snapshot().deadLettersTotal()).isEqualTo(1);
    }
  }

  @Test
  void whenAParentCrashesItsChildrenAreShutDown() {
    try (var kit = new ManualSystem()) {
      var parent = kit.puppet("parent");
      parent.cast(
          does(
              c -> {
                c.spawn("child", kit.puppetSpec());
                throw new IllegalStateException("boom");
              }));
      kit.run();
      assertThat(kit.log()).endsWith("child ends: shut down", "parent ends: crashed by boom");
    }
  }

  @ParameterizedTest(name = "had children before: {0}")
  @ValueSource(booleans = {false, true})
  void aStoppingParentTakesNoMoreChildren(boolean hadChildren) {
    try (var kit = new ManualSystem()) {
      List<Throwable> caught = new ArrayList<>();
      var parent =
          kit.spawn(
              "parent",
              () ->
                  new Actor<String>() {
                    @Override
                    public void init(Context<String> context) {
                      if (hadChildren) context.spawn("first", kit.puppetSpec());
                    }

                    @Override
                    public void receive(String message, Context<String> context) {}

                    @Override
                    public void teardown(StopReason reason, Context<String> context) {
                      try {
                        context.spawn("late", kit.puppetSpec());
                      } catch (IllegalStateException e) {
                        caught.add(e);
                      }
                    }
                  });
      parent.stop();
      kit.run();
      assertThat(caught).hasSize(1);
      assertThat(caught.getFirst())
          .hasMessageContainingAll("/test/parent", "stopping", "[PARENT-STOPPING]", "next:");
      assertThat(kit.log()).noneMatch(line -> line.startsWith("late"));
    }
  }

  @Test
  void childrenListsTheLivingOnes() {
    try (var kit = new ManualSystem()) {
      var parent = kit.puppet("parent");
      parent.cast(
          does(
              c -> {
                assertThat(c.children()).isEmpty();
                var one = c.spawn("one", kit.puppetSpec());
                var two = c.spawn(kit.puppetSpec());
                assertThat(c.children()).hasSize(2);
                assertThat(c.children().contains(one) && c.children().contains(two)).isTrue();
                one.stop();
              }));
      kit.run();
      parent.cast(
          does(
              c -> {
                assertThat(c.children()).hasSize(1);
                kit.note("checked");
              }));
      kit.run();
      assertThat(kit.log()).endsWith("checked");
    }
  }

  @Test
  void aStopInInitEndsTheActorBeforeItsFirstMessage() {
    try (var kit = new ManualSystem()) {
      List<String> seen = new ArrayList<>();
      var actor =
          kit.spawn(
              "a",
              () ->
                  new Actor<String>() {
                    @Override
                    public void init(Context<String> context) {
                      context.stop();
                    }

                    @Override
                    public void receive(String message, Context<String> context) {
                      seen.add(message);
                    }

                    @Override
                    public void teardown(StopReason reason, Context<String> context) {
                      seen.add("teardown");
                    }
                  });
      actor.cast("x");
      kit.run();
      assertThat(seen).containsExactly("teardown");
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void stopAndSendsThatRaceLoseNoMessage(int workers) throws Exception {
    try (var system = ActorSystem.open("race", c -> c.withWorkers(workers))) {
      int rounds = 200;
      int each = 20;
      for (int i = 0; i < rounds; i++) {
        ActorRef<Integer> actor = system.spawn(() -> (_, _) -> {});
        Thread sender =
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (int n = 0; n < each; n++)
                        if (n % 3 == 0) actor.cast(n, Priority.HIGH);
                        else actor.cast(n);
                    });
        if (i % 2 == 0) actor.stop();
        else actor.stopAfterDrain();
        sender.join();
        Await.end(actor);
      }
      Await.until(
          "every message is accounted for",
          () -> {
            var now = system.snapshot();
            return now.messagesHandled() + now.deadLettersTotal() == (long) rounds * each;
          });
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void aStoppedActorAnswersNoCall(int workers) throws Exception {
    try (var system = ActorSystem.open("gone", c -> c.withWorkers(workers))) {
      var actor = system.spawn("a", () -> new Puppet(new ArrayList<>()));
      actor.stop();
      assertThat(Puppet.describe(Await.end(actor))).isEqualTo("shut down");
      assertThatThrownBy(() -> actor.call(ask("x"))).isInstanceOf(CalleeStoppedException.class);
    }
  }
}
