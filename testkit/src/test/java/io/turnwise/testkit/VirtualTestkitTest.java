package io.turnwise.testkit;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.CallTimeoutException;
import io.turnwise.HandlerCancelled;
import io.turnwise.StopReason;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.ActorState;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.testkit.Pupil.Ask;
import io.turnwise.testkit.Pupil.AskLater;
import io.turnwise.testkit.Pupil.Do;
import io.turnwise.testkit.Pupil.Msg;
import io.turnwise.testkit.Pupil.Say;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everything happens on the test's thread, when the test says so, at the moment it is due. */
class VirtualTestkitTest {
  private static ActorRef<Msg> pupil(Testkit kit, String name) {
    return kit.system().spawn(name, Pupil::new);
  }

  @Test
  void nothingHappensBeforeTheTestRunsIt() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> probe = kit.probe();
      probe.ref().cast(new Say("a"));
      assertThat(probe.received()).isEmpty();
      kit.run();
      assertThat(probe.received()).containsExactly(new Say("a"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyBackendRunsOnTheThreadOfTheTest(Backend backend) {
    try (var kit = Testkit.onVirtualTime(c -> c.withDispatcher("other", 3))) {
      Set<Thread> threads = new HashSet<>();
      var pupil =
          kit.system()
              .spawn(ActorSpec.<Msg>of(Pupil::new).withBackend(backend).withDispatcher("other"));
      pupil.cast(new Do(_ -> threads.add(Thread.currentThread())));
      kit.run();
      assertThat(threads).hasSize(1).allMatch(Thread::isVirtual);
    }
  }

  // ---- time ----------------------------------------------------------------------------------

  @Test
  void theClockStandsStillUntilItIsMoved() {
    try (var kit = Testkit.onVirtualTime()) {
      VirtualClock clock = kit.clock();
      assertThat(clock.instant()).isEqualTo(VirtualClock.START);
      kit.run();
      assertThat(clock.elapsed()).isZero();
      VirtualClock paris = clock.withZone(ZoneId.of("Europe/Paris"));
      kit.advance(ofHours(1));
      assertThat(clock.instant()).isEqualTo(Instant.parse("2000-01-01T01:00:00Z"));
      assertThat(clock.nanoTime()).isEqualTo(ofHours(1).toNanos());
      assertThat(paris.instant()).isEqualTo(clock.instant());
      assertThat(paris).hasToString("VirtualClock[2000-01-01T02:00+01:00[Europe/Paris]]");
      assertThat(paris).isNotEqualTo(clock).isEqualTo(clock.withZone(paris.getZone()));
    }
  }

  @Test
  void eachDeadlineIsMetAtItsOwnMomentAndInOrder() {
    try (var kit = Testkit.onVirtualTime()) {
      List<String> seen = new ArrayList<>();
      Probe<Msg> deaf = kit.probe("deaf");
      var pupil = pupil(kit, "pupil");
      for (Duration timeout :
          List.of(ofSeconds(3), ofMillis(1), ofHours(30), ofSeconds(3).plusNanos(1), ofDays(2))) {
        pupil.cast(
            new Do(
                context ->
                    context.callToSelf(
                        deaf.ref(),
                        new Ask("a"),
                        timeout,
                        _ -> new Do(_ -> seen.add(kit.clock().elapsed().toString())))));
      }
      kit.advance(ofDays(3));
      assertThat(seen).containsExactly("PT0.001S", "PT3S", "PT3.000000001S", "PT30H", "PT48H");
      assertThat(kit.clock().elapsed()).isEqualTo(ofDays(3));
    }
  }

  @Test
  void whatFollowsFromADeadlineHappensBeforeTimeGoesOn() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> deaf = kit.probe("deaf");
      var pupil = pupil(kit, "pupil");
      List<Duration> tries = new ArrayList<>();
      pupil.cast(new Do(retry(kit, deaf.ref(), tries)));
      kit.advance(ofSeconds(10).plusMillis(500));
      assertThat(tries).hasSize(11).startsWith(Duration.ZERO, ofSeconds(1), ofSeconds(2));
      pupil.stop();
      kit.advance(ofSeconds(1));
    }
  }

  /** Asks again and again, each time when the last has timed out. */
  private static java.util.function.Consumer<io.turnwise.Context<Msg>> retry(
      VirtualTestkit kit, ActorRef<Msg> deaf, List<Duration> tries) {
    return context -> {
      tries.add(kit.clock().elapsed());
      context.callToSelf(
          deaf, new Ask("again"), ofSeconds(1), _ -> new Do(retry(kit, deaf, tries)));
    };
  }

