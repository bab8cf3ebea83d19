package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static io.turnwise.Puppet.want;
import static io.turnwise.internal.cell.ManualSystem.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.ActorState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a call waits, and what it says when nobody answered. */
class CallTimeoutTest {
  private static final Puppet.Request NEVER = (call, context) -> context.defer(call);

  @Test
  void theDefaultTimeoutIsFiveSeconds() {
    try (var kit = new ManualSystem()) {
      var call = kit.call(kit.puppet("a"), want(NEVER));
      kit.advance(Duration.ofMillis(4_999));
      assertThat(call).isNotDone();
      kit.advance(Duration.ofMillis(1));
      assertThat(failureOf(call))
          .isInstanceOfSatisfying(
              CallTimeoutException.class,
              e -> assertThat(e.timeout()).isEqualTo(Duration.ofSeconds(5)));
    }
  }

  @Test
  void theDefaultTimeoutIsConfigurable() {
    try (var kit = new ManualSystem(c -> c.withCallTimeout(Duration.ofMinutes(2)))) {
      var call = kit.call(kit.puppet("a"), want(NEVER));
      kit.advance(Duration.ofSeconds(119));
      assertThat(call).isNotDone();
      kit.advance(Duration.ofSeconds(1));
      assertThat(failureOf(call)).isInstanceOf(CallTimeoutException.class);
    }
  }

  @ParameterizedTest(name = "{0} ms")
  @ValueSource(longs = {1, 2, 63, 64, 65, 4_096, 300_000, 20_000_000})
  void anExplicitTimeoutIsNeverEarlyAndNotLateByMoreThanATick(long millis) {
    try (var kit = new ManualSystem()) {
      var call = kit.call(kit.puppet("a"), want(NEVER), Duration.ofMillis(millis));
      kit.advance(Duration.ofMillis(millis).minusNanos(1));
      assertThat(call).isNotDone();
      kit.advance(Duration.ofMillis(1));
      assertThat(failureOf(call)).isInstanceOf(CallTimeoutException.class);
    }
  }

  @Test
  void aTimeoutOfAlmostForEverIsAccepted() {
    try (var kit = new ManualSystem()) {
      var call = kit.call(kit.puppet("a"), ask("x"), Duration.ofSeconds(Long.MAX_VALUE));
      kit.run();
      assertThat(call).isCompletedWithValue("X");
    }
  }

  @Test
  void anActorThatCallsIsToldOfTheTimeoutAndGoesOn() {
    try (var kit = new ManualSystem()) {
      var callee = kit.puppet("callee");
      var caller = kit.puppet("caller");
      caller.cast(
          does(
              _ -> {
                try {
                  callee.call(want(NEVER), Duration.ofMillis(30));
                } catch (CallTimeoutException e) {
                  kit.note(e.callee() + " " + e.request() + " " + e.timeout().toMillis());
                }
              }));
      caller.cast(say("goes on"));
      kit.advance(Duration.ofMillis(29));
      assertThat(kit.log()).doesNotContain("caller goes on");
      kit.advance(Duration.ofMillis(2));
      assertThat(kit.log()).endsWith("/test/callee Want 30", "caller goes on");
    }
  }

  @Test
  void callToSelfBringsTheTimeoutAsAMessage() {
    try (var kit = new ManualSystem()) {
      var callee = kit.puppet("callee");
      var caller = kit.puppet("caller");
      caller.cast(
          does(
              c ->
                  c.callToSelf(
                      callee,
                      want(NEVER),
                      Duration.ofMillis(30),
                      outcome -> say(outcome.toString().lines().findFirst().orElse("")))));
      kit.advance(Duration.ofMillis(31));
      assertThat(kit.log()).last().asString().contains("did not answer Want within 30 ms");
    }
  }

