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
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.scheduling.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Casts and calls: what is sent, what comes back, and in which order. */
class CallTest {

  @Test
  void messagesOfOneSenderAreHandledOnceAndInOrder() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      for (int i = 0; i < 1_000; i++) actor.cast(say("" + i));
      kit.run();
      List<String> expected = new ArrayList<>(List.of("a begins"));
      for (int i = 0; i < 1_000; i++) expected.add("a " + i);
      assertThat(kit.log()).isEqualTo(expected);
      assertThat(kit.accountedFor()).isEqualTo(1_000);
    }
  }

  @Test
  void messagesSentBeforeTheFirstTurnWaitForInit() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(say("early"));
      assertThat(kit.log()).isEmpty();
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a early");
    }
  }

  @Test
  void callAsyncCompletesWithTheReply() {
    try (var kit = new ManualSystem()) {
      var answer = kit.call(kit.puppet("a"), ask("hello"));
      assertThat(answer).isNotDone();
      kit.run();
      assertThat(answer).isCompletedWithValue("HELLO");
    }
  }

  @Test
  void aReplyMayBeNull() {
    try (var kit = new ManualSystem()) {
      var answer = kit.call(kit.puppet("a"), want((call, c) -> c.reply(call, null)));
      kit.run();
      assertThat(answer).isCompletedWithValue(null);
    }
  }

  @Test
  void anActorThatCallsAnotherSuspendsAndTheWorkerGoesOn() {
    try (var kit = new ManualSystem()) {
      var slow = kit.puppet("slow");
      var caller = kit.puppet("caller");
      var other = kit.puppet("other");
      var promised = new CompletableFuture<Reply<String>>();
      caller.cast(
          does(c -> kit.note("got " + slow.call(want((w, s) -> promised.complete(s.defer(w)))))));
      caller.cast(say("after"));
      kit.run();
      other.cast(say("still served"));
      kit.run();
      assertThat(kit.log()).contains("other still served").doesNotContain("caller after");
      promised.join().send("late");
      kit.run();
      assertThat(kit.log()).endsWith("got late", "caller after");
    }
  }

  @Test
  void callsNestThroughManyActors() {
    try (var kit = new ManualSystem()) {
      ActorRef<Puppet.Msg> next = kit.puppet("last");
      for (int i = 0; i < 50; i++) {
        var callee = next;
        next =
            kit.spawn(
                "hop-" + i,
                () ->
                    (Puppet.Msg m, Context<Puppet.Msg> c) -> {
                      if (m instanceof Puppet.Ask ask) c.reply(ask, callee.call(ask) + "!");
                    });
      }
      var answer = kit.call(next, ask("x"));
      kit.run();
      assertThat(answer).isCompletedWithValue("X" + "!".repeat(50));
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void aPlainThreadMayCallAndCast(int workers) throws Exception {
    List<String> log = Collections.synchronizedList(new ArrayList<>());
    try (var system = ActorSystem.open("calls", c -> c.withWorkers(workers))) {
      var actor = system.spawn("a", () -> new Puppet(log));
      actor.cast(say("first"));
      for (int i = 0; i < 1_000; i++) assertThat(actor.call(ask("n" + i))).isEqualTo("N" + i);
      assertThat(log.get(1)).isEqualTo("a first");
      assertThat(log).hasSize(1_002);
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void manyThreadsAndActorsCallOneActorAtOnce(int workers) throws Exception {
    try (var system = ActorSystem.open("calls", c -> c.withWorkers(workers))) {
      var actor =
          system.spawn("a", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      List<Thread> threads = new ArrayList<>();
      List<Throwable> wrong = Collections.synchronizedList(new ArrayList<>());
      for (int t = 0; t < 4; t++) {
        int me = t;
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        for (int i = 0; i < 500; i++)
                          assertThat(actor.call(ask(me + "a" + i))).isEqualTo(me + "A" + i);
                      } catch (Throwable e) {
                        wrong.add(e);
                      }
                    }));
      }
      var done = new CountDownLatch(4);
      for (int t = 0; t < 4; t++) {
        int me = t;
        system
            .spawn(() -> new Puppet(Collections.synchronizedList(new ArrayList<>())))
            .cast(
                does(
                    _ -> {
                      for (int i = 0; i < 500; i++)
                        assertThat(actor.call(ask(me + "b" + i))).isEqualTo(me + "B" + i);
                      done.countDown();
                    }));
      }
      for (Thread thread : threads) thread.join();
      Await.latch(done);
      assertThat(wrong).isEmpty();
    }
  }

  @Test
  void theAnswerOfCallToSelfArrivesAsAMessageInATurnOfTheCaller() {
    try (var kit = new ManualSystem()) {
      var callee = kit.puppet("callee");
      var caller = kit.puppet("caller");
      var turn = new Thread[1];
      caller.cast(
          does(
              c ->
                  c.callToSelf(
                      callee,
                      ask("hi"),
                      outcome -> {
                        turn[0] = Thread.currentThread();
                        c.children(); // allowed in the actor's own turn only
                        return say("heard " + outcome);
                      })));
      caller.cast(say("not blocked"));
      kit.run();
      assertThat(kit.log())
          .containsSubsequence("caller not blocked", "caller heard Answered[value=HI]");
      assertThat(turn[0].isVirtual()).isTrue();
    }
  }

  @Test
  void callToSelfBringsFailuresAsMessagesToo() {
    try (var kit = new ManualSystem()) {
      var callee = kit.puppet("callee");
      var caller = kit.puppet("caller");
      caller.cast(
          does(
              c ->
                  c.callToSelf(
                      callee,
                      want((_, _) -> {}),
                      outcome ->
                          say(
                              ((CallOutcome.Failed<String>) outcome)
                                  .cause()
                                  .getClass()
                                  .getSimpleName()))));
      kit.run();
      assertThat(kit.log()).endsWith("caller NoReplyException");
    }
  }

  @Test
  void anAnswerToAnActorThatHasStoppedMeanwhileIsNobodysDeadLetter() {
    try (var kit = new ManualSystem()) {
      var callee = kit.puppet("callee");
      var caller = kit.puppet("caller");
      caller.cast(
          does(
              c -> {
                c.callToSelf(callee, ask("hi"), outcome -> say("" + outcome));
                c.stop();
              }));
      kit.run();
      assertThat(kit.log()).contains("callee hi?").doesNotContain("caller hi");
      assertThat(kit.system().snapshot().deadLettersTotal()).isZero();
    }
  }

  @Test
  void aMappingThatReturnsNullCrashesTheCallerWithASentence() {
    try (var kit = new ManualSystem()) {
      var callee = kit.puppet("callee");
      var caller = kit.puppet("caller");
      var end = caller.whenStopped().toCompletableFuture();
      caller.cast(does(c -> c.callToSelf(callee, ask("hi"), _ -> null)));
      kit.run();
      assertThat(end).succeedsWithin(java.time.Duration.ofSeconds(20));
      assertThat(((StopReason.Crashed) end.join()).cause())
          .isInstanceOf(NullPointerException.class)
          .hasMessageContainingAll("callToSelf", "returned null");
    }
  }

  @Test
  void aCallToAStoppedActorFailsAtOnce() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.stop();
      kit.run();
      var call = kit.call(actor, ask("anyone?"));
      assertThat(call).isCompletedExceptionally(); // no time passes, nothing runs
      assertThat(failureOf(call))
          .isInstanceOf(CalleeStoppedException.class)
          .hasMessageContainingAll("/test/a", "Ask", "stopped", "[CALLEE-STOPPED]", "next:");
    }
  }

  @Test
  void whoCallsAnActorThatHasCrashedOrWasKilledIsToldSo() {
    try (var kit = new ManualSystem()) {
      var crashed = kit.puppet("crashed");
      var cause = new IllegalStateException("boom");
      crashed.cast(
          does(
              _ -> {
                throw cause;
              }));
      var killed = kit.puppet("killed");
      killed.kill();
      kit.run();
      assertThat(failureOf(kit.call(crashed, ask("anyone?"))))
          .isInstanceOf(CalleeStoppedException.class)
          .hasMessageContaining("it has crashed: java.lang.IllegalStateException: boom")
          .hasCause(cause);
      assertThat(failureOf(kit.call(killed, ask("anyone?"))))
          .isInstanceOf(CalleeStoppedException.class)
          .hasMessageContaining("it was killed by thread")
          .hasNoCause();
    }
  }

  @Test
  void aPlainThreadThatCallsAStoppedActorFailsAtOnce() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.stop();
      kit.run();
      assertThatThrownBy(() -> actor.call(ask("anyone?")))
          .isInstanceOfSatisfying(
              CalleeStoppedException.class,
              e -> {
                assertThat(e.callee()).isEqualTo("/test/a");
                assertThat(e.request()).isEqualTo("Ask");
              });
    }
  }

  @Test
  void aCallThatIsQueuedWhenItsActorStopsFailsAtOnce() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var call = kit.call(actor, ask("too late"));
      actor.stop();
      kit.run();
      assertThat(failureOf(call)).isInstanceOf(CalleeStoppedException.class);
      assertThat(kit.deadLetters(DeadLetterReason.LEFT_BEHIND)).isEqualTo(1);
    }
  }

  @Test
  void aCallHandledWithoutAReplyFailsWithASentenceThatSaysSo() {
    try (var kit = new ManualSystem()) {
      var call = kit.call(kit.puppet("a"), want((_, _) -> {}));
      kit.run();
      assertThat(failureOf(call))
          .isInstanceOf(NoReplyException.class)
          .hasMessageContainingAll("/test/a", "Want", "without a reply", "[NO-REPLY]", "next:");
    }
  }

  @Test
  void aCallWhoseHandlerThrowsFailsWithTheCause() {
    try (var kit = new ManualSystem()) {
      var cause = new IllegalArgumentException("no such thing");
      var call =
          kit.call(
              kit.puppet("a"),
              want(
                  (_, _) -> {
                    throw cause;
                  }));
      kit.run();
      assertThat(failureOf(call))
          .isInstanceOf(CalleeFailedException.class)
          .hasCause(cause)
          .hasMessageContainingAll("/test/a", "Want", "no such thing", "[CALLEE-FAILED]");
    }
  }

  @Test
  void aCallerSeesItsOwnStackInTheFailure() {
    try (var kit = new ManualSystem()) {
      var callee = kit.puppet("callee");
      var caller = kit.puppet("caller");
      var seen = new Throwable[1];
      caller.cast(
          does(
              _ -> {
                try {
                  callee.call(want((_, _) -> {}));
                } catch (NoReplyException e) {
                  seen[0] = e;
                }
              }));
      kit.run();
      assertThat(seen[0].getSuppressed()).hasSize(1);
      assertThat(seen[0].getSuppressed()[0].getStackTrace())
          .anyMatch(frame -> frame.getClassName().equals(CallTest.class.getName()));
    }
  }

  @Test
  void anAnswerThatWasSentBeforeACrashCounts() {
    try (var kit = new ManualSystem()) {
      var call =
          kit.call(
              kit.puppet("a"),
              want(
                  (w, c) -> {
                    c.reply(w, "answered");
                    throw new IllegalStateException("afterwards");
                  }));
      kit.run();
      assertThat(call).isCompletedWithValue("answered");
    }
  }

  @Test
  void aCrashFailsOnlyTheCallInHandAndThoseThatAreQueued() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var before = kit.call(actor, ask("before"));
      actor.cast(crash("boom"));
      var after = kit.call(actor, ask("after"));
      kit.run();
      assertThat(before).isCompletedWithValue("BEFORE");
      assertThat(failureOf(after)).isInstanceOf(CalleeStoppedException.class);
    }
  }

  @Test
  void aThreadThatIsInterruptedWhileItCallsIsToldAndKeepsItsFlag() throws Exception {
    try (var system = ActorSystem.open("interrupts", c -> c.withWorkers(1))) {
      var actor =
          system.spawn("a", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      var promised = new CompletableFuture<Reply<String>>();
      var seen = new CompletableFuture<Boolean>();
      Thread caller =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      actor.call(want((w, c) -> promised.complete(c.defer(w))));
                      seen.completeExceptionally(new AssertionError("answered"));
                    } catch (CallInterruptedException e) {
                      seen.complete(Thread.currentThread().isInterrupted());
                    }
                  });
      Reply<String> reply = Await.result(promised);
      caller.interrupt();
      assertThat(Await.result(seen)).isTrue();
      assertThat(reply.send("too late")).isFalse();
      assertThat(actor.call(ask("alive"))).isEqualTo("ALIVE");
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void callbacksOfCallAsyncRunOnThreadsThatNoActorUses(int workers) throws Exception {
    try (var system = ActorSystem.open("callbacks", c -> c.withWorkers(workers))) {
      var actor =
          system.spawn("a", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      var promised = new CompletableFuture<Reply<String>>();
      var where =
          actor
              .callAsync(want((w, c) -> promised.complete(c.defer(w))))
              .thenApply(_ -> Thread.currentThread());
      Await.result(promised).send("x");
      Thread callback = Await.result(where);
      assertThat(callback.isVirtual()).isFalse();
      assertThat(callback.getName()).startsWith("turnwise-callbacks-callback-");
    }
  }

  /** Each stage is added as near as can be to the moment at which the answer comes. */
  @Test
  void noStageRunsInsideATurnHoweverLateItIsAdded() throws Exception {
    try (var system = ActorSystem.open("late", c -> c.withWorkers(1).withCloseOnShutdown(false))) {
      ActorRef<Puppet.Msg> actor =
          system.spawn(() -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      var inTurns = new AtomicInteger();
      int late = 0;
      for (int i = 0; i < 40_000; i++) {
        CompletableFuture<String> answer = actor.callAsync(ask("x")).toCompletableFuture();
        for (int spins = late; spins > 0; spins--) inTurns.getOpaque();
        late = answer.isDone() ? Math.max(0, late - 3) : late + 3;
        Await.result(
            answer.thenAccept(
                _ -> {
                  if (Thread.currentThread().isVirtual()) inTurns.incrementAndGet();
                }));
      }
      assertThat(inTurns).hasValue(0);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void threadsMayWaitForTheFutureOfACall(int threads) throws Exception {
    try (var system = ActorSystem.open("wait", c -> c.withWorkers(1).withCloseOnShutdown(false))) {
      var release = new CountDownLatch(1);
      ActorRef<Puppet.Msg> slow =
          system.spawn(() -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      slow.cast(does(_ -> release.await()));
      CompletableFuture<String> answer = slow.callAsync(ask("x")).toCompletableFuture();
      var got = Collections.synchronizedList(new ArrayList<String>());
      List<Thread> waiting = new ArrayList<>();
      for (int i = 0; i < threads; i++)
        waiting.add(Thread.ofPlatform().start(() -> got.add(answer.join())));
      for (Thread thread : waiting)
        while (thread.getState() == Thread.State.RUNNABLE) Thread.onSpinWait();
      release.countDown();
      for (Thread thread : waiting) thread.join();
      assertThat(got).hasSize(threads).allMatch(it -> it.equals(answer.join()));
    }
  }

  @Test
  void aThreadThatIsInterruptedWhileItWaitsForTheFutureIsTold() throws Exception {
    try (var system = ActorSystem.open("wait", c -> c.withWorkers(1).withCloseOnShutdown(false))) {
      var release = new CountDownLatch(1);
      ActorRef<Puppet.Msg> slow =
          system.spawn(() -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      slow.cast(does(_ -> release.await()));
      CompletableFuture<String> answer = slow.callAsync(ask("x")).toCompletableFuture();
      var seen = new CompletableFuture<Throwable>();
      Thread waits =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      answer.get();
                    } catch (Throwable e) {
                      seen.complete(e);
                    }
                  });
      while (waits.getState() == Thread.State.RUNNABLE) Thread.onSpinWait();
      waits.interrupt();
      assertThat(seen.get()).isInstanceOf(InterruptedException.class);
      release.countDown();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anActorThatCallsItselfIsToldSoAtOnce(Backend backend) throws Exception {
    try (var system = ActorSystem.open("self")) {
      var spec = ActorSpec.of(() -> new Puppet(new ArrayList<>())).withBackend(backend);
      ActorRef<Puppet.Msg> actor = system.spawn("a", spec);
      var seen = new CompletableFuture<Throwable>();
      actor.cast(
          does(
              c -> {
                try {
                  c.self().call(ask("me"));
                } catch (Throwable e) {
                  seen.complete(e);
                }
              }));
      assertThat(seen.get(2, TimeUnit.SECONDS)) // a call waits for five
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("/self/a", "Ask", "[SELF-CALL]", "callToSelf");
      assertThat(actor.call(ask("you"))).as("it goes on, and others may call it").isEqualTo("YOU");
    }
  }

  @Test
  void anActorMaySendItselfARequestWithoutWaitingForIt() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(does(c -> c.callToSelf(c.self(), ask("me"), o -> say("got " + o))));
      kit.run();
      assertThat(kit.log()).contains("a got Answered[value=ME]");
    }
  }

  @Test
  void theErrorOfACallEndsInOneSentenceWhateverItsCauseSays() {
    var plain = new IllegalStateException("no bread");
    var full = new IllegalStateException("no bread.");
    var ours = new IllegalStateException("no bread. [NO-BREAD]\n  next:  buy some");
    var marks = new IllegalStateException("no bread [at all]");
    for (Throwable cause : List.of(plain, full, ours))
      assertThat(new CalleeFailedException("/a", "Eat", cause))
          .hasMessage(
              "Actor /a failed on Eat: java.lang.IllegalStateException: no bread. [CALLEE-FAILED]")
          .hasCause(cause);
    assertThat(new CalleeFailedException("/a", "Eat", marks))
        .hasMessageEndingWith(": no bread [at all]. [CALLEE-FAILED]");
    assertThat(new CalleeStoppedException("/a", "Eat", "it crashed before it handled it", ours))
        .hasMessageContaining(
            "it crashed before it handled it: java.lang.IllegalStateException: no bread."
                + " [CALLEE-STOPPED]\n  next:  watch");
  }

  private interface Ending {
    void end(CompletableFuture<String> future);
  }

  private static Stream<Ending> waysToEndAFuture() {
    return Stream.of(
        future -> future.complete("by hand"),
        future -> future.completeExceptionally(new IllegalStateException("by hand")),
        future -> future.cancel(false),
        future -> future.obtrudeValue("by force"),
        future -> future.obtrudeException(new IllegalStateException("by force")),
        future -> future.completeAsync(() -> "elsewhere"),
        future ->
            future.completeAsync(
                () -> {
                  throw new IllegalStateException("elsewhere");
                }),
        future -> future.orTimeout(1, TimeUnit.MILLISECONDS),
        future -> future.completeOnTimeout("late", 1, TimeUnit.MILLISECONDS));
  }

  /** A plain thread sleeps until somebody wakes it: each way must. */
  @ParameterizedTest
  @MethodSource("waysToEndAFuture")
  void whoeverEndsTheFutureWakesWhoWaitsForIt(Ending way) throws Exception {
    try (var system = ActorSystem.open("test", c -> c.withCloseOnShutdown(false))) {
      ActorRef<Object> silent = system.spawn(() -> (m, c) -> c.defer((Silence) m));
      CompletableFuture<String> future =
          silent.callAsync(new Silence(), Duration.ofHours(1)).toCompletableFuture();
      Thread alone =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      future.join();
                    } catch (CompletionException | CancellationException e) {
                      // it has ended
                    }
                  });
      Await.until("it sleeps", () -> alone.getState() == Thread.State.WAITING);
      way.end(future);
      assertThat(alone.join(Duration.ofSeconds(60))).as("it was woken").isTrue();
    }
  }

  private record Silence() implements Call<Object, String> {}
}