  @Test
  void timeDoesNotGoBack() {
    try (var kit = Testkit.onVirtualTime()) {
      assertThatThrownBy(() -> kit.advance(ofSeconds(-1)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("The duration is PT-1S; time goes forward, use a positive one");
    }
  }

  @Test
  void aHandlerTimeoutIsMetOnVirtualTime() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> deaf = kit.probe("deaf");
      List<String> seen = new ArrayList<>();
      var pupil =
          kit.system()
              .spawn(
                  "pupil",
                  ActorSpec.<Msg>of(Pupil::new)
                      .withHandlerTimeout(ofSeconds(1), TimeoutAction.CANCEL));
      pupil.cast(
          new Do(
              _ -> {
                try {
                  deaf.ref().call(new Ask("a"), ofHours(1));
                } catch (HandlerCancelled e) {
                  seen.add("cancelled after " + kit.clock().elapsed().toSeconds() + " s");
                  throw e;
                }
              }));
      kit.advance(ofSeconds(2));
      assertThat(seen).containsExactly("cancelled after 1 s");
      assertThat(pupil.snapshot().state()).isEqualTo(ActorState.RECEIVING);
    }
  }

  // ---- a test that waits ---------------------------------------------------------------------

  @Test
  void aCallOfTheTestIsAnsweredWithoutTimePassing() {
    try (var kit = Testkit.onVirtualTime()) {
      var pupil = pupil(kit, "pupil");
      assertThat(pupil.call(new Ask("a"))).isEqualTo("A");
      assertThat(pupil.callAsync(new Ask("b")).toCompletableFuture().join()).isEqualTo("B");
      assertThat(kit.clock().elapsed()).isZero();
    }
  }

  @Test
  void aCallOfTheTestFailsWithItsOwnTimeout() {
    try (var kit = Testkit.onVirtualTime(c -> c.withCallTimeout(ofSeconds(7)))) {
      Probe<Msg> deaf = kit.probe("deaf");
      assertThatThrownBy(() -> deaf.ref().call(new Ask("a")))
          .isInstanceOf(CallTimeoutException.class)
          .hasMessageStartingWith("Actor /test/deaf did not answer Ask within 7000 ms.");
      assertThat(kit.clock().elapsed()).isEqualTo(ofSeconds(7));
      assertThatThrownBy(() -> kit.await(deaf.ref().callAsync(new Ask("b"), ofSeconds(1))))
          .isInstanceOf(CallTimeoutException.class);
      assertThat(kit.clock().elapsed()).isEqualTo(ofSeconds(8));
    }
  }

