package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Await;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.observation.MailboxGrowth;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Mailboxes that grow are found when the heap fills, and said once. */
class GrowthWatchTest {
  private static final long SECOND = 1_000_000_000;

  private final ActorSystem system = ActorSystem.open("growth");
  private final CountDownLatch release = new CountDownLatch(1);
  private final List<ActorCell<?>> actors = new ArrayList<>();
  private final List<MailboxGrowth> said = new ArrayList<>();
  private double heap = 0.5;
  private long now = SECOND;
  private final GrowthWatch watch =
      new GrowthWatch(() -> heap, () -> now, Runnable::run, () -> actors, said::add);

  @AfterEach
  void close() {
    release.countDown();
    system.close();
  }

  private ActorRef<Integer> slow(String name, MailboxConfig mailbox) throws Exception {
    var begun = new CountDownLatch(1);
    ActorSpec<Integer> spec =
        ActorSpec.<Integer>of(
                () ->
                    (number, context) -> {
                      begun.countDown();
                      release.await();
                    })
            .withMailbox(mailbox);
    ActorRef<Integer> actor = system.spawn(name, spec);
    actor.cast(0);
    Await.latch(begun);
    actors.add((ActorCell<?>) actor);
    return actor;
  }

  private static void send(ActorRef<Integer> to, long messages) {
    for (int i = 0; i < messages; i++) to.cast(i);
  }

  private void look() {
    now += SECOND;
    watch.beat();
  }

  @Test
  void aMailboxThatGrowsIsSaidOnceAndAgainWhenItIsFourTimesAsLong() throws Exception {
    ActorRef<Integer> slow = slow("slow", MailboxConfig.UNBOUNDED);
    send(slow, GrowthWatch.MANY - 1);
    look();
    assertThat(said).isEmpty();
    send(slow, 1);
    look();
    assertThat(said).containsExactly(new MailboxGrowth("/growth/slow", GrowthWatch.MANY, 0.5));
    send(slow, 2 * GrowthWatch.MANY);
    look();
    assertThat(said).hasSize(1);
    send(slow, GrowthWatch.MANY);
    look();
    assertThat(said).hasSize(2);
    assertThat(said.getLast().queued()).isEqualTo(4 * GrowthWatch.MANY);
  }

  @Test
  void oneThatHasBeenEmptiedMeanwhileIsSaidAgain() throws Exception {
    ActorRef<Integer> slow = slow("slow", MailboxConfig.UNBOUNDED);
    send(slow, GrowthWatch.MANY);
    look();
    release.countDown();
    Await.until("it is idle", () -> ((ActorCell<?>) slow).isIdle());
    look();
    assertThat(said).hasSize(1);
    // A second actor of the same kind: the first one's latch is open.
    var held = new CountDownLatch(1);
    ActorRef<Integer> other = system.spawn("other", () -> (number, context) -> held.await());
    actors.add((ActorCell<?>) other);
    send(other, GrowthWatch.MANY + 1);
    look();
    held.countDown();
    assertThat(said)
        .extracting(MailboxGrowth::path)
        .containsExactly("/growth/slow", "/growth/other");
  }

  @Test
  void nobodyLooksWhileThereIsRoom() throws Exception {
    heap = GrowthWatch.FILLING - 0.01;
    send(slow("slow", MailboxConfig.UNBOUNDED), GrowthWatch.MANY);
    look();
    assertThat(said).isEmpty();
    heap = GrowthWatch.FILLING;
    look();
    assertThat(said).hasSize(1);
  }

  @Test
  void aBoundedMailboxHasALimitOfItsOwn() throws Exception {
    int capacity = 2 * (int) GrowthWatch.MANY;
    send(slow("slow", MailboxConfig.bounded(capacity, OverflowPolicy.FAIL)), GrowthWatch.MANY);
    look();
    assertThat(said).isEmpty();
  }

  @Test
  void aListenerIsToldUntilItIsTakenBack() throws Exception {
    List<MailboxGrowth> heard = new ArrayList<>();
    var registration = watch.listen(heard::add);
    ActorRef<Integer> slow = slow("slow", MailboxConfig.UNBOUNDED);
    send(slow, GrowthWatch.MANY);
    look();
    registration.close();
    send(slow, 4 * GrowthWatch.MANY);
    look();
    assertThat(heard).hasSize(1);
    assertThat(said).hasSize(2);
  }

  @Test
  void aLookIsNotRepeatedAtOnce() throws Exception {
    int[] looks = {0};
    var counting =
        new GrowthWatch(
            () -> heap,
            () -> now,
            Runnable::run,
            () -> {
              looks[0]++;
              now += SECOND; // it takes long
              return actors;
            },
            said::add);
    counting.beat();
    now += 100 * SECOND;
    counting.beat();
    assertThat(looks[0]).isEqualTo(1);
    now += 100 * SECOND;
    counting.beat();
    assertThat(looks[0]).isEqualTo(2);
  }
}
