package io.turnwise.testkit;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.ActorRef;
import io.turnwise.CalleeFailedException;
import io.turnwise.NoReplyException;
import io.turnwise.testkit.Pupil.Ask;
import io.turnwise.testkit.Pupil.AskLater;
import io.turnwise.testkit.Pupil.Msg;
import io.turnwise.testkit.Pupil.Say;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.ThrowingConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Probes receive, expect, ignore and answer, on both kinds of testkit. */
class ProbeTest {
  enum On {
    VIRTUAL_TIME(Testkit::onVirtualTime),
    THREADS(Testkit::onThreads);

    private final Supplier<Testkit> open;

    On(Supplier<Testkit> open) {
      this.open = open;
    }

    /** With a pupil under test, and a probe that it may talk to. */
    void test(ThrowingConsumer<Stage> test) throws Throwable {
      try (Testkit kit = open.get()) {
        test.accept(
            new Stage(kit, kit.system().spawn("pupil", Pupil::new), kit.<Msg>probe("probe")));
      }
    }
  }

  record Stage(Testkit kit, ActorRef<Msg> pupil, Probe<Msg> probe) {
    void tell(Msg... messages) {
      for (Msg message : messages) pupil.cast(Pupil.tells(probe.ref(), message));
    }
  }

  private static Say say(String text) {
    return new Say(text);
  }

