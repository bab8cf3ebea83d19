package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.DeadLetterReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** What once went wrong when many threads pushed at the same time. */
class UnderPressureTest {
  private static final int WAIT_SECONDS = 60;

  /** Its owner used to wait for the store's lock after it had let the actor go. */
  @Test
  void boundedActorsThatManyThreadsWaitForKeepGoing() throws Exception {
    int each = 200_000;
    var handled = new LongAdder();
    try (var system = ActorSystem.open("pressure", c -> c.withWorkers(2))) {
      ActorSpec<Integer> spec =
          ActorSpec.<Integer>of(() -> (_, _) -> handled.increment())
              .withMailbox(MailboxConfig.bounded(1_000, OverflowPolicy.WAIT));
      List<ActorRef<Integer>> actors = new ArrayList<>();
      for (int i = 0; i < 4; i++) actors.add(system.spawn(spec));
      List<Thread> senders = new ArrayList<>();
      for (int t = 0; t < 3; t++)
        senders.add(
            Thread.ofPlatform()
                .daemon()
                .start(
                    () -> {
                      for (int i = 0; i < each; i++) actors.get(i & 3).cast(i);
                    }));
      for (Thread sender : senders)
        assertThat(sender.join(Duration.ofSeconds(WAIT_SECONDS))).isTrue();
      for (ActorRef<Integer> actor : actors) actor.stopAfterDrain();
      for (ActorRef<Integer> actor : actors) Await.result(actor.whenStopped());
      assertThat(handled.sum()).isEqualTo(3L * each);
    }
  }

  /** It used to bury what came until nothing came any more. */
  @Test
  void anActorStopsWhileOthersKeepSending() throws Exception {
    var stop = new AtomicBoolean();
    try (var system = ActorSystem.open("flood", c -> c.withWorkers(2))) {
      ActorRef<Integer> actor = system.spawn("flooded", () -> (_, _) -> {});
      List<Thread> senders = new ArrayList<>();
      for (int t = 0; t < 3; t++)
        senders.add(
            Thread.ofPlatform()
                .daemon()
                .start(
                    () -> {
                      while (!stop.get()) actor.cast(1);
                    }));
      actor.stop();
      try {
        Await.result(actor.whenStopped());
      } finally {
        stop.set(true);
      }
      for (Thread sender : senders)
        assertThat(sender.join(Duration.ofSeconds(WAIT_SECONDS))).isTrue();
    }
  }

  /** Its messages used to be counted again, and its thread never ended. */
  @Test
  void anActorThatReturnsAfterTheCloseIsNotCountedTwice() throws Exception {
    var go = new CountDownLatch(1);
    var begun = new CountDownLatch(1);
    var system = ActorSystem.open("late", c -> c.withWorkers(1));
    ActorRef<Integer> actor =
        system.spawn(
            "stuck",
            () ->
                (_, _) -> {
                  begun.countDown();
                  go.await();
                });
    for (int i = 0; i < 11; i++) actor.cast(i);
    begun.await();
    var report = system.close(Duration.ofMillis(50));
    assertThat(report.actorsLeft()).isEqualTo(1);
    assertThat(report.messagesLeft()).isEqualTo(10);
    go.countDown();
    actor.cast(99);
    var letters = system.snapshot().deadLetters();
    assertThat(letters).containsEntry(DeadLetterReason.RECIPIENT_STOPPED, 1L);
    // The first if it ended when it was killed, the second if it did not.
    assertThat(
            letters.get(DeadLetterReason.LEFT_BEHIND) + letters.get(DeadLetterReason.SYSTEM_CLOSED))
        .isEqualTo(10);
  }

  /** They used to wait for the whole handler in the inbox of the worker that ran it. */
  @Test
  void othersGetPastAWorkerThatIsHeld() throws Exception {
    var hold = new CountDownLatch(1);
    var held = new CountDownLatch(1);
    var others = new CountDownLatch(2_000);
    try (var system = ActorSystem.open("held", c -> c.withWorkers(2))) {
      ActorRef<Integer> starter =
          system.spawn(
              () ->
                  (_, context) -> {
                    for (int i = 0; i < 2_000; i++)
                      context.<Integer>spawn(() -> (_, _) -> others.countDown()).cast(1);
                    held.countDown();
                    while (hold.getCount() > 0) Thread.onSpinWait(); // does not block: it holds
                  });
      starter.cast(1);
      held.await();
      try {
        assertThat(others.await(WAIT_SECONDS, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
      } finally {
        hold.countDown();
      }
    }
  }

  @Test
  void aMessageThatWaitsCannotBeStashedBeforeItsTurn() throws Exception {
    List<String> log = new ArrayList<>();
    try (var system = ActorSystem.open("early", c -> c.withWorkers(1))) {
      ActorRef<String> actor =
          system.spawn(
              () ->
                  new Actor<>() {
                    @Override
                    public void init(Context<String> context) {
                      context.self().cast("second");
                      try {
                        context.stash();
                      } catch (IllegalStateException e) {
                        log.add("refused");
                      }
                      context.unstashAll();
                    }

                    @Override
                    public void receive(String message, Context<String> context) {
                      log.add(message);
                      context.stopAfterDrain();
                    }
                  });
      Await.result(actor.whenStopped());
    }
    assertThat(log).containsExactly("refused", "second");
  }

  @Test
  void aDeepTreeClosesAndIsCounted() {
    int depth = 5_000;
    var deep = new CountDownLatch(1);
    try (var system = ActorSystem.open("deep", c -> c.withWorkers(1))) {
      ActorRef<Integer> top = system.spawn(() -> new Nest(deep));
      top.cast(depth);
      deep.await();
      assertThat(system.dump()).contains("… and deeper");
      var report = system.close(Duration.ofSeconds(WAIT_SECONDS));
      assertThat(report.complete()).isTrue();
      assertThat(system.snapshot().actorsLive()).isZero();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private record Nest(CountDownLatch deep) implements Actor<Integer> {
    @Override
    public void receive(Integer left, Context<Integer> context) {
      if (left == 0) deep.countDown();
      else context.<Integer>spawn(() -> new Nest(deep)).cast(left - 1);
    }
  }
}
