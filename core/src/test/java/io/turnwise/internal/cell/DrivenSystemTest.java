package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Await;
import io.turnwise.Call;
import io.turnwise.CallTimeoutException;
import io.turnwise.Reply;
import io.turnwise.SystemConfig;
import io.turnwise.internal.weaving.PollFlag;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.DeadLetterReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A system does nothing but what its driver lets it do. */
class DrivenSystemTest {
  private static final long SECOND = 1_000_000_000;

  record Ask(boolean now) implements Call<Ask, String> {}

  private final AtomicLong clock = new AtomicLong(1_000 * SECOND);
  private final DrivenSystem driven =
      DrivenSystem.open("driven", SystemConfig.DEFAULT.withWorkers(2), clock::get);
  private final List<Reply<String>> deferred = new ArrayList<>();
  private final Actor<Ask> answerer =
      (ask, context) -> {
        if (ask.now()) context.reply(ask, "now");
        else deferred.add(context.defer(ask));
      };
  private final ActorRef<Ask> actor = driven.system().spawn("actor", () -> answerer);

  @AfterEach
  void close() {
    driven.system().close(Duration.ofSeconds(5));
  }

  /** Runs, or jumps to the next deadline. */
  private boolean step() {
    if (driven.runUntilIdle()) return true;
    OptionalLong next = driven.nextDeadline();
    next.ifPresent(clock::set);
    return next.isPresent();
  }

  @Test
  void itSaysWhetherAnythingRan() {
    assertThat(driven.runUntilIdle()).isTrue(); // the actor's first turn
    assertThat(driven.runUntilIdle()).isFalse();
    actor.cast(new Ask(true));
    assertThat(driven.system().isQuiet()).isFalse();
    assertThat(driven.runUntilIdle()).isTrue();
    assertThat(driven.system().isQuiet()).isTrue();
  }

  @Test
  void theTimersOfCallsAreTheNextDeadlineUntilTheyAreAnswered() {
    assertThat(driven.nextDeadline()).isEmpty();
    long now = clock.get();
    actor.callAsync(new Ask(false), Duration.ofSeconds(30));
    actor.callAsync(new Ask(false), Duration.ofSeconds(20));
    driven.runUntilIdle();
    assertThat(driven.callsUnderWay())
        .containsExactly("Ask to /driven/actor", "Ask to /driven/actor");
    deferred.forEach(reply -> reply.send("later"));
    driven.beat();
    assertThat(driven.callsUnderWay()).isEmpty();
    assertThat(driven.nextDeadline()).isEmpty();
    actor.callAsync(new Ask(false), Duration.ofSeconds(20));
    driven.runUntilIdle();
    while (driven.nextDeadline().isPresent()) step();
    assertThat(clock.get()).isEqualTo(now + 20 * SECOND);
  }

  @Test
  void aThreadThatWaitsForAnAnswerMovesTheSystem() {
    driven.driveBy(this::step);
    assertThat(actor.call(new Ask(true))).isEqualTo("now");
    long now = clock.get();
    assertThatThrownBy(() -> actor.call(new Ask(false), Duration.ofSeconds(3)))
        .isInstanceOf(CallTimeoutException.class);
    assertThat(clock.get()).isEqualTo(now + 3 * SECOND);
  }

  @Test
  void aCloseIsDrivenAndDoesNotWaitForWhatCannotCome() {
    driven.driveBy(this::step);
    driven
        .system()
        .spawn("waits", () -> (Actor<String>) (_, _) -> actor.call(new Ask(false)))
        .cast("go");
    assertThat(driven.system().close(Duration.ofDays(1)).complete()).isTrue();
    assertThat(driven.isInTurn()).isFalse();
  }

  @Test
  void aWitnessSeesEveryCrashAndEveryDeadLetter() {
    List<String> seen = new ArrayList<>();
    driven
        .system()
        .setWitness(
            new Witness() {
              @Override
              public void crashed(ActorRef<?> who, String doing, Throwable cause) {
                seen.add(who.path() + " in " + doing + ": " + cause.getMessage());
              }

              @Override
              public void deadLetter(DeadLetter letter) {
                if (letter.reason() == DeadLetterReason.RECIPIENT_STOPPED)
                  seen.add(letter.message() + " to " + letter.recipient());
              }
            });
    Actor<String> fragile =
        (text, _) -> {
          throw new IllegalStateException(text);
        };
    var broken = driven.system().spawn("broken", () -> fragile);
    broken.cast("boom");
    driven.runUntilIdle();
    for (int i = 0; i < 20; i++) broken.cast("late"); // more than the log would show
    assertThat(seen).hasSize(21).startsWith("/driven/broken in String: boom");
    assertThat(seen).endsWith("late to /driven/broken");
    assertThat(driven.system().actors()).extracting(a -> a.path()).containsExactly("/driven/actor");
  }

  /** Polls of the whole JVM would look for it for ever. */
  @Test
  void aKillThatNobodyTakesFurtherEndsWithTheSystem() throws Exception {
    driven.runUntilIdle();
    actor.kill();
    assertThat(PollFlag.raised).isTrue();
    driven.system().close(Duration.ofSeconds(5));
    Await.until("no other test's system needs it either", () -> !PollFlag.raised);
  }
}