  @Test
  void callToSelfTellsWhatTheCalleeDidWhenTheTimePassedNotWhenTheCallerGotToIt() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var calleeGate = new CompletableFuture<Reply<String>>();
      var callerGate = new CompletableFuture<Reply<String>>();
      var callee = kit.puppet("callee");
      callee.cast(does(_ -> waitHere(helper, calleeGate)));
      kit.run();
      var told = new CompletableFuture<CallOutcome<String>>();
      var caller = kit.puppet("caller");
      caller.cast(
          does(
              c -> {
                c.callToSelf(
                    callee,
                    ask("anyone?"),
                    Duration.ofMillis(30),
                    outcome -> {
                      told.complete(outcome);
                      return say("is told");
                    });
                helper.call(want((w, h) -> callerGate.complete(h.defer(w))), Duration.ofHours(1));
              }));
      kit.advance(Duration.ofMillis(31));
      assertThat(told).as("the caller has a message in hand").isNotDone();
      calleeGate.join().send("go");
      kit.advance(Duration.ofSeconds(1));
      assertThat(callee.snapshot().state()).isEqualTo(ActorState.RECEIVING);
      callerGate.join().send("go");
      kit.run();
      assertThat(kit.log()).endsWith("caller is told");
      assertThat(told.join())
          .isInstanceOfSatisfying(
              CallOutcome.Failed.class,
              failed ->
                  assertThat(failed.cause())
                      .isInstanceOfSatisfying(
                          CallTimeoutException.class,
                          e -> {
                            var then = e.calleeThen();
                            assertThat(then.state()).isEqualTo(ActorState.SUSPENDED);
                            assertThat(then.handling()).isEqualTo("Do");
                            assertThat(then.queued()).isEqualTo(1);
                            assertThat(then.stack())
                                .anyMatch(frame -> frame.getMethodName().equals("waitHere"));
                          }));
    }
  }

  @Test
  void anAnswerAfterTheTimeoutIsRefused() {
    try (var kit = new ManualSystem()) {
      var promised = new CompletableFuture<Reply<String>>();
      var call =
          kit.call(
              kit.puppet("a"),
              want((w, c) -> promised.complete(c.defer(w))),
              Duration.ofMillis(10));
      kit.advance(Duration.ofMillis(11));
      assertThat(failureOf(call)).isInstanceOf(CallTimeoutException.class);
      assertThat(promised.join().send("late")).isFalse();
    }
  }

  @Test
  void theErrorPointsToNoStackWhereNobodyIsAtWork() {
    try (var kit = new ManualSystem()) {
      var call = kit.call(kit.puppet("a"), want(NEVER), Duration.ofMillis(20));
      kit.advance(Duration.ofMillis(21));
      assertThat(failureOf(call))
          .isInstanceOf(CallTimeoutException.class)
          .hasMessageContainingAll("RECEIVING", "its reply was deferred")
          .hasMessageNotContaining("stack");
    }
  }

  @ParameterizedTest(name = "{0} ns: within {1}")
  @CsvSource({"1, 1 ns", "1500, 1500 ns", "500000, 500 µs", "1000000, 1 ms", "30000000, 30 ms"})
  void theErrorNamesATimeoutBelowAMillisecondInSmallerUnits(long nanos, String named) {
    try (var kit = new ManualSystem()) {
      var call = kit.call(kit.puppet("a"), want(NEVER), Duration.ofNanos(nanos));
      kit.advance(Duration.ofMillis(31));
      assertThat(failureOf(call))
          .isInstanceOf(CallTimeoutException.class)
          .hasMessageContaining("did not answer Want within " + named + ". [CALL-TIMEOUT]");
    }
  }

  @Test
  void theErrorSaysWhoWhatWhereAndSinceWhen() {
    try (var kit = new ManualSystem()) {
      var callee = kit.puppet("callee");
      var gate = new CompletableFuture<Reply<String>>();
      var helper = kit.puppet("helper");
      // The callee is in the middle of a Do, which waits for the helper, with two more queued.
      callee.cast(does(_ -> waitHere(helper, gate)));
      kit.run();
      callee.cast(say("queued"));
      var call = kit.call(callee, ask("anyone?"), Duration.ofMillis(250));
      kit.advance(Duration.ofMillis(251));
      assertThat(failureOf(call))
          .isInstanceOfSatisfying(
              CallTimeoutException.class,
              e -> {
                assertThat(e.callee()).isEqualTo("/test/callee");
                assertThat(e.request()).isEqualTo("Ask");
                assertThat(e.timeout()).isEqualTo(Duration.ofMillis(250));
                var then = e.calleeThen();
                assertThat(then.path()).isEqualTo("/test/callee");
                assertThat(then.state()).isEqualTo(ActorState.SUSPENDED);
                assertThat(then.handling()).isEqualTo("Do");
                assertThat(then.queued()).isEqualTo(2);
                assertThat(then.since().toMillis()).isBetween(249L, 252L);
                assertThat(then.stack())
                    .anyMatch(frame -> frame.getMethodName().equals("waitHere"));
              })
          .hasMessageContainingAll(
              "/test/callee",
              "Ask",
              "250 ms",
              "[CALL-TIMEOUT]",
              "SUSPENDED",
              "handling Do",
              "2 queued",
              "waitHere",
              "next:");
      gate.join().send("go");
    }
  }

  @Test
  void theErrorSaysSinceWhenTheMessageIsInHandNotItsLastWait() {
    try (var kit = new ManualSystem()) {
      var callee = kit.puppet("callee");
      var helper = kit.puppet("helper");
      var first = new CompletableFuture<Reply<String>>();
      var second = new CompletableFuture<Reply<String>>();
      callee.cast(
          does(
              _ -> {
                waitHere(helper, first);
                waitHere(helper, second);
              }));
      kit.advance(Duration.ofMillis(700));
      first.join().send("go on");
      kit.run();
      var call = kit.call(callee, ask("anyone?"), Duration.ofMillis(50));
      kit.advance(Duration.ofMillis(51));
      assertThat(failureOf(call))
          .isInstanceOfSatisfying(
              CallTimeoutException.class,
              e -> assertThat(e.calleeThen().since().toMillis()).isBetween(749L, 753L))
          .hasMessageContaining("SUSPENDED, handling Do for 75");
      second.join().send("go");
    }
  }

  private static void waitHere(ActorRef<Puppet.Msg> helper, CompletableFuture<Reply<String>> gate) {
    helper.call(want((w, c) -> gate.complete(c.defer(w))), Duration.ofDays(1));
  }

  @Test
  void theErrorShowsTheStackOfACalleeThatHoldsItsWorker() throws Exception {
    try (var system = ActorSystem.open("busy", c -> c.withWorkers(1))) {
      var go = new CountDownLatch(1);
      var busy = new CountDownLatch(1);
      var callee =
          system.spawn("callee", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      callee.cast(
          does(
              _ -> {
                spinHere(busy, go);
              }));
      Await.latch(busy);
      try {
        assertThatThrownBy(() -> callee.call(ask("hello"), Duration.ofMillis(50)))
            .isInstanceOf(CallTimeoutException.class)
            .hasMessageContainingAll("RUNNING", "handling Do", "1 queued", "spinHere");
      } finally {
        go.countDown();
      }
    }
  }

  /** Nobody works, so nobody moves the coarse clock: the error must not take its word. */
  @Test
  void theErrorSaysSinceWhenAlsoInASystemThatSleeps() throws Exception {
    try (var system = ActorSystem.open("asleep", c -> c.withWorkers(1))) {
      var callee =
          system.spawn("callee", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      assertThat(callee.call(ask("awake"))).isEqualTo("AWAKE");
      Thread.sleep(150); // not to wait for anything: this is the sleep
      var go = new CountDownLatch(1);
      var begun = new CountDownLatch(1);
      long before = System.nanoTime();
      callee.cast(
          does(
              _ -> {
                begun.countDown();
                go.await();
              }));
      Await.latch(begun);
      try {
        assertThatThrownBy(() -> callee.call(ask("hello"), Duration.ofMillis(300)))
            .isInstanceOfSatisfying(
                CallTimeoutException.class,
                e ->
                    assertThat(e.calleeThen().since())
                        .isBetween(
                            Duration.ofMillis(298),
                            Duration.ofNanos(System.nanoTime() - before).plusMillis(2)));
      } finally {
        go.countDown();
      }
    }
  }

  private static void spinHere(CountDownLatch begun, CountDownLatch go) {
    Unwoven.spin(begun, go);
  }

  @Test
  void aForwardedCallThatTimesOutNamesWhoHadIt() {
    try (var kit = new ManualSystem()) {
      var last = kit.puppet("last");
      var first = kit.puppet("first");
      var call =
          kit.call(first, want((w, c) -> c.forward(w, last, want(NEVER))), Duration.ofMillis(20));
      kit.advance(Duration.ofMillis(10));
      assertThat(call).isNotDone();
      kit.advance(Duration.ofMillis(11)); // the caller's timeout went on running
      assertThat(failureOf(call)).hasMessageContaining("Actor /test/last did not answer");
    }
  }

  @Test
  void aCallThatWaitsForRoomInAFullMailboxTimesOutToo() {
    try (var kit = new ManualSystem()) {
      var gate = new CompletableFuture<Reply<String>>();
      var helper = kit.puppet("helper");
      var callee =
          kit.puppet("callee", s -> s.withMailbox(MailboxConfig.bounded(1, OverflowPolicy.WAIT)));
      callee.cast(does(_ -> waitHere(helper, gate)));
      kit.run();
      callee.cast(say("fills it"));
      var caller = kit.puppet("caller");
      caller.cast(
          does(
              _ -> {
                try {
                  callee.call(ask("room?"), Duration.ofMillis(20));
                } catch (CallTimeoutException e) {
                  kit.note("told");
                }
              }));
      kit.advance(Duration.ofMillis(21));
      boolean told = kit.log().contains("told");
      gate.join().send("go");
      assertThat(told).isTrue();
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void timeoutsFireOnARealClock(int workers) throws Exception {
    try (var system = ActorSystem.open("timeouts", c -> c.withWorkers(workers))) {
      var actor =
          system.spawn("a", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      long before = System.nanoTime();
      assertThatThrownBy(() -> actor.call(want(NEVER), Duration.ofMillis(20)))
          .isInstanceOf(CallTimeoutException.class);
      assertThatThrownBy(() -> Await.result(actor.callAsync(want(NEVER), Duration.ofMillis(20))))
          .isInstanceOf(CallTimeoutException.class);
      var caught = new CompletableFuture<Throwable>();
      var caller = system.spawn(() -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      caller.cast(
          does(
              _ -> {
                try {
                  actor.call(want(NEVER), Duration.ofMillis(20));
                } catch (CallException e) {
                  caught.complete(e);
                }
              }));
      assertThat(Await.result(caught)).isInstanceOf(CallTimeoutException.class);
      assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(60_000_000);
    }
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"PT0S", "PT-1S"})
  void aTimeoutMustBePositive(String timeout) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      assertThatThrownBy(() -> actor.call(ask("x"), Duration.parse(timeout)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll(timeout, "positive");
      assertThatThrownBy(() -> actor.callAsync(ask("x"), Duration.parse(timeout)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aTimeoutFiresInTimeInASystemThatHasBeenAsleep() throws Exception {
    try (var system = ActorSystem.open("asleep", c -> c.withWorkers(1))) {
      var actor =
          system.spawn("a", () -> new Puppet(Collections.synchronizedList(new ArrayList<>())));
      for (int round = 0; round < 3; round++) {
        assertThat(actor.call(ask("awake"))).isEqualTo("AWAKE");
        Thread.sleep(100); // not to wait for anything: this is the sleep
        long before = System.nanoTime();
        assertThatThrownBy(() -> Await.result(actor.callAsync(want(NEVER), Duration.ofMillis(30))))
            .isInstanceOf(CallTimeoutException.class);
        // It looks round once a second even if nobody wakes it: much less than that is in time.
        assertThat(Duration.ofNanos(System.nanoTime() - before))
            .isBetween(Duration.ofMillis(30), Duration.ofMillis(500));
      }
    }
  }
}