  @Test
  void aCallOfTheTestWaitsForWhatOthersWaitFor() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> deaf = kit.probe("deaf");
      var slow = pupil(kit, "slow");
      var pupil = pupil(kit, "pupil");
      var answer = pupil.callAsync(new AskLater("a"), ofSeconds(60));
      // When the slow one has lost its patience with the deaf one, it has the other answer.
      slow.cast(
          new Do(
              context ->
                  context.callToSelf(
                      deaf.ref(),
                      new Ask("b"),
                      ofSeconds(20),
                      _ -> Pupil.tells(pupil, new Pupil.Answer("at last")))));
      assertThat(answer.toCompletableFuture().join()).isEqualTo("at last");
      assertThat(kit.clock().elapsed()).isEqualTo(ofSeconds(20));
    }
  }

  @Test
  void aSenderThatWaitsForRoomDrivesToo() {
    try (var kit = Testkit.onVirtualTime()) {
      var pupil =
          kit.system()
              .spawn(
                  ActorSpec.<Msg>of(Pupil::new)
                      .withMailbox(MailboxConfig.bounded(2, OverflowPolicy.WAIT)));
      for (int i = 0; i < 10; i++) pupil.cast(new Say("" + i));
      kit.expectAccountedFor(10);
      for (int i = 0; i < 2; i++) pupil.cast(new Say("" + i));
      assertThat(pupil.call(new Ask("a"))).isEqualTo("A");
    }
  }

  @Test
  void whoWaitsForRoomThatNobodyMakesIsTold() {
    var kit = Testkit.onVirtualTime();
    var pupil =
        kit.system()
            .spawn(
                "pupil",
                ActorSpec.<Msg>of(Pupil::new)
                    .withMailbox(MailboxConfig.bounded(1, OverflowPolicy.WAIT)));
    var never = new CompletableFuture<Void>();
    pupil.cast(new Do(_ -> never.join()));
    kit.run();
    pupil.cast(new Say("a"));
    assertThatThrownBy(() -> pupil.cast(new Say("b")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("waits for room in the mailbox of /test/pupil, and nothing is left")
        .hasMessageContaining("[NOBODY-RUNS]");
    never.complete(null);
    kit.close();
  }

  @Test
  void aStageIsDrivenToItsEnd() {
    try (var kit = Testkit.onVirtualTime()) {
      var pupil = pupil(kit, "pupil");
      pupil.stop();
      assertThat(kit.await(pupil.whenStopped())).isInstanceOf(StopReason.ShutDown.class);
      assertThat(kit.await(pupil(kit, "other").kill()).path()).isEqualTo("/test/other");
      assertThatThrownBy(() -> kit.await(new CompletableFuture<>()))
          .isInstanceOf(AssertionError.class)
          .hasMessageStartingWith("The stage was not completed.\n  where: ");
      assertThatThrownBy(
              () -> kit.await(CompletableFuture.failedFuture(new IllegalStateException("no"))))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("no");
    }
  }

  @Test
  void callbacksRunOnTheThreadOfTheTestWhenItRunsTheSystem() {
    try (var kit = Testkit.onVirtualTime()) {
      List<Object> seen = new ArrayList<>();
      kit.system().onDeadLetter(_ -> seen.add(Thread.currentThread()));
      var pupil = pupil(kit, "pupil");
      pupil
          .callAsync(new Ask("a"))
          .thenAccept(_ -> seen.add(pupil.call(new Ask("inside")))); // drives, in the middle
      kit.run();
      pupil.stop();
      kit.run();
      pupil.cast(new Say("too late"));
      kit.run();
      assertThat(seen).containsExactly("INSIDE", Thread.currentThread());
      kit.expectDeadLetter(Say.class);
    }
  }

  @Test
  void anotherThreadOfTheTestMayWaitInTheSystem() throws Exception {
    try (var kit = Testkit.onVirtualTime()) {
      var pupil = pupil(kit, "pupil");
      var answer = new CompletableFuture<String>();
      var helper = Thread.ofPlatform().start(() -> answer.complete(pupil.call(new Ask("a"))));
      helper.join();
      assertThat(answer.join()).isEqualTo("A");
    }
  }

  @Test
  void threadsThatAHandlerStartsAreDrivenToo() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> deaf = kit.probe("deaf");
      Probe<Msg> told = kit.probe("told");
      var pupil = pupil(kit, "pupil");
      pupil.cast(
          new Do(
              _ -> {
                var a = new CompletableFuture<String>();
                Thread.ofVirtual()
                    .start(() -> a.complete(deaf.ref().call(new Ask("a"), ofSeconds(60))));
                told.ref().cast(new Say(a.join()));
              }));
      Ask asked = deaf.expect(Ask.class);
      kit.advance(ofSeconds(59));
      deaf.reply(asked, "at last");
      told.expect(new Say("at last"));
    }
  }

  @Test
  void aHandlerDoesNotRunTheSystemThatItRunsIn() {
    try (var kit = Testkit.onVirtualTime()) {
      var pupil = pupil(kit, "pupil");
      pupil.cast(new Do(_ -> kit.run()));
      assertThat(kit.expectCrash(pupil, IllegalStateException.class))
          .hasMessageContaining("[NOT-THE-DRIVER]");
    }
  }

  @Test
  void aHandlerThatWaitsInRealTimeIsNamedAndCanBeKilled() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> told = kit.probe("told");
      ActorRef<Msg> pupil =
          kit.system()
              .spawn(
                  "pupil",
                  () ->
                      (Actor<Msg>)
                          (_, _) -> {
                            Thread.sleep(ofDays(1));
                            told.ref().cast(new Say("slept well"));
                          });
      pupil.cast(new Say("sleep"));
      assertThatThrownBy(() -> told.expect(Say.class))
          .hasMessageContaining("under way: /test/pupil is SUSPENDED, handling Say, 0 queued")
          .hasMessageContaining(", in sleep at io.turnwise.testkit.VirtualTestkitTest.");
      kit.advance(ofDays(2)); // of which the sleeper knows nothing
      told.expectNothing();
      kit.await(pupil.kill());
      kit.expectStopped(pupil, StopReason.Killed.class);
    }
  }

  private static Msg pingPong(ActorRef<Msg> here, ActorRef<Msg> there) {
    return new Do(_ -> there.cast(pingPong(there, here)));
  }

  @Test
  void actorsThatNeverComeToRestFailTheTestInsteadOfHangingIt() {
    try (var kit = Testkit.onVirtualTime(c -> c.withWorkers(2))) {
      var a = pupil(kit, "a");
      var b = pupil(kit, "b");
      b.cast(pingPong(b, a));
      assertThatThrownBy(kit::run)
          .isInstanceOf(AssertionError.class)
          .hasMessageStartingWith("The system does not come to rest: it has had ")
          .hasMessageContaining(
              " slices at one moment of the clock. [NO-REST]\n  under way: /test/");
      a.stop();
      b.stop();
      kit.run();
      kit.allowDeadLetters();
    }
  }

  @Test
  void quietIsWhenNoTurnIsInTheMiddle() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> asked = kit.probe("asked");
      Probe<Msg> told = kit.probe("told");
      var pupil = pupil(kit, "pupil");
      kit.awaitQuiet();
      pupil.cast(Pupil.asks(asked.ref(), new Ask("a"), told.ref()));
      assertThatThrownBy(kit::awaitQuiet)
          .isInstanceOf(AssertionError.class)
          .hasMessageStartingWith("The system is not quiet.\n  where: 0 s of virtual time; ")
          .hasMessageContaining("\n  under way: /test/pupil is SUSPENDED, handling Do, 0 queued");
      kit.awaitQuiet(ofSeconds(60));
      assertThat(kit.clock().elapsed()).isEqualTo(ofSeconds(5));
      kit.expectCrash(CallTimeoutException.class);
    }
  }
}
