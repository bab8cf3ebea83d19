package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.crash;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static io.turnwise.Puppet.want;
import static io.turnwise.internal.cell.ManualSystem.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.cell.ManualSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways to answer: at once, later, from elsewhere, through somebody else, and only once. */
class ReplyTest {

  @Test
  void aDeferredReplyMayBeSentInALaterTurn() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var promised = new ArrayList<Reply<String>>();
      var call = kit.call(actor, want((w, c) -> promised.add(c.defer(w))));
      kit.run();
      assertThat(call).isNotDone();
      actor.cast(does(_ -> assertThat(promised.getFirst().send("later")).isTrue()));
      kit.run();
      assertThat(call).isCompletedWithValue("later");
    }
  }

  @Test
  void deferredRepliesMayBeSentInAnyOrder() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var promised = new ArrayList<Reply<String>>();
      var one = kit.call(actor, want((w, c) -> promised.add(c.defer(w))));
      var two = kit.call(actor, want((w, c) -> promised.add(c.defer(w))));
      kit.run();
      promised.get(1).send("second");
      assertThat(two).isCompletedWithValue("second");
      assertThat(one).isNotDone();
      promised.get(0).send("first");
      assertThat(one).isCompletedWithValue("first");
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void aDeferredReplyMayBeSentFromAnotherThread(int workers) throws Exception {
    try (var system = ActorSystem.open("replies", c -> c.withWorkers(workers))) {
      var actor =
          system.spawn("a", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      String answer =
          actor.call(
              want(
                  (w, c) -> {
                    Reply<String> reply = c.defer(w);
                    Thread.ofPlatform().start(() -> reply.send("from outside"));
                  }));
      assertThat(answer).isEqualTo("from outside");
    }
  }

  /** Where each looked at all the others, this took minutes. */
  @Test
  @Timeout(60)
  void whatADeferredReplyCostsDoesNotGrowWithHowManyWait() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      List<Reply<String>> waiting = new ArrayList<>();
      List<CompletableFuture<String>> calls = new ArrayList<>();
      for (int i = 0; i < 100_000; i++)
        calls.add(kit.call(actor, want((w, c) -> waiting.add(c.defer(w)))));
      kit.run();
      waiting.forEach(reply -> reply.send("at last"));
      assertThat(calls).hasSize(100_000).allMatch(CompletableFuture::isDone);
    }
  }

  @Test
  void aDeferredReplyCountsOnce() {
    try (var kit = new ManualSystem()) {
      var promised = new ArrayList<Reply<String>>();
      var call = kit.call(kit.puppet("a"), want((w, c) -> promised.add(c.defer(w))));
      kit.run();
      assertThat(promised.getFirst().send("first")).isTrue();
      assertThat(promised.getFirst().send("second")).isFalse();
      assertThat(promised.getFirst().fail(new IllegalStateException("third"))).isFalse();
      assertThat(call).isCompletedWithValue("first");
    }
  }

  @Test
  void aDeferredCallMayBeFailed() {
    try (var kit = new ManualSystem()) {
      var cause = new IllegalStateException("no luck");
      var promised = new ArrayList<Reply<String>>();
      var call = kit.call(kit.puppet("a"), want((w, c) -> promised.add(c.defer(w))));
      kit.run();
      assertThat(promised.getFirst().fail(cause)).isTrue();
      assertThat(failureOf(call)).isInstanceOf(CalleeFailedException.class).hasCause(cause);
    }
  }

  @Test
  void whenTheActorStopsBeforeItsDeferredReplyTheCallerIsToldAtOnce() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var promised = new ArrayList<Reply<String>>();
      var call = kit.call(actor, want((w, c) -> promised.add(c.defer(w))));
      kit.run();
      actor.stop();
      kit.run();
      assertThat(failureOf(call))
          .isInstanceOf(CalleeStoppedException.class)
          .hasMessageContainingAll("/test/a", "deferred");
      assertThat(promised.getFirst().send("after the end")).isFalse();
    }
  }

  @Test
  void aReplyThatWasDeferredBeforeACrashIsFailedByTheCrash() {
    try (var kit = new ManualSystem()) {
      var call =
          kit.call(
              kit.puppet("a"),
              want(
                  (w, c) -> {
                    c.defer(w);
                    throw new IllegalStateException("boom");
                  }));
      kit.run();
      assertThat(failureOf(call)).isInstanceOf(CallException.class);
    }
  }

  @Test
  void aCallerWhoseReplyWasDeferredIsToldWhatCrashedTheActor() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var call = kit.call(actor, want((w, c) -> c.defer(w)));
      actor.cast(crash("boom"));
      kit.run();
      assertThat(failureOf(call))
          .isInstanceOf(CalleeStoppedException.class)
          .hasMessageContainingAll("/test/a", "crashed", "deferred", "IllegalStateException: boom")
          .hasRootCauseMessage("boom");
    }
  }

  @Test
  void aCallerWhoseReplyWasDeferredIsToldWhoKilledTheActor() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var call = kit.call(actor, want((w, c) -> c.defer(w)));
      kit.run();
      actor.kill();
      kit.advance(Duration.ofMillis(10)); // until the kill has seen that it is over
      assertThat(failureOf(call))
          .isInstanceOf(CalleeStoppedException.class)
          .hasMessageContainingAll("killed by thread " + Thread.currentThread().getName());
    }
  }

  @Test
  void theHandlerMayFailTheCallInHandAndLive() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var cause = new IllegalArgumentException("not like this");
      var call = kit.call(actor, want((w, c) -> c.fail(w, cause)));
      kit.run();
      assertThat(failureOf(call))
          .isInstanceOf(CalleeFailedException.class)
          .hasCause(cause)
          .hasMessageContaining("not like this");
      var next = kit.call(actor, ask("alive"));
      kit.run();
      assertThat(next).isCompletedWithValue("ALIVE");
    }
  }

  @Test
  void failingACallWithoutACauseIsAnErrorAndStillFailsTheCall() {
    try (var kit = new ManualSystem()) {
      var call = kit.call(kit.puppet("a"), want((w, c) -> c.fail(w, null)));
      kit.run();
      assertThat(call).isCompletedExceptionally();
    }
  }

  @Test
  void aFailureThatCannotBePrintedStillReachesTheCaller() {
    try (var kit = new ManualSystem()) {
      class Mute extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
          throw new IllegalStateException("no words");
        }
      }
      var call = kit.call(kit.puppet("a"), want((w, c) -> c.fail(w, new Mute())));
      kit.run();
      assertThat(failureOf(call)).hasMessageContaining("Mute").hasCauseInstanceOf(Mute.class);
    }
  }

  @Test
  void replyingTwiceIsAnError() {
    try (var kit = new ManualSystem()) {
      var call =
          kit.call(
              kit.puppet("a"),
              want(
                  (w, c) -> {
                    c.reply(w, "once");
                    assertThatThrownBy(() -> c.reply(w, "twice"))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("answered", "/test/a");
                    assertThatThrownBy(() -> c.defer(w)).isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(() -> c.forward(w, c.self(), ask("x")))
                        .isInstanceOf(IllegalStateException.class);
                    kit.note("checked");
                  }));
      kit.run();
      assertThat(call).isCompletedWithValue("once");
      assertThat(kit.log()).contains("checked");
    }
  }

  @Test
  void replyingTwiceIsAnErrorAlsoWhereTheRequestWasCast() {
    try (var kit = new ManualSystem()) {
      var other = kit.puppet("other");
      var actor = kit.puppet("a");
      actor.cast(
          want(
              (w, c) -> {
                c.forward(w, other, ask("forwarded"));
                assertThatThrownBy(() -> c.reply(w, "too"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("forwarded before", "/test/a");
                kit.note("checked");
              }));
      kit.run();
      assertThat(kit.log()).contains("checked", "other forwarded?");
    }
  }

  @Test
  void whereNoMessageIsInHandNothingCanBeAnswered() {
    try (var kit = new ManualSystem()) {
      kit.spawn(
          "a",
          () ->
              new Puppet(kit.raw()) {
                @Override
                public void init(Context<Msg> context) {
                  assertThatThrownBy(() -> context.reply((Ask) null, "x"))
                      .isInstanceOf(IllegalStateException.class)
                      .hasMessageContainingAll("null", "[NOT-IN-HAND]", "/test/a");
                  kit.note("checked");
                }
              });
      kit.run();
      assertThat(kit.log()).contains("checked");
    }
  }

  @Test
  void whatIsLeftOutIsNamed() {
    try (var kit = new ManualSystem()) {
      var call =
          kit.call(
              kit.puppet("a"),
              want(
                  (w, c) -> {
                    assertThatThrownBy(() -> c.forward(w, null, ask("x")))
                        .hasMessageContainingAll("Context.forward", "target is null");
                    assertThatThrownBy(() -> c.callToSelf(null, ask("x"), _ -> say("x")))
                        .hasMessageContainingAll("Context.callToSelf", "target is null");
                    assertThatThrownBy(() -> c.callToSelf(c.self(), ask("x"), null))
                        .hasMessageContainingAll("Context.callToSelf", "function is null");
                    assertThatThrownBy(() -> c.unwatch(null))
                        .hasMessageContainingAll("Context.unwatch", "actor is null");
                    c.reply(w, "checked");
                  }));
      kit.run();
      assertThat(call).isCompletedWithValue("checked");
    }
  }

  @Test
  void answeringACallThatIsNotInHandIsAnErrorThatPointsToDefer() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var kept = new ArrayList<Puppet.Want>();
      var first =
          kit.call(
              actor,
              want(
                  (w, c) -> {
                    kept.add(w);
                    c.reply(w, "one");
                  }));
      actor.cast(
          does(
              c -> {
                assertThatThrownBy(() -> c.reply(kept.getFirst(), "again"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("[NOT-IN-HAND]", "defer");
                kit.note("checked");
              }));
      kit.run();
      assertThat(first).isCompletedWithValue("one");
      assertThat(kit.log()).contains("checked");
    }
  }

  @Test
  void aRequestThatWasCastMayBeAnsweredToNobody() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(ask("nobody"));
      actor.cast(want((w, c) -> assertThat(c.defer(w).send("x")).as("somebody waits").isFalse()));
      actor.cast(ask("alive"));
      kit.run();
      assertThat(kit.log()).endsWith("a nobody?", "a alive?");
    }
  }

  @Test
  void forwardLetsAnotherActorAnswerTheOriginalCaller() {
    try (var kit = new ManualSystem()) {
      var worker = kit.puppet("worker");
      var front = kit.puppet("front");
      var call = kit.call(front, want((w, c) -> c.forward(w, worker, ask("job"))));
      kit.run();
      assertThat(call).isCompletedWithValue("JOB");
      assertThat(kit.log()).contains("worker job?");
    }
  }

  @Test
  void aForwardedCallMayBeDeferredAndForwardedOn() {
    try (var kit = new ManualSystem()) {
      var promised = new ArrayList<Reply<String>>();
      var third = kit.puppet("third");
      var second = kit.puppet("second");
      var first = kit.puppet("first");
      var call =
          kit.call(
              first,
              want(
                  (w, c) ->
                      c.forward(
                          w,
                          second,
                          want(
                              (v, d) ->
                                  d.forward(v, third, want((u, e) -> promised.add(e.defer(u))))))));
      kit.run();
      first.stop();
      second.stop();
      kit.run();
      assertThat(call).isNotDone();
      promised.getFirst().send("from the third");
      assertThat(call).isCompletedWithValue("from the third");
    }
  }

  @Test
  void aCallForwardedToAStoppedActorFailsAtOnce() {
    try (var kit = new ManualSystem()) {
      var gone = kit.puppet("gone");
      gone.stop();
      kit.run();
      var call = kit.call(kit.puppet("front"), want((w, c) -> c.forward(w, gone, ask("job"))));
      kit.run();
      assertThat(failureOf(call))
          .isInstanceOf(CalleeStoppedException.class)
          .hasMessageContaining("/test/gone");
    }
  }

  @Test
  void aForwardedCallHandledWithoutAReplyNamesWhoHandledIt() {
    try (var kit = new ManualSystem()) {
      var silent = kit.puppet("silent");
      var call =
          kit.call(kit.puppet("front"), want((w, c) -> c.forward(w, silent, want((_, _) -> {}))));
      kit.run();
      assertThat(failureOf(call))
          .isInstanceOf(NoReplyException.class)
          .hasMessageContaining("/test/silent");
    }
  }

  @Test
  void forwardFromAnActorsCallReturnsToThatActor() {
    try (var kit = new ManualSystem()) {
      var worker = kit.puppet("worker");
      var front = kit.puppet("front");
      kit.puppet("caller")
          .cast(does(_ -> kit.note(front.call(want((w, c) -> c.forward(w, worker, ask("deep")))))));
      kit.run();
      assertThat(kit.log()).endsWith("DEEP");
    }
  }

  @Test
  void aContextIsOfNoUseOutsideItsOwnTurns() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var leaked = new CompletableFuture<Context<Puppet.Msg>>();
      actor.cast(does(leaked::complete));
      kit.run();
      var context = leaked.join();
      for (Runnable use :
          new Runnable[] {
            context::stop,
            context::stopAfterDrain,
            context::stash,
            context::unstashAll,
            context::children,
            () -> context.watch(actor),
            () -> context.unwatch(actor),
            () -> context.spawn(kit.puppetSpec()),
            () -> context.spawn("x", kit.puppetSpec()),
            () -> context.reply(ask("x"), "x"),
            () -> context.callToSelf(actor, ask("x"), o -> Puppet.say("" + o)),
          })
        assertThatThrownBy(use::run)
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContainingAll("/test/a", "[NOT-YOUR-TURN]", "next:");
      assertThat(context.self()).isSameAs(actor);
    }
  }

  @Test
  void aContextIsOfNoUseToAThreadThatItsHandlerStarted() throws Exception {
    try (var system = ActorSystem.open("leak", c -> c.withWorkers(1))) {
      var actor =
          system.spawn("a", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      var caught = new CompletableFuture<Throwable>();
      actor.cast(
          does(
              c -> {
                Thread.ofVirtual()
                    .start(
                        () -> {
                          try {
                            c.stash();
                          } catch (Throwable e) {
                            caught.complete(e);
                          }
                        })
                    .join();
              }));
      assertThat(Await.result(caught))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageMatching("(?s).* on thread #\\d+\\. \\[NOT-YOUR-TURN].*");
    }
  }
}
