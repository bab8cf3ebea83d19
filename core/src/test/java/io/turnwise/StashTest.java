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
import io.turnwise.mailbox.StashFullException;
import io.turnwise.observation.DeadLetterReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Putting messages aside and taking them up again. */
class StashTest {

  /** Stashes everything until it is opened. */
  private static final class Gate implements Actor<String> {
    private final List<String> handled;
    private boolean open;

    Gate(List<String> handled) {
      this.handled = handled;
    }

    @Override
    public void receive(String message, Context<String> context) {
      switch (message) {
        case "open" -> {
          open = true;
          context.unstashAll();
        }
        case "shut" -> open = false;
        default -> {
          if (open) handled.add(message);
          else context.stash();
        }
      }
    }
  }

  @Test
  void stashedMessagesComeBackInOrderAndBeforeTheMailbox() {
    try (var kit = new ManualSystem()) {
      List<String> handled = new ArrayList<>();
      var gate = kit.spawn("gate", () -> new Gate(handled));
      for (String m : List.of("1", "2", "3", "open", "4", "5")) gate.cast(m);
      kit.run();
      assertThat(handled).containsExactly("1", "2", "3", "4", "5");
      assertThat(kit.system().snapshot().messagesHandled()).isEqualTo(6);
    }
  }

  @Test
  void messagesMayBeStashedAgainAndKeepTheirOrder() {
    try (var kit = new ManualSystem()) {
      List<String> handled = new ArrayList<>();
      var gate = kit.spawn("gate", () -> new Gate(handled));
      for (String m : List.of("1", "2")) gate.cast(m);
      kit.run();
      gate.cast("shut");
      gate.cast("3");
      kit.run();
      assertThat(handled).isEmpty();
      gate.cast("open");
      gate.cast("4");
      kit.run();
      assertThat(handled).containsExactly("1", "2", "3", "4");
    }
  }

  @Test
  void whatIsUnstashedInTheMiddleOfAReplayGoesBeforeTheRest() {
    try (var kit = new ManualSystem()) {
      List<String> handled = new ArrayList<>();
      var phase = new int[1];
      ActorRef<String> actor =
          kit.spawn(
              "a",
              () ->
                  (m, c) -> {
                    if (m.equals("go")) {
                      phase[0] = 1;
                      c.unstashAll();
                    } else if (phase[0] == 0) {
                      c.stash();
                    } else if (phase[0] == 1 && m.equals("1")) {
                      c.stash();
                      phase[0] = 2;
                      c.unstashAll();
                    } else {
                      handled.add(m);
                    }
                  });
      for (String m : List.of("1", "2", "3", "go", "4")) actor.cast(m);
      kit.run();
      assertThat(handled).containsExactly("1", "2", "3", "4");
    }
  }

