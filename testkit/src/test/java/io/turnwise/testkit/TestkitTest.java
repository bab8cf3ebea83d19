package io.turnwise.testkit;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Context;
import io.turnwise.StopReason;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.testkit.Pupil.Ask;
import io.turnwise.testkit.Pupil.AskLater;
import io.turnwise.testkit.Pupil.Do;
import io.turnwise.testkit.Pupil.Msg;
import io.turnwise.testkit.Pupil.Say;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Crashes, dead letters and ends are expected; what was not expected is complained of. */
class TestkitTest {
  private static final Logger LOG = Logger.getLogger("io.turnwise");

  /** Crashes that a test causes on purpose would bury what went wrong. */
  @BeforeAll
  static void quietLog() {
    LOG.setLevel(Level.SEVERE);
  }

  @AfterAll
  static void loudLog() {
    LOG.setLevel(null);
  }

  private static ActorRef<Msg> pupil(Testkit kit) {
    return kit.system().spawn("pupil", Pupil::new);
  }

  /** Throws whatever it is told, and at last once more. */
  private record FragileInTheEnd(String lastWords) implements Actor<String> {
    @Override
    public void receive(String text, Context<String> context) {
      throw new IllegalStateException(text);
    }

    @Override
    public void teardown(StopReason reason, Context<String> context) {
      throw new IllegalStateException(lastWords);
    }
  }

