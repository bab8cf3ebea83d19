package io.turnwise;

import static io.turnwise.Puppet.ask;
import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.DeadLetterReason;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Messages that nobody handles: counted by reason, and shown to who listens. */
class DeadLetterTest {

  @Test
  void everyReasonIsPresentFromTheStart() {
    try (var kit = new ManualSystem()) {
      Map<DeadLetterReason, Long> none = new EnumMap<>(DeadLetterReason.class);
      for (DeadLetterReason reason : DeadLetterReason.values()) none.put(reason, 0L);
      assertThat(kit.system().snapshot().deadLetters()).isEqualTo(none);
    }
  }

  @Test
  void lettersAreCountedByReason() {
    try (var kit = new ManualSystem()) {
      var gone = kit.puppet("gone");
      gone.stop();
      kit.run();
      gone.cast(say("1"));
      gone.cast(say("2"), io.turnwise.mailbox.Priority.HIGH);

      var leaving = kit.puppet("leaving");
      leaving.cast(say("3"));
      leaving.stop();

      var newest =
          kit.puppet(
              "newest", s -> s.withMailbox(MailboxConfig.bounded(1, OverflowPolicy.DROP_NEWEST)));
      var oldest =
          kit.puppet(
              "oldest", s -> s.withMailbox(MailboxConfig.bounded(1, OverflowPolicy.DROP_OLDEST)));
      for (int i = 0; i < 4; i++) {
        newest.cast(say("n"));
        oldest.cast(say("o"));
      }
      kit.run();
      assertThat(kit.deadLetters(DeadLetterReason.RECIPIENT_STOPPED)).isEqualTo(2);
      assertThat(kit.deadLetters(DeadLetterReason.LEFT_BEHIND)).isEqualTo(1);
      assertThat(kit.deadLetters(DeadLetterReason.DROPPED_NEWEST)).isEqualTo(3);
      assertThat(kit.deadLetters(DeadLetterReason.DROPPED_OLDEST)).isEqualTo(3);
      assertThat(kit.system().snapshot().deadLettersTotal()).isEqualTo(9);
    }
  }

  @Test
  void aListenerIsShownTheMessageItsRecipientAndTheReason() throws Exception {
    try (var kit = new ManualSystem()) {
      BlockingQueue<DeadLetter> shown = new LinkedBlockingQueue<>();
      var threads = new LinkedBlockingQueue<Thread>();
      var listening =
          kit.system()
              .onDeadLetter(
                  letter -> {
                    threads.add(Thread.currentThread());
                    shown.add(letter);
                  });
      var gone = kit.puppet("gone");
      gone.stop();
      kit.run();
      var message = say("anyone?");
      gone.cast(message);
      var letter = shown.poll(20, TimeUnit.SECONDS);
      assertThat(letter)
          .isEqualTo(new DeadLetter(message, "/test/gone", DeadLetterReason.RECIPIENT_STOPPED));
      assertThat(threads.take().isVirtual()).isFalse();

      listening.close();
      gone.cast(say("not shown"));
      assertThat(kit.deadLetters(DeadLetterReason.RECIPIENT_STOPPED)).isEqualTo(2);
      assertThat(shown).isEmpty();
    }
  }

  @Test
  void aRequestThatNobodyAnswersIsALetterToo() throws Exception {
    try (var kit = new ManualSystem()) {
      BlockingQueue<DeadLetter> shown = new LinkedBlockingQueue<>();
      kit.system().onDeadLetter(shown::add);
      var gone = kit.puppet("gone");
      gone.stop();
      kit.run();
      var request = ask("anyone?");
      assertThatThrownBy(() -> gone.call(request)).isInstanceOf(CalleeStoppedException.class);
      assertThat(shown.poll(20, TimeUnit.SECONDS).message()).isSameAs(request);
    }
  }

  @Test
  void aListenerThatThrowsIsCountedAndGoesOnListening() throws Exception {
    try (var kit = new ManualSystem()) {
      var shown = new CountDownLatch(3);
      kit.system()
          .onDeadLetter(
              _ -> {
                shown.countDown();
                throw new IllegalStateException("listener");
              });
      BlockingQueue<DeadLetter> other = new LinkedBlockingQueue<>();
      kit.system().onDeadLetter(other::add);
      var gone = kit.puppet("gone");
      gone.stop();
      kit.run();
      for (int i = 0; i < 3; i++) gone.cast(say("" + i));
      Await.latch(shown);
      for (int i = 0; i < 3; i++) assertThat(other.poll(20, TimeUnit.SECONDS)).isNotNull();
      Await.until(
          "the failures are counted", () -> kit.system().snapshot().listenerFailures() == 3);
    }
  }

  @Test
  void aListenerThatBlocksHoldsUpNobody() throws Exception {
    try (var kit = new ManualSystem()) {
      var go = new CountDownLatch(1);
      var blocked = new CountDownLatch(1);
      kit.system()
          .onDeadLetter(
              _ -> {
                blocked.countDown();
                try {
                  go.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      var gone = kit.puppet("gone");
      gone.stop();
      kit.run();
      gone.cast(say("x"));
      Await.latch(blocked);
      for (int i = 0; i < 50_000; i++) gone.cast(say("flood")); // more than it can remember
      var answer = kit.call(kit.puppet("a"), ask("still served"));
      kit.run();
      assertThat(answer).isCompletedWithValue("STILL SERVED");
      assertThat(kit.deadLetters(DeadLetterReason.RECIPIENT_STOPPED)).isEqualTo(50_001);
      go.countDown();
    }
  }

  @Test
  void aListenerMustNotBeNull() {
    try (var kit = new ManualSystem()) {
      assertThatThrownBy(() -> kit.system().onDeadLetter(null))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("listener");
    }
  }

  @Test
  void aListenerMaySendMessages() throws Exception {
    try (var kit = new ManualSystem()) {
      var clerk = kit.puppet("clerk");
      var told = new CountDownLatch(1);
      kit.system()
          .onDeadLetter(
              letter -> {
                clerk.cast(say("lost " + letter.recipient()));
                told.countDown();
              });
      var gone = kit.puppet("gone");
      gone.cast(does(Context::stop));
      kit.run();
      gone.cast(say("x"));
      Await.latch(told);
      kit.run();
      assertThat(kit.log()).endsWith("clerk lost /test/gone");
    }
  }
}
