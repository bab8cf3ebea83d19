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
import io.turnwise.mailbox.MailboxDeadlockException;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.scheduling.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mailboxes with a bound: what each policy does with one message more. */
class BoundedMailboxTest {
  private static UnaryOperator<ActorSpec<Puppet.Msg>> bounded(int capacity, OverflowPolicy policy) {
    return spec -> spec.withMailbox(MailboxConfig.bounded(capacity, policy));
  }

  @ParameterizedTest
  @EnumSource
  void upToItsCapacityEveryPolicyAcceptsAndKeepsOrder(OverflowPolicy policy) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", bounded(3, policy));
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++) actor.cast(say("" + i));
        kit.run();
      }
      assertThat(kit.log())
          .containsExactly(
              "a begins", "a 0", "a 1", "a 2", "a 0", "a 1", "a 2", "a 0", "a 1", "a 2");
      assertThat(kit.system().snapshot().deadLettersTotal()).isZero();
    }
  }

  @Test
  void failRefusesTheSendWithAReason() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", bounded(2, OverflowPolicy.FAIL));
      actor.cast(say("1"));
      actor.cast(say("2"));
      assertThatThrownBy(() -> actor.cast(say("3")))
          .isInstanceOf(MailboxFullException.class)
          .hasMessageContainingAll("/test/a", "holds 2", "[MAILBOX-FULL]", "next:");
      assertThatThrownBy(() -> actor.cast(say("3"), Priority.HIGH))
          .isInstanceOf(MailboxFullException.class);
      assertThat(failureOf(actor.callAsync(ask("4")).toCompletableFuture()))
          .as("a stage fails, it does not throw")
          .isInstanceOf(MailboxFullException.class);
      assertThatThrownBy(() -> actor.call(ask("5"))).isInstanceOf(MailboxFullException.class);
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a 1", "a 2");
      assertThat(kit.system().snapshot().deadLettersTotal())
          .as("a message that was refused was never accepted")
          .isZero();
    }
  }

  @Test
  void aRefusalOfACallToSelfComesBackOnceAsItsOutcome() {
    try (var kit = new ManualSystem()) {
      var full = kit.puppet("full", bounded(1, OverflowPolicy.FAIL));
      var caller = kit.puppet("caller");
      caller.cast(
          does(
              c -> {
                full.cast(say("1"));
                c.callToSelf(
                    full,
                    ask("2"),
                    outcome ->
                        say(
                            ((CallOutcome.Failed<String>) outcome)
                                .cause()
                                .getClass()
                                .getSimpleName()));
              }));
      kit.run();
      assertThat(kit.log()).containsOnlyOnce("caller MailboxFullException");
      assertThat(kit.log()).contains("full 1").doesNotContain("full 2?");
      assertThat(kit.system().snapshot().messagesFailed()).isZero();
    }
  }

  @Test
  void dropNewestTurnsTheNewMessageIntoADeadLetter() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", bounded(2, OverflowPolicy.DROP_NEWEST));
      for (int i = 1; i <= 5; i++) actor.cast(say("" + i));
      kit.run();
      assertThat(kit.log()).containsExactly("a begins", "a 1", "a 2");
      assertThat(kit.deadLetters(DeadLetterReason.DROPPED_NEWEST)).isEqualTo(3);
    }
  }

  @Test
  void dropOldestMakesRoomInTheLowestLaneFirst() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", bounded(4, OverflowPolicy.DROP_OLDEST));
      actor.cast(say("high 1"), Priority.HIGH);
      actor.cast(say("high 2"), Priority.HIGH);
      actor.cast(say("low 1"), Priority.LOW);
      actor.cast(say("low 2"), Priority.LOW);
      actor.cast(say("high 3"), Priority.HIGH);
      actor.cast(say("low 3"), Priority.LOW);
      kit.run();
      assertThat(kit.log())
          .containsExactly("a begins", "a high 1", "a high 2", "a high 3", "a low 3");
      assertThat(kit.deadLetters(DeadLetterReason.DROPPED_OLDEST)).isEqualTo(2);
    }
  }

  /** In a mailbox of two, the third comes; L, N and H are messages of their lanes. */
  @ParameterizedTest(name = "{0} and {1} wait, {2} comes: {3}")
  @CsvSource({
    "L,L,L, second third",
    "N,L,L, first third",
    "H,N,L, first second",
    "H,H,L, first second",
    "N,N,L, first second",
    "N,L,N, first third",
    "L,N,N, second third",
    "N,N,N, second third",
    "H,N,N, first third",
    "H,H,N, first second",
    "N,L,H, first third",
    "N,H,H, second third",
    "H,N,H, first third",
    "H,H,H, second third",
  })
  void dropOldestDropsNothingForTheSakeOfALowerLane(
      String first, String second, String third, String kept) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", bounded(2, OverflowPolicy.DROP_OLDEST));
      actor.cast(say("first"), lane(first));
      actor.cast(say("second"), lane(second));
      actor.cast(say("third"), lane(third));
      kit.run();
      assertThat(kit.log().stream().skip(1).map(line -> line.substring(2)))
          .containsExactlyInAnyOrder(kept.split(" "));
      assertThat(
              kit.deadLetters(
                  kept.contains("third")
                      ? DeadLetterReason.DROPPED_OLDEST
                      : DeadLetterReason.DROPPED_NEWEST))
          .isEqualTo(1);
      assertThat(kit.system().snapshot().deadLettersTotal()).isEqualTo(1);
    }
  }

  private static Priority lane(String letter) {
    return switch (letter) {
      case "H" -> Priority.HIGH;
      case "N" -> Priority.NORMAL;
      default -> Priority.LOW;
    };
  }

  @ParameterizedTest
  @EnumSource(names = {"DROP_NEWEST", "DROP_OLDEST"})
  void aCallThatIsDroppedFailsAtOnceAndSaysSo(OverflowPolicy policy) {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", bounded(1, policy));
      var first = kit.call(actor, ask("first"));
      var second = kit.call(actor, ask("second"));
      var dropped = policy == OverflowPolicy.DROP_NEWEST ? second : first;
      assertThat(failureOf(dropped))
          .isInstanceOf(RequestDroppedException.class)
          .hasMessageContainingAll(
              "mailbox of /test/a", "capacity 1", policy.name(), "dropped Ask", "next:")
          .hasNoCause();
      kit.run();
      assertThat(dropped == first ? second : first).isCompleted();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"DROP_NEWEST", "DROP_OLDEST"})
  void aForwardedCallThatIsDroppedNamesTheMailboxThatDroppedIt(OverflowPolicy policy) {
    try (var kit = new ManualSystem()) {
      var gate = new CompletableFuture<Reply<String>>();
      var helper = kit.puppet("helper");
      var full = kit.puppet("full", bounded(2, policy));
      var first = kit.puppet("first");
      full.cast(does(_ -> helper.call(want((w, c) -> gate.complete(c.defer(w))))));
      kit.run();
      var call = kit.call(first, want((w, c) -> c.forward(w, full, ask("forwarded"))));
      if (policy == OverflowPolicy.DROP_OLDEST) kit.run(); // or it is what comes last
      full.cast(say("1"));
      full.cast(say("2"));
      kit.run();
      assertThat(failureOf(call))
          .isInstanceOf(RequestDroppedException.class)
          .hasMessageContainingAll("mailbox of /test/full", "capacity 2", policy.name());
      gate.join().send("go");
    }
  }

  // ---- WAIT ----------------------------------------------------------------------------------

  @Test
  void anActorThatWaitsForRoomIsSuspendedAndItsWorkerGoesOn() {
    try (var kit = new ManualSystem()) {
      var gate = new CompletableFuture<Reply<String>>();
      var helper = kit.puppet("helper");
      var full = kit.puppet("full", bounded(1, OverflowPolicy.WAIT));
      full.cast(does(_ -> helper.call(want((w, c) -> gate.complete(c.defer(w))))));
      kit.run();
      var sender = kit.puppet("sender");
      sender.cast(
          does(
              _ -> {
                full.cast(say("1"));
                full.cast(say("2"));
                kit.note("sent");
              }));
      var other = kit.puppet("other");
      kit.run();
      assertThat(sender.snapshot().state()).isEqualTo(ActorState.SUSPENDED);
      other.cast(say("not held up"));
      kit.run();
      assertThat(kit.log()).endsWith("other not held up").doesNotContain("sent");
      gate.join().send("go");
      kit.run();
      assertThat(kit.log()).contains("sent").containsSubsequence("full 1", "full 2");
    }
  }

  @Test
  void aTurnWaitsForRoomForItsRequestNoLongerThanTheCallDoes() {
    try (var kit = new ManualSystem()) {
      var gate = new CompletableFuture<Reply<String>>();
      var full = fullUntil(kit, gate);
      var caller = kit.puppet("caller");
      caller.cast(
          does(
              c -> {
                c.callToSelf(
                    full,
                    ask("withdrawn"),
                    Duration.ofMillis(30),
                    o -> say(o.toString().lines().findFirst().orElse("")));
                kit.note("goes on");
              }));
      kit.advance(Duration.ofMillis(29));
      assertThat(caller.snapshot().state()).isEqualTo(ActorState.SUSPENDED);
      kit.advance(Duration.ofMillis(2));
      assertThat(kit.log()).contains("goes on");
      assertThat(kit.log()).last().asString().contains("did not answer Ask within 30 ms");
      gate.join().send("go");
      kit.run();
      assertThat(kit.log()).contains("full 1").doesNotContain("full withdrawn?");
    }
  }

  @Test
  void aTurnThatForwardsWaitsForRoomNoLongerThanTheCallerDoes() {
    try (var kit = new ManualSystem()) {
      var gate = new CompletableFuture<Reply<String>>();
      var full = fullUntil(kit, gate);
      var between = kit.puppet("between");
      var call =
          kit.call(
              between,
              want(
                  (w, c) -> {
                    c.forward(w, full, ask("withdrawn"));
                    kit.note("goes on");
                  }),
              Duration.ofMillis(30));
      kit.advance(Duration.ofMillis(29));
      assertThat(between.snapshot().state()).isEqualTo(ActorState.SUSPENDED);
      kit.advance(Duration.ofMillis(2));
      assertThat(failureOf(call)).isInstanceOf(CallTimeoutException.class);
      assertThat(kit.log()).contains("goes on");
      gate.join().send("go");
      kit.run();
      assertThat(kit.log()).contains("full 1").doesNotContain("full withdrawn?");
    }
  }

  @Test
  void aForwardedRequestThatWasCastWaitsForRoomAsLongAsItTakes() {
    try (var kit = new ManualSystem()) {
      var gate = new CompletableFuture<Reply<String>>();
      var full = fullUntil(kit, gate);
      var between = kit.puppet("between");
      between.cast(want((w, c) -> c.forward(w, full, ask("kept"))));
      kit.advance(Duration.ofHours(1));
      assertThat(between.snapshot().state()).isEqualTo(ActorState.SUSPENDED);
      gate.join().send("go");
      kit.run();
      assertThat(kit.log()).containsSubsequence("full 1", "full kept?");
    }
  }

  @Test
  void aThreadWaitsForRoomForItsRequestNoLongerThanTheCallDoes() throws Exception {
    try (var system = ActorSystem.open("wait", c -> c.withWorkers(1))) {
      var log = Collections.synchronizedList(new ArrayList<String>());
      var go = new CountDownLatch(1);
      var begun = new CountDownLatch(1);
      var full =
          system.spawn(
              "full", bounded(1, OverflowPolicy.WAIT).apply(ActorSpec.of(() -> new Puppet(log))));
      full.cast(
          does(
              _ -> {
                begun.countDown();
                go.await();
              }));
      Await.latch(begun);
      full.cast(say("1"));
      var sent = new CompletableFuture<CompletableFuture<String>>();
      Thread.ofPlatform()
          .start(
              () ->
                  sent.complete(
                      full.callAsync(ask("withdrawn"), Duration.ofMillis(1))
                          .toCompletableFuture()));
      try {
        assertThat(failureOf(Await.result(sent))).isInstanceOf(CallTimeoutException.class);
      } finally {
        go.countDown();
      }
      assertThat(full.call(ask("room"))).isEqualTo("ROOM");
      assertThat(log).contains("full 1").doesNotContain("full withdrawn?");
    }
  }

  /** An actor with a mailbox of one place that is taken, and a turn that lasts until the answer. */
  private static ActorRef<Puppet.Msg> fullUntil(
      ManualSystem kit, CompletableFuture<Reply<String>> gate) {
    var helper = kit.puppet("helper");
    var full = kit.puppet("full", bounded(1, OverflowPolicy.WAIT));
    full.cast(
        does(_ -> helper.call(want((w, c) -> gate.complete(c.defer(w))), Duration.ofHours(2))));
    kit.run();
    full.cast(say("1"));
    return full;
  }

  @Test
  void waitingSendersGetTheirTurnInOrder() {
    try (var kit = new ManualSystem()) {
      var gate = new CompletableFuture<Reply<String>>();
      var helper = kit.puppet("helper");
      var full = kit.puppet("full", bounded(1, OverflowPolicy.WAIT));
      full.cast(does(_ -> helper.call(want((w, c) -> gate.complete(c.defer(w))))));
      kit.run();
      for (int i = 0; i < 5; i++) {
        String name = "sender-" + i;
        kit.puppet(name)
            .cast(
                does(
                    _ -> {
                      full.cast(say(name + " first"));
                      full.cast(say(name + " second"));
                    }));
        kit.run();
      }
      gate.join().send("go");
      kit.run();
      List<String> handled = kit.log().stream().filter(l -> l.startsWith("full sender")).toList();
      assertThat(handled).hasSize(10);
      assertThat(handled.stream().filter(l -> l.endsWith("first")).toList())
          .containsExactly(
              "full sender-0 first",
              "full sender-1 first",
              "full sender-2 first",
              "full sender-3 first",
              "full sender-4 first");
      for (int i = 0; i < 5; i++)
        assertThat(handled)
            .containsSubsequence("full sender-" + i + " first", "full sender-" + i + " second");
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void aPlainThreadWaitsForRoomAndLosesNothing(int workers) throws Exception {
    try (var system = ActorSystem.open("wait", c -> c.withWorkers(workers))) {
      List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
      var done = new CountDownLatch(1);
      int total = 5_000;
      ActorRef<Integer> actor =
          system.spawn(
              ActorSpec.<Integer>of(
                      () ->
                          (n, _) -> {
                            seen.add(n);
                            if (n == total - 1) done.countDown();
                          })
                  .withMailbox(MailboxConfig.bounded(3, OverflowPolicy.WAIT)));
      for (int i = 0; i < total; i++) actor.cast(i);
      Await.latch(done);
      assertThat(seen).hasSize(total).isSorted();
    }
  }

  @ParameterizedTest(name = "{0} workers")
  @ValueSource(ints = {1, 2})
  void manyActorsThatWaitForRoomLoseNothing(int workers) throws Exception {
    try (var system = ActorSystem.open("wait", c -> c.withWorkers(workers))) {
      int senders = 8;
      int each = 500;
      var count = new AtomicInteger();
      var done = new CountDownLatch(1);
      ActorRef<Integer> sink =
          system.spawn(
              ActorSpec.<Integer>of(
                      () ->
                          (_, _) -> {
                            if (count.incrementAndGet() == senders * each) done.countDown();
                          })
                  .withMailbox(MailboxConfig.bounded(2, OverflowPolicy.WAIT)));
      for (int s = 0; s < senders; s++) {
        ActorRef<Integer> sender =
            system.spawn(
                () ->
                    (n, _) -> {
                      for (int i = 0; i < n; i++) sink.cast(i);
                    });
        sender.cast(each);
      }
      Await.latch(done);
      assertThat(system.snapshot().deadLettersTotal()).isZero();
    }
  }

  @Test
  void anInterruptWhileAThreadWaitsForRoomIsKeptForLater() throws Exception {
    try (var system = ActorSystem.open("wait", c -> c.withWorkers(1))) {
      var gate = new CountDownLatch(1);
      List<String> log = Collections.synchronizedList(new ArrayList<>());
      var actor =
          system.spawn(
              "a",
              ActorSpec.<Puppet.Msg>of(() -> new Puppet(log))
                  .withMailbox(MailboxConfig.bounded(1, OverflowPolicy.WAIT)));
      actor.cast(does(_ -> gate.await()));
      Await.until("the actor is in the middle", () -> actor.snapshot().queued() == 0);
      actor.cast(say("1"));
      var flag = new CompletableFuture<Boolean>();
      Thread sender =
          Thread.ofPlatform()
              .start(
                  () -> {
                    actor.cast(say("2"));
                    flag.complete(Thread.currentThread().isInterrupted());
                  });
      Await.until("the sender waits", () -> sender.getState() == Thread.State.WAITING);
      sender.interrupt();
      gate.countDown();
      assertThat(Await.result(flag)).isTrue();
      assertThat(actor.call(ask("end"))).isEqualTo("END");
      assertThat(log).containsExactly("a begins", "a 1", "a 2", "a end?");
    }
  }

  @Test
  void whenTheActorStopsWaitingSendersGoOnAndTheirMessagesAreDeadLetters() {
    try (var kit = new ManualSystem()) {
      var gate = new CompletableFuture<Reply<String>>();
      var helper = kit.puppet("helper");
      var full = kit.puppet("full", bounded(1, OverflowPolicy.WAIT));
      full.cast(does(_ -> helper.call(want((w, c) -> gate.complete(c.defer(w))))));
      kit.run();
      full.cast(say("inside"));
      kit.puppet("sender")
          .cast(
              does(
                  _ -> {
                    full.cast(say("outside"));
                    kit.note("released");
                  }));
      kit.run();
      full.stop();
      gate.join().send("go");
      kit.run();
      assertThat(kit.log()).contains("released").doesNotContain("full inside", "full outside");
      assertThat(kit.system().snapshot().deadLettersTotal()).isEqualTo(2);
    }
  }

  // ---- circles -------------------------------------------------------------------------------

  @ParameterizedTest(name = "{0} actors")
  @ValueSource(ints = {1, 2, 3, 7})
  void aCircleOfActorsThatWaitForEachOthersFullMailboxesIsFound(int size) {
    try (var kit = new ManualSystem()) {
      List<ActorRef<Puppet.Msg>> circle = new ArrayList<>();
      for (int i = 0; i < size; i++)
        circle.add(kit.puppet("ring-" + i, bounded(1, OverflowPolicy.WAIT)));
      List<String> told = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        var next = circle.get((i + 1) % size);
        circle
            .get(i)
            .cast(
                does(
                    c -> {
                      try {
                        for (int n = 0; n < 3; n++) next.cast(say("from " + c.self().name()));
                      } catch (MailboxDeadlockException e) {
                        told.add(e.getMessage());
                      }
                    }));
      }
      kit.run();
      assertThat(told).hasSize(1);
      assertThat(told.getFirst()).contains("[MAILBOX-DEADLOCK]", "next:");
      for (var member : circle) assertThat(told.getFirst()).contains(member.path());
    }
  }

  @Test
  void whoIsNotCaughtInACircleIsLeftAlone() {
    try (var kit = new ManualSystem()) {
      var gate = new CompletableFuture<Reply<String>>();
      var helper = kit.puppet("helper");
      var last = kit.puppet("last", bounded(1, OverflowPolicy.WAIT));
      last.cast(does(_ -> helper.call(want((w, c) -> gate.complete(c.defer(w))))));
      kit.run();
      // A chain, no circle: first waits for middle, middle waits for last, last is just slow.
      var middle = kit.puppet("middle", bounded(1, OverflowPolicy.WAIT));
      var first = kit.puppet("first", bounded(1, OverflowPolicy.WAIT));
      Puppet.Step toLast =
          _ -> {
            for (int i = 0; i < 3; i++) last.cast(say("m"));
          };
      Puppet.Step toMiddle =
          _ -> {
            for (int i = 0; i < 3; i++) middle.cast(say("f"));
          };
      middle.cast(does(toLast));
      kit.run();
      first.cast(does(toMiddle));
      kit.run();
      assertThat(first.snapshot().state()).isEqualTo(ActorState.SUSPENDED);
      assertThat(middle.snapshot().state()).isEqualTo(ActorState.SUSPENDED);
      gate.join().send("go");
      kit.run();
      assertThat(kit.log().stream().filter("middle f"::equals).count()).isEqualTo(3);
      assertThat(kit.log().stream().filter("last m"::equals).count()).isEqualTo(3);
    }
  }

  @ParameterizedTest(name = "{0}, {1} workers")
  @CsvSource({"ASYNC,1", "ASYNC,2", "BLOCKING,1", "THREAD,1"})
  void circlesAreFoundOnEveryBackend(Backend backend, int workers) throws Exception {
    try (var system =
        ActorSystem.open(
            "circle",
            c -> c.withWorkers(workers).withCloseDeadline(java.time.Duration.ofMillis(300)))) {
      var spec =
          bounded(1, OverflowPolicy.WAIT)
              .apply(
                  ActorSpec.of(() -> new Puppet(Collections.synchronizedList(new ArrayList<>()))))
              .withBackend(backend);
      var one = system.spawn("one", spec);
      var two = system.spawn("two", spec);
      var found = new CompletableFuture<String>();
      one.cast(does(_ -> flood(two, found)));
      two.cast(does(_ -> flood(one, found)));
      assertThat(found)
          .succeedsWithin(java.time.Duration.ofSeconds(3))
          .asString()
          .contains("/circle/one", "/circle/two");
    }
  }

  private static void flood(ActorRef<Puppet.Msg> target, CompletableFuture<String> found) {
    try {
      while (!found.isDone()) target.cast(say("more"));
    } catch (MailboxDeadlockException e) {
      found.complete(e.getMessage());
    }
  }

  @Test
  void aCallThatClosesACircleFailsInsteadOfWaiting() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var actor = kit.puppet("a", bounded(1, OverflowPolicy.WAIT));
      var other = kit.puppet("b", bounded(1, OverflowPolicy.WAIT));
      actor.cast(
          does(
              c -> {
                c.self().cast(say("fills it"));
                other.cast(does(_ -> actor.cast(say("waits for room"))));
                helper.call(ask("a while")); // until the other waits
                other.cast(say("fills it"));
                assertThatThrownBy(() -> other.call(ask("you")))
                    .isInstanceOf(MailboxDeadlockException.class);
                kit.note("checked");
              }));
      kit.run();
      assertThat(kit.log()).contains("checked", "a waits for room").doesNotContain("b you?");
    }
  }

  @Test
  void aForwardThatClosesACircleFailsTheOriginalCall() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", bounded(1, OverflowPolicy.WAIT));
      var call =
          kit.call(
              actor,
              want(
                  (w, c) -> {
                    c.self().cast(say("fills it"));
                    c.forward(w, c.self(), ask("me"));
                    kit.note("went on");
                  }));
      kit.run();
      assertThat(kit.log()).contains("went on");
      assertThat(failureOf(call))
          .isInstanceOf(CalleeFailedException.class)
          .hasCauseInstanceOf(MailboxDeadlockException.class);
    }
  }

  // ---- what the runtime owes the actor ---------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void theAnswerOfCallToSelfIsDeliveredEvenToAFullMailbox(OverflowPolicy policy) {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var answer = new CompletableFuture<Reply<String>>();
      var gate = new CompletableFuture<Reply<String>>();
      var caller = kit.puppet("caller", bounded(1, policy));
      caller.cast(
          does(
              c -> {
                c.callToSelf(
                    helper, want((w, h) -> answer.complete(h.defer(w))), o -> say("answer " + o));
                helper.call(want((w, h) -> gate.complete(h.defer(w))));
              }));
      kit.run();
      caller.cast(say("fills it"));
      var helped = new CompletableFuture<Boolean>();
      helper.cast(does(_ -> helped.complete(answer.join().send("yes"))));
      kit.run();
      assertThat(helped).as("who answers is not held up by the caller's mailbox").isDone();
      gate.join().send("go");
      kit.run();
      assertThat(kit.log()).contains("caller fills it", "caller answer Answered[value=yes]");
      assertThat(kit.system().snapshot().deadLettersTotal()).isZero();
    }
  }

  @Test
  void neitherAnAnswerNorAStopIsDroppedAsTheOldest() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var answer = new CompletableFuture<Reply<String>>();
      var gate = new CompletableFuture<Reply<String>>();
      var actor = kit.puppet("a", bounded(2, OverflowPolicy.DROP_OLDEST));
      actor.cast(
          does(
              c -> {
                c.callToSelf(
                    helper, want((w, h) -> answer.complete(h.defer(w))), o -> say("answer " + o));
                helper.call(want((w, h) -> gate.complete(h.defer(w))));
              }));
      kit.run();
      answer.join().send("yes");
      actor.stopAfterDrain();
      for (int i = 0; i < 5; i++) actor.cast(say("flood " + i));
      gate.join().send("go");
      kit.run();
      assertThat(kit.log()).contains("a answer Answered[value=yes]", "a ends: shut down");
    }
  }

  @Test
  void whatADrainedActorIsSentLaterDoesNotPushItsEndBack() {
    try (var kit = new ManualSystem()) {
      var helper = kit.puppet("helper");
      var gate = new CompletableFuture<Reply<String>>();
      var actor = kit.puppet("a", bounded(2, OverflowPolicy.DROP_OLDEST));
      actor.cast(does(_ -> helper.call(want((w, h) -> gate.complete(h.defer(w))))));
      kit.run();
      actor.stopAfterDrain();
      for (int i = 0; i < 100; i++) actor.cast(say("flood " + i));
      assertThat(actor.snapshot().queued()).as("no more than it holds").isEqualTo(2);
      gate.join().send("go");
      kit.run();
      assertThat(kit.log()).containsExactly("helper begins", "a begins", "a ends: shut down");
      assertThat(kit.accountedFor()).isEqualTo(102);
    }
  }

  @Test
  void signalsReachAnActorWhoseMailboxIsFull() {
    try (var kit = new ManualSystem()) {
      var watched = kit.puppet("watched");
      var actor = kit.puppet("a", bounded(1, OverflowPolicy.FAIL));
      actor.cast(does(c -> c.watch(watched)));
      kit.run();
      actor.cast(say("fills it"));
      watched.stop();
      kit.run();
      assertThat(kit.log()).contains("a sees the end of watched: shut down", "a fills it");
    }
  }

  @Test
  void theQueueLengthOfABoundedMailboxIsVisible() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", bounded(10, OverflowPolicy.FAIL));
      for (int i = 0; i < 7; i++) actor.cast(say("x"));
      assertThat(actor.snapshot().queued()).isEqualTo(7);
      kit.run();
      assertThat(actor.snapshot().queued()).isZero();
    }
  }
}