  // ---- what is expected comes ----------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void messagesAreExpectedInTheirOrder(On on) throws Throwable {
    on.test(
        stage -> {
          stage.tell(say("a"), say("b"), new Ask("c"), say("d"), say("e"));
          assertThat(stage.probe.expect(say("a"))).isEqualTo(say("a"));
          assertThat(stage.probe.expect(Say.class).text()).isEqualTo("b");
          assertThat(stage.probe.expectWhere(m -> m instanceof Ask, "a question"))
              .isEqualTo(new Ask("c"));
          assertThat(stage.probe.receive()).isEqualTo(say("d"));
          stage.probe.expect(say("e"));
          stage.probe.expectNothing();
        });
  }

  @ParameterizedTest
  @EnumSource
  void messagesMayBeExpectedInAnyOrder(On on) throws Throwable {
    on.test(
        stage -> {
          stage.tell(say("b"), say("a"), say("a"), say("c"));
          assertThat(stage.probe.expectInAnyOrder(say("a"), say("b"), say("a")))
              .containsExactly(say("b"), say("a"), say("a"));
          stage.probe.expect(say("c"));
        });
  }

  @ParameterizedTest
  @EnumSource
  void whatIsIgnoredNeedNotBeExpectedButWasReceived(On on) throws Throwable {
    on.test(
        stage -> {
          stage.tell(say("early"));
          stage.kit.awaitQuiet();
          stage.probe.ignore(Say.class).ignoreWhere(m -> m.equals(new Pupil.Answer("x")));
          stage.tell(say("late"), new Pupil.Answer("x"), new Pupil.Answer("y"));
          stage.probe.expect(new Pupil.Answer("y"));
          stage.probe.expectNothing();
          assertThat(stage.probe.received())
              .containsExactly(
                  say("early"), say("late"), new Pupil.Answer("x"), new Pupil.Answer("y"));
        });
  }

  @ParameterizedTest
  @EnumSource
  void callsAreAnsweredByARule(On on) throws Throwable {
    on.test(
        stage -> {
          Probe<Msg> told = stage.kit.probe("told");
          stage.probe.answer(Ask.class, ask -> ask.text() + "!");
          stage.pupil.cast(Pupil.asks(stage.probe.ref(), new Ask("a"), told.ref()));
          told.expect(say("a!"));
          stage.probe.answer(Ask.class, _ -> "another"); // the newest counts
          stage.pupil.cast(Pupil.asks(stage.probe.ref(), new Ask("b"), told.ref()));
          told.expect(say("another"));
          stage.probe.expectNothing();
          assertThat(stage.probe.received()).containsExactly(new Ask("a"), new Ask("b"));
        });
  }

  @ParameterizedTest
  @EnumSource
  void aRuleThatThrowsFailsTheCall(On on) throws Throwable {
    on.test(
        stage -> {
          stage.probe.answer(
              Ask.class,
              _ -> {
                throw new IllegalStateException("no stock");
              });
          assertThatThrownBy(() -> stage.probe.ref().call(new Ask("a")))
              .isInstanceOf(CalleeFailedException.class)
              .hasRootCauseMessage("no stock");
        });
  }

  @ParameterizedTest
  @EnumSource
  void callsAreAnsweredLaterInAnyOrder(On on) throws Throwable {
    on.test(
        stage -> {
          var pupil2 = stage.kit.system().spawn("pupil-2", Pupil::new);
          Probe<Msg> told = stage.kit.probe("told");
          stage.pupil.cast(Pupil.asks(stage.probe.ref(), new Ask("a"), told.ref()));
          Ask first = stage.probe.expect(Ask.class);
          pupil2.cast(Pupil.asks(stage.probe.ref(), new Ask("a"), told.ref()));
          Ask second = stage.probe.expect(new Ask("a")); // equal, and another call
          assertThat(stage.probe.reply(second, "to the second")).isTrue();
          told.expect(say("to the second"));
          assertThat(stage.probe.reply(first, "to the first")).isTrue();
          told.expect(say("to the first"));
        });
  }

  @ParameterizedTest
  @EnumSource
  void callsAreFailedLater(On on) throws Throwable {
    on.test(
        stage -> {
          var answer = stage.probe.ref().callAsync(new Ask("a"));
          stage.probe.fail(stage.probe.expect(Ask.class), new IllegalStateException("no stock"));
          assertThatThrownBy(() -> stage.kit.await(answer))
              .isInstanceOf(CalleeFailedException.class)
              .hasRootCauseMessage("no stock");
        });
  }

  @ParameterizedTest
  @EnumSource
  void aCallThatIsIgnoredFails(On on) throws Throwable {
    on.test(
        stage -> {
          stage.probe.ignore(Ask.class);
          assertThatThrownBy(() -> stage.probe.ref().call(new Ask("a")))
              .isInstanceOf(NoReplyException.class);
        });
  }

  @ParameterizedTest
  @EnumSource
  void aProbeListensInBetweenTwoActors(On on) throws Throwable {
    on.test(
        stage -> {
          stage.probe.forwardTo(stage.kit.system().spawn("real", Pupil::new));
          stage.probe.answer(AskLater.class, _ -> "by the probe");
          assertThat(stage.probe.ref().call(new Ask("a"))).isEqualTo("A");
          assertThat(stage.probe.ref().call(new AskLater("b"))).isEqualTo("by the probe");
          stage.probe.ref().cast(say("c"));
          stage.probe.expect(new Ask("a"));
          stage.probe.expect(say("c"));
          stage.kit.expectAccountedFor(5);
        });
  }

  // ---- what is expected does not come --------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  void anotherMessageIsNamedWithAllThatCameAndStaysWhereItIs(On on) throws Throwable {
    on.test(
        stage -> {
          stage.tell(say("a"), say("b"));
          stage.probe.expect(say("a"));
          assertThatThrownBy(() -> stage.probe.expect(say("c")))
              .isInstanceOf(AssertionError.class)
              .hasMessageStartingWith(
                  "Probe /test/probe expected Say[text=c], and got Say[text=b].\n  where: ")
              .hasMessageEndingWith("\n  received: Say[text=a]; Say[text=b]");
          assertThatThrownBy(() -> stage.probe.expect(Ask.class))
              .hasMessageStartingWith("Probe /test/probe expected an Ask, and got Say[text=b].");
          assertThatThrownBy(() -> stage.probe.expectWhere(Ask.class::isInstance, "a question"))
              .hasMessageStartingWith(
                  "Probe /test/probe expected a question, and got Say[text=b].");
          assertThatThrownBy(() -> stage.probe.expectInAnyOrder(say("c"), say("d")))
              .hasMessageStartingWith(
                  "Probe /test/probe expected one of [Say[text=c], Say[text=d]], and got");
          assertThatThrownBy(() -> stage.probe.expectNothing())
              .isInstanceOf(AssertionError.class)
              .hasMessageStartingWith("Probe /test/probe expected nothing, and got Say[text=b].");
          stage.probe.expect(say("b"));
        });
  }

  @Test
  void withoutAMessageItSaysWhatMayStillComeAndWhoIsUnderWay() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> asked = kit.probe("asked");
      Probe<Msg> told = kit.probe("told");
      var pupil = kit.system().spawn("pupil", Pupil::new);
      assertThatThrownBy(() -> told.expect(Say.class))
          .isInstanceOf(AssertionError.class)
          .hasMessage(
              """
              Probe /test/told expected a Say, and nothing came.
                where: 0 s of virtual time; nothing is left that could run
                received: none""");
      pupil.cast(Pupil.asks(asked.ref(), new Ask("a"), told.ref()));
      kit.run();
      kit.advance(ofMillis(1_500));
      assertThatThrownBy(() -> told.within(ofMillis(500)).expect(Say.class))
          .hasMessageStartingWith(
              "Probe /test/told expected a Say, and nothing came.\n"
                  + "  where: 2 s of virtual time, 500 ms of them waited; nothing can run for the")
          .hasMessageContaining(
              "\n  received: none\n"
                  + "  under way: /test/pupil is SUSPENDED, handling Do for 2000 ms, 0 queued,"
                  + " in call at io.turnwise.testkit.Pupil.lambda$asks$");
      asked.reply(asked.expect(Ask.class), "x");
      told.expect(say("x"));
    }
  }

  @Test
  void onThreadsItWaitsForAsLongAsItIsToldTo() {
    try (var kit = Testkit.onThreads()) {
      Probe<Msg> probe = kit.probe();
      assertThatThrownBy(() -> probe.within(ofMillis(20)).receive())
          .hasMessage(
              """
              Probe /test/probe-1 expected a message, and nothing came.
                where: after 20 ms
                received: none""");
      probe.within(ofMillis(20)).expectNothing();
      probe.ref().cast(say("a"));
      assertThatThrownBy(() -> probe.within(ofSeconds(20)).expectNothing())
          .hasMessageStartingWith("Probe /test/probe-1 expected nothing, and got Say[text=a].");
    }
  }

  @Test
  void onlyTheLastMessagesAreShown() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> probe = kit.probe();
      for (int i = 0; i < 30; i++) probe.ref().cast(say("" + i));
      probe.ref().cast(say("x".repeat(1_000)));
      assertThatThrownBy(() -> probe.expect(Ask.class))
          .hasMessageContaining("\n  received: the last 10 of 31: Say[text=21]; Say[text=22]; ")
          .hasMessageEndingWith("xxx…");
    }
  }

  @Test
  void aProbeThatHasStoppedSaysSo() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> probe = kit.probe();
      probe.ref().stop();
      assertThatThrownBy(probe::receive)
          .hasMessageStartingWith(
              "Probe /test/probe-1 expected a message, and nothing came; the probe has stopped.");
    }
  }

  @Test
  void onlyAnOpenCallCanBeAnswered() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> probe = kit.probe();
      var answer = probe.ref().callAsync(new Ask("a"));
      probe.ref().callAsync(new Ask("b"));
      Ask ask = probe.expect(Ask.class);
      probe.reply(ask, "x");
      assertThat(kit.await(answer)).isEqualTo("x");
      assertThatThrownBy(() -> probe.reply(ask, "y"))
          .isInstanceOf(AssertionError.class)
          .hasMessage(
              "Probe /test/probe-1 has no open call Ask[text=a]: it did not come, was answered"
                  + " before, or is another object that equals it.\n  open: Ask[text=b]");
      kit.advance(ofSeconds(5));
      assertThat(probe.reply(probe.expect(Ask.class), "too late")).isFalse();
    }
  }

  @Test
  void withinLetsNoMoreTimePassThanItMust() {
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Msg> asked = kit.probe("asked");
      Probe<Msg> told = kit.probe("told");
      var pupil = kit.system().spawn("pupil", Pupil::new);
      pupil.cast(Pupil.asksToSelf(asked.ref(), new Ask("a"), ofSeconds(3), told.ref()));
      told.within(ofSeconds(2)).expectNothing();
      assertThat(kit.clock().elapsed()).isEqualTo(ofSeconds(2));
      told.within(ofSeconds(60)).expect(say("CallTimeoutException"));
      assertThat(kit.clock().elapsed()).isEqualTo(ofSeconds(3));
    }
  }

  @Test
  void aMessageWhoseToStringThrowsIsShownAllTheSame() {
    record Odd() {
      @Override
      public String toString() {
        throw new UnsupportedOperationException("odd");
      }
    }
    try (var kit = Testkit.onVirtualTime()) {
      Probe<Object> probe = kit.probe();
      probe.ref().cast(new Odd());
      assertThatThrownBy(() -> probe.expect("even"))
          .hasMessageContaining("$1Odd, whose toString threw java.lang.Unsupported");
      assertThat(List.of(probe.receive())).hasSize(1);
    }
  }
}