  // ---- crashes -------------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void aCrashIsExpectedByActorAndType(ProbeTest.On on) throws Throwable {
    on.test(
        stage -> {
          stage.pupil().cast(Pupil.throwing("boom"));
          assertThat(stage.kit().expectCrash(stage.pupil(), IllegalStateException.class))
              .hasMessage("boom");
          assertThat(stage.kit().crashes()).isEmpty();
          var other = stage.kit().system().spawn("other", Pupil::new);
          other.cast(Pupil.throwing("again"));
          assertThat(stage.kit().expectCrash(RuntimeException.class)).hasMessage("again");
        });
  }

  @Test
  void aCrashThatDoesNotComeIsMissedWithThoseThatCame() {
    try (var kit = Testkit.onVirtualTime()) {
      var pupil = pupil(kit);
      assertThatThrownBy(() -> kit.expectCrash(Error.class))
          .isInstanceOf(AssertionError.class)
          .hasMessage(
              """
              Expected an actor to crash by java.lang.Error.
                where: 0 s of virtual time; nothing is left that could run
                crashed: none""");
      pupil.cast(Pupil.throwing("boom"));
      assertThatThrownBy(() -> kit.expectCrash(pupil, IllegalArgumentException.class))
          .hasMessageStartingWith(
              "Expected actor /test/pupil to crash by java.lang.IllegalArgumentException.")
          .hasMessageEndingWith(
              "\n  crashed: actor /test/pupil crashed in Do: java.lang.IllegalStateException: boom");
      assertThat(kit.crashes()).extracting(Crash::doing).containsExactly("Do");
      kit.allowCrashes();
    }
  }

  @Test
  void aCrashNobodyExpectedFailsTheTestWithItsStack() {
    var kit = Testkit.onVirtualTime();
    pupil(kit).cast(Pupil.throwing("boom"));
    assertThatThrownBy(kit::close)
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            """
            After the test, one thing is not as it must be. [TEST-LEFTOVERS]
              * Actor /test/pupil crashed in Do by java.lang.IllegalStateException: boom. Expect it \
            with expectCrash, or allowCrashes.""")
        .satisfies(failure -> assertThat(failure.getSuppressed()[0]).hasMessage("boom"));
    kit.close(); // the second time, nothing
  }

  @ParameterizedTest
  @EnumSource
  void aCrashAtTheVeryEndIsSeenToo(ProbeTest.On on) {
    assertThatThrownBy(
            () ->
                on.test(
                    stage ->
                        stage
                            .kit()
                            .system()
                            .spawn("last", () -> new FragileInTheEnd("in the end"))))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Actor /test/last crashed in teardown by")
        .hasMessageContaining("in the end");
  }

  // ---- dead letters --------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void aDeadLetterIsExpectedByRecipientTypeAndReason(ProbeTest.On on) throws Throwable {
    on.test(
        stage -> {
          Testkit kit = stage.kit();
          stage.pupil().stop();
          kit.expectStopped(stage.pupil());
          stage.pupil().cast(new Say("a"));
          stage.pupil().cast(new Say("b"));
          stage.pupil().cast(new Pupil.Answer("c"));
          assertThat(kit.expectDeadLetter(Pupil.Answer.class).message())
              .isEqualTo(new Pupil.Answer("c"));
          assertThat(kit.expectDeadLetterWhere(l -> l.message().equals(new Say("b")), "b").reason())
              .isEqualTo(DeadLetterReason.RECIPIENT_STOPPED);
          assertThat(kit.deadLetters()).hasSize(1);
          assertThat(
                  kit.expectDeadLetter(stage.pupil(), Say.class, DeadLetterReason.RECIPIENT_STOPPED)
                      .message())
              .isEqualTo(new Say("a"));
        });
  }

  @Test
  void aDeadLetterThatDoesNotComeIsMissedWithThoseThatCame() {
    try (var kit = Testkit.onVirtualTime()) {
      var pupil =
          kit.system()
              .spawn(
                  "pupil",
                  ActorSpec.<Msg>of(Pupil::new)
                      .withMailbox(MailboxConfig.bounded(1, OverflowPolicy.DROP_NEWEST)));
      pupil.cast(new Say("a"));
      pupil.cast(new Say("b"));
      assertThatThrownBy(() -> kit.expectDeadLetter(Ask.class))
          .isInstanceOf(AssertionError.class)
          .hasMessage(
              """
              Expected an Ask to become a dead letter.
                where: 0 s of virtual time; nothing is left that could run
                dead letters: Say[text=b] to /test/pupil (DROPPED_NEWEST)""");
      assertThatThrownBy(
              () -> kit.expectDeadLetter(pupil, Say.class, DeadLetterReason.DROPPED_OLDEST))
          .hasMessageStartingWith(
              "Expected a Say to /test/pupil by DROPPED_OLDEST to become a dead letter.");
      kit.expectDeadLetter(pupil, Say.class, DeadLetterReason.DROPPED_NEWEST);
    }
  }

  @Test
  void aDeadLetterNobodyExpectedFailsTheTestUnlessAllowed() {
    for (boolean allowed : new boolean[] {true, false}) {
      var kit = Testkit.onVirtualTime();
      var pupil = pupil(kit);
      pupil.stop();
      kit.run();
      pupil.cast(new Say("late"));
      if (allowed) {
        kit.allowDeadLetters();
        kit.close();
      } else {
        assertThatThrownBy(kit::close)
            .isInstanceOf(AssertionError.class)
            .hasMessageContaining(
                "\n  * Say[text=late] to /test/pupil (RECIPIENT_STOPPED) became a dead letter."
                    + " Expect it with expectDeadLetter, or allowDeadLetters.");
      }
    }
  }

  @Test
  void ofVeryManyOnlyTheFirstAreNamedAndNothingElseIsForgotten() {
    var kit = Testkit.onVirtualTime();
    kit.system().spawn("last", () -> new FragileInTheEnd("in the end"));
    var pupil = pupil(kit);
    pupil.stop();
    kit.run();
    for (int i = 0; i < 100; i++) pupil.cast(new Say("" + i));
    assertThatThrownBy(kit::close)
        .hasMessageStartingWith("After the test, 12 things are not as they must be.")
        .hasMessageContaining(
            "\n  * There were 100 dead letters; the first are:\n  * Say[text=0] to")
        .hasMessageContaining("Say[text=9]")
        .hasMessageContaining("\n  * Actor /test/last crashed in teardown");
  }

  @Test
  void aTeardownThatThrowsAfterACrashIsAnotherCrashToExpect() {
    try (var kit = Testkit.onVirtualTime()) {
      var actor = kit.system().spawn("last", () -> new FragileInTheEnd("in the end"));
      actor.cast("boom");
      assertThat(kit.expectCrash(actor, IllegalStateException.class)).hasMessage("boom");
      assertThat(kit.expectCrash(actor, IllegalStateException.class)).hasMessage("in the end");
    }
  }

  // ---- ends and counts -----------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void anEndIsExpectedWithItsReason(ProbeTest.On on) throws Throwable {
    on.test(
        stage -> {
          Testkit kit = stage.kit();
          stage.pupil().cast(new Do(Context::stop));
          assertThat(kit.expectStopped(stage.pupil(), StopReason.Finished.class)).isNotNull();
          var other = kit.system().spawn("other", Pupil::new);
          other.cast(Pupil.throwing("boom"));
          assertThatThrownBy(() -> kit.expectStopped(other, StopReason.Killed.class))
              .isInstanceOf(AssertionError.class)
              .hasMessage(
                  "Actor /test/other was expected to end as Killed, and ended as"
                      + " Crashed[cause=java.lang.IllegalStateException: boom].")
              .satisfies(failure -> assertThat(failure.getSuppressed()[0]).hasMessage("boom"));
          kit.expectCrash(other, IllegalStateException.class);
        });
  }

  @Test
  void anEndThatDoesNotComeIsMissed() {
    try (var kit = Testkit.onVirtualTime()) {
      var pupil = pupil(kit);
      assertThatThrownBy(() -> kit.expectStopped(pupil))
          .isInstanceOf(AssertionError.class)
          .hasMessage(
              """
              Actor /test/pupil was expected to stop, and lives.
                where: 0 s of virtual time; nothing is left that could run""");
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyMessageIsAccountedFor(ProbeTest.On on) throws Throwable {
    on.test(
        stage -> {
          Testkit kit = stage.kit();
          var gate = new CountDownLatch(1);
          stage.pupil().cast(new Do(_ -> gate.countDown()));
          for (int i = 0; i < 100; i++)
            stage.pupil().cast(Pupil.tells(stage.probe().ref(), new Say("" + i)));
          stage.pupil().cast(Pupil.throwing("boom"));
          kit.expectCrash(stage.pupil(), IllegalStateException.class);
          kit.expectStopped(stage.pupil());
          stage.pupil().cast(new Say("late"));
          kit.expectDeadLetter(Say.class);
          kit.expectAccountedFor(203);
          assertThatThrownBy(() -> kit.expectAccountedFor(204))
              .isInstanceOf(AssertionError.class)
              .hasMessage(
                  "Expected 204 messages to be accounted for, and 203 are: 201 handled, 1 failed,"
                      + " 1 dead letters.");
        });
  }

  // ---- what is left --------------------------------------------------------------------------

  @Test
  void aTurnLeftInTheMiddleIsComplainedOf() {
    var kit = Testkit.onVirtualTime();
    Probe<Msg> asked = kit.probe("asked");
    pupil(kit).cast(Pupil.asks(asked.ref(), new Ask("a"), asked.ref()));
    assertThatThrownBy(kit::close)
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith(
            """
            After the test, 2 things are not as they must be. [TEST-LEFTOVERS]
              * Actor /test/pupil is SUSPENDED, handling Do, 0 queued, in call at \
            io.turnwise.testkit.Pupil.""")
        .hasMessageEndingWith(
            """
            (Pupil.java:%d). Let it come to rest before the test ends.
              * Probe /test/asked has never answered Ask[text=a]. Answer it with reply, or fail it.\
            """
                .formatted(Pupil.LINE_OF_CALL));
  }

  @Test
  void aCallThatNobodyAnswersIsComplainedOf() {
    var kit = Testkit.onVirtualTime();
    pupil(kit).callAsync(new AskLater("a"));
    assertThatThrownBy(kit::close)
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("After the test, one thing is")
        .hasMessageEndingWith(
            "\n  * The call AskLater to /test/pupil is not over. Let it be answered, or advance the"
                + " clock beyond its timeout.");
  }

  @Test
  void aRequestThatWasCastNeedsNoAnswer() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> probe = kit.probe();
      probe.ref().cast(new Ask("a"));
      probe.expect(Ask.class);
    }
  }

  @Test
  void onThreadsAnActorThatDoesNotComeToRestIsComplainedOf() {
    var kit = Testkit.onThreads();
    Probe<Msg> asked = kit.probe("asked");
    var pupil = pupil(kit);
    pupil.cast(new Do(_ -> asked.ref().call(new Ask("a"), ofSeconds(60))));
    asked.expect(Ask.class);
    assertThatThrownBy(kit::close)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("\n  * Actor /test/pupil is SUSPENDED, handling Do for ")
        .hasMessageContaining("\n  * Probe /test/asked has never answered Ask[text=a].");
  }

  @Test
  void aSystemThatTheTestHasClosedIsCheckedAllTheSame() {
    try (var kit = Testkit.onVirtualTime()) {
      pupil(kit).cast(new Say("a"));
      kit.system().close();
    }
    var kit = Testkit.onVirtualTime();
    pupil(kit).cast(Pupil.throwing("boom"));
    kit.system().close();
    assertThatThrownBy(kit::close).hasMessageContaining("Actor /test/pupil crashed in Do");
  }

  @Test
  void theFailureOfTheTestIsNotBuriedByWhatItLeaves() {
    assertThatThrownBy(
            () -> {
              try (var kit = Testkit.onVirtualTime()) {
                pupil(kit).cast(Pupil.throwing("boom"));
                kit.run();
                throw new AssertionError("what the test found");
              }
            })
        .hasMessage("what the test found")
        .satisfies(
            failure ->
                assertThat(failure.getSuppressed()[0]).hasMessageContaining("[TEST-LEFTOVERS]"));
  }

  @AutoClose private final Testkit inAField = Testkit.onVirtualTime();

  @Test
  void aTestkitMayStandInAFieldThatTheFrameworkCloses() {
    inAField.allowCrashes();
    pupil(inAField).cast(Pupil.throwing("boom"));
  }

  // ---- on threads ----------------------------------------------------------------------------

  @Test
  void onThreadsQuietMeansThatEveryMessageWasHandled() {
    try (var kit = Testkit.onThreads(c -> c.withWorkers(4))) {
      Probe<Msg> probe = kit.probe();
      for (int round = 1; round <= 200; round++) {
        for (int i = 0; i < 5; i++)
          kit.system().<Msg>spawn(Pupil::new).cast(chain(kit, probe.ref(), 10));
        kit.awaitQuiet();
        assertThat(probe.received()).hasSize(5 * round);
      }
    }
  }

  /** Through so many new actors, one after the other, to the last. */
  private static Msg chain(Testkit kit, ActorRef<Msg> last, int links) {
    if (links == 0) return Pupil.tells(last, new Say("arrived"));
    return new Do(_ -> kit.system().<Msg>spawn(Pupil::new).cast(chain(kit, last, links - 1)));
  }

  @Test
  void onThreadsTheSystemIsNotQuietWhileAHandlerRunsOrWaits() {
    try (var kit = Testkit.onThreads()) {
      var phases = new Phaser(2);
      pupil(kit).cast(new Do(_ -> phases.arriveAndAwaitAdvance()));
      assertThatThrownBy(() -> kit.awaitQuiet(ofMillis(50)))
          .isInstanceOf(AssertionError.class)
          .hasMessageStartingWith("The system is not quiet.\n  where: after 50 ms\n  under way: ")
          .hasMessageContaining("/test/pupil is ");
      phases.arriveAndAwaitAdvance();
      kit.awaitQuiet();
    }
  }
}