  @Test
  void unstashingNothingDoesNothing() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(does(Context::unstashAll));
      actor.cast(say("next"));
      kit.run();
      assertThat(kit.log()).endsWith("a next");
    }
  }

  @Test
  void aStashedCallKeepsItsCaller() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var first = new boolean[] {true};
      var call =
          kit.call(
              actor,
              want(
                  (w, c) -> {
                    if (first[0]) c.stash();
                    else c.reply(w, "in the end");
                  }));
      kit.run();
      assertThat(call).isNotDone();
      actor.cast(
          does(
              c -> {
                first[0] = false;
                c.unstashAll();
              }));
      kit.run();
      assertThat(call).isCompletedWithValue("in the end");
    }
  }

  @Test
  void aStashedCallCannotBeAnsweredInTheSameTurn() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var first = new boolean[] {true};
      var call =
          kit.call(
              actor,
              want(
                  (w, c) -> {
                    if (!first[0]) {
                      c.reply(w, "later");
                      return;
                    }
                    first[0] = false;
                    c.stash();
                    assertThatThrownBy(() -> c.reply(w, "now"))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("was stashed");
                    assertThatThrownBy(c::stash).isInstanceOf(IllegalStateException.class);
                    kit.note("checked");
                  }));
      actor.cast(does(Context::unstashAll));
      kit.run();
      assertThat(kit.log()).contains("checked");
      assertThat(call).isCompletedWithValue("later");
    }
  }

  @Test
  void theStashIsBounded() {
    try (var kit = new ManualSystem()) {
      List<String> handled = new ArrayList<>();
      List<Throwable> refused = new ArrayList<>();
      var spec =
          ActorSpec.<String>of(
                  () ->
                      (m, c) -> {
                        if (m.equals("open")) {
                          c.unstashAll();
                          return;
                        }
                        if (handled.isEmpty() && refused.isEmpty()) {
                          try {
                            c.stash();
                          } catch (StashFullException e) {
                            refused.add(e);
                            handled.add(m + " handled instead");
                          }
                        } else {
                          handled.add(m);
                        }
                      })
              .withStashCapacity(2);
      ActorRef<String> actor = kit.spawn("a", spec);
      for (String m : List.of("1", "2", "3", "open")) actor.cast(m);
      kit.run();
      assertThat(refused).hasSize(1);
      assertThat(refused.getFirst())
          .hasMessageContainingAll("/test/a", "holds 2", "[STASH-FULL]", "next:");
      assertThat(handled).containsExactly("3 handled instead", "1", "2");
    }
  }

  @Test
  void aStashOfZeroRefusesEverything() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a", s -> s.withStashCapacity(0));
      actor.cast(
          does(
              c -> {
                assertThatThrownBy(c::stash).isInstanceOf(StashFullException.class);
                kit.note("checked");
              }));
      kit.run();
      assertThat(kit.log()).contains("checked");
    }
  }

  @Test
  void aStashThatIsFullCrashesWhoDoesNotCatchIt() {
    try (var kit = new ManualSystem()) {
      var call = kit.call(kit.puppet("a", s -> s.withStashCapacity(0)), want((_, c) -> c.stash()));
      kit.run();
      assertThat(failureOf(call)).hasCauseInstanceOf(StashFullException.class);
    }
  }

  @Test
  void whatIsStashedWhenTheActorStopsBecomesDeadLetters() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(does(Context::stash));
      actor.cast(does(Context::stash));
      var call = kit.call(actor, want((_, c) -> c.stash()));
      actor.stopAfterDrain();
      kit.run();
      assertThat(kit.deadLetters(DeadLetterReason.LEFT_BEHIND)).isEqualTo(3);
      assertThat(failureOf(call)).isInstanceOf(CalleeStoppedException.class);
      assertThat(kit.accountedFor()).isEqualTo(3);
    }
  }

  @Test
  void callersWhoseRequestsAreStashedOrQueuedAreToldWhatCrashedTheActor() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      var stashed = kit.call(actor, want((_, c) -> c.stash()));
      actor.cast(crash("boom"));
      var queued = kit.call(actor, ask("queued"));
      kit.run();
      for (var call : List.of(stashed, queued))
        assertThat(failureOf(call))
            .isInstanceOf(CalleeStoppedException.class)
            .hasMessageContainingAll("/test/a", "crashed", "IllegalStateException: boom")
            .hasRootCauseMessage("boom");
    }
  }

  @Test
  void aMessageThatIsStashedAndThenCrashesItsActorIsAccountedForOnce() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(
          does(
              c -> {
                c.stash();
                throw new IllegalStateException("after the stash");
              }));
      kit.run();
      assertThat(kit.accountedFor()).isEqualTo(1);
    }
  }

  @Test
  void thereIsNothingToStashOutsideOfReceive() {
    try (var kit = new ManualSystem()) {
      List<Throwable> caught = new ArrayList<>();
      kit.spawn(
          "a",
          () ->
              new Actor<String>() {
                @Override
                public void init(Context<String> context) {
                  try {
                    context.stash();
                  } catch (IllegalStateException e) {
                    caught.add(e);
                  }
                }

                @Override
                public void receive(String message, Context<String> context) {}
              });
      kit.run();
      assertThat(caught).hasSize(1);
      assertThat(caught.getFirst()).hasMessageContaining("no message in hand");
    }
  }
}
