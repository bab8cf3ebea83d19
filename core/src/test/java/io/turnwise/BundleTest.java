package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.mailbox.Priority;
import io.turnwise.observation.DeadLetterReason;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mailboxes that have had much to do take their messages in bundles, and nobody can tell. */
class BundleTest {
  private static final int ENOUGH = 40;

  /** An actor whose mailbox has seen a stream. */
  private static ActorRef<Puppet.Msg> busy(ManualSystem kit, String name) {
    var actor = kit.puppet(name);
    for (int i = 0; i < ENOUGH; i++) actor.cast(say("before"));
    kit.run();
    return actor;
  }

  /** What it did since then. */
  private static List<String> since(ManualSystem kit) {
    List<String> log = kit.log();
    return log.subList(1 + ENOUGH, log.size());
  }

  @ParameterizedTest
  // The first bundle has 33 messages, the second 65, all that follow 129.
  @ValueSource(ints = {1, 2, 32, 33, 34, 97, 98, 99, 226, 227, 228, 500})
  void orderIsKeptWhateverTheNumber(int messages) {
    try (var kit = new ManualSystem()) {
      var actor = busy(kit, "a");
      List<String> expected = new ArrayList<>();
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < messages; i++) {
          actor.cast(say(round + " " + i));
          expected.add("a " + round + " " + i);
        }
        kit.run();
      }
      assertThat(since(kit)).isEqualTo(expected);
    }
  }

  @Test
  void theQueueIsCountedExactly() {
    try (var kit = new ManualSystem()) {
      var actor = busy(kit, "a");
      for (int i = 0; i < 300; i++) {
        actor.cast(say("" + i));
        assertThat(actor.snapshot().queued()).isEqualTo(i + 1);
      }
      var seen = new AtomicLong(-1);
      actor.cast(does(_ -> seen.set(actor.snapshot().queued())));
      actor.cast(say("last"));
      kit.run();
      assertThat(seen.get()).as("the one in hand does not wait").isEqualTo(1);
      assertThat(actor.snapshot().queued()).isZero();
    }
  }

  @Test
  void callsInTheMiddleOfABundleAreAnswered() {
    try (var kit = new ManualSystem()) {
      var actor = busy(kit, "a");
      List<CompletableFuture<String>> calls = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        if (i % 3 == 0) calls.add(kit.call(actor, ask("call " + i)));
        else actor.cast(say("" + i));
      }
      kit.run();
      assertThat(calls).allSatisfy(call -> assertThat(call).isCompleted());
      assertThat(since(kit)).hasSize(100).startsWith("a call 0?", "a 1", "a 2", "a call 3?");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 31, 32, 33, 34, 96, 97, 98, 225, 226, 227})
  void whatIsLeftInABundleWhenItsActorStopsIsCounted(int before) {
    try (var kit = new ManualSystem()) {
      var actor = busy(kit, "a");
      for (int i = 0; i < before; i++) actor.cast(say("" + i));
      actor.cast(does(Context::stop));
      for (int i = 0; i < 70; i++) actor.cast(say("left"));
      kit.run();
      assertThat(kit.deadLetters(DeadLetterReason.LEFT_BEHIND)).isEqualTo(70);
      assertThat(since(kit)).doesNotContain("a left");
      actor.cast(say("too late"));
      assertThat(kit.deadLetters(DeadLetterReason.RECIPIENT_STOPPED)).isEqualTo(1);
    }
  }

  @Test
  void otherLanesGoPastABundle() {
    try (var kit = new ManualSystem()) {
      var actor = busy(kit, "a");
      for (int i = 0; i < 50; i++) actor.cast(say("normal"));
      actor.cast(say("high"), Priority.HIGH);
      kit.run();
      assertThat(since(kit)).hasSize(51).startsWith("a high");
    }
  }

  /**
   * Rounds of any size, so that the mailbox changes between the two forms and goes idle in both.
   */
  @Test
  void randomRoundsLoseNothing() {
    var random = new SplittableRandom(7);
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      List<String> expected = new ArrayList<>(List.of("a begins"));
      for (int round = 0; round < 300; round++) {
        int messages = 1 + random.nextInt(random.nextBoolean() ? 4 : 400);
        for (int i = 0; i < messages; i++) {
          actor.cast(say(round + "." + i));
          expected.add("a " + round + "." + i);
        }
        kit.run();
      }
      assertThat(kit.log()).isEqualTo(expected);
    }
  }
}
