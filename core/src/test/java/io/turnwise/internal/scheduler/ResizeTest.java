package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.turnwise.Await;
import io.turnwise.internal.door.JdkDoor;
import io.turnwise.internal.weaving.PollFlag;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Workers that come and go. Nobody ticks but the test. */
class ResizeTest {
  private static final long PATIENCE_SECONDS = 30;

  private final AtomicInteger awoken = new AtomicInteger();
  private final Scheduler scheduler =
      new Scheduler(
          "resize", 1, 4, new Tick(System::nanoTime), true, awoken::incrementAndGet, _ -> {});
  private final CountDownLatch release = new CountDownLatch(1);

  @BeforeAll
  static void open() {
    JdkDoor.open();
  }

  @AfterEach
  void stop() throws Exception {
    release.countDown();
    scheduler.stop();
    assertThat(scheduler.awaitStopped(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS))).isTrue();
    scheduler.letGo();
  }

  /** At home at worker 1, as long as there is one. */
  private class Pinned extends Task {
    final CountDownLatch ran = new CountDownLatch(1);

    Pinned() {
      pinTo(1);
    }

    void code() {}

    @Override
    protected boolean runSlice(Seat seat) {
      seat.beginTurn();
      code();
      seat.charge(this);
      ran.countDown();
      return false;
    }

    @Override
    protected Runner runner() {
      return scheduler;
    }

    @Override
    protected int quantum() {
      return 10_000_000;
    }
  }

  /** Does not end before the test says so, and cannot be stopped. */
  private final class Holder extends Pinned {
    final CountDownLatch began = new CountDownLatch(1);

    @Override
    void code() {
      began.countDown();
      while (release.getCount() > 0) Thread.onSpinWait();
    }
  }

  private <T extends Task> T bring(T task) {
    if (scheduler.enqueue(task, null)) scheduler.rouse(task);
    return task;
  }

  private Worker removeSecond() throws Exception {
    Worker second = scheduler.worker(1);
    Thread thread = second.thread;
    scheduler.resize(1);
    thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    assertThat(thread.isAlive()).isFalse();
    return second;
  }

  @Test
  void aWorkerThatHasLeftIsForgottenAndItsCountersAreKept() throws Exception {
    List<WeakReference<Worker>> gone = new ArrayList<>();
    int rounds = 50;
    for (int i = 0; i < rounds; i++) {
      scheduler.resize(2);
      Await.latch(bring(new Pinned()).ran);
      gone.add(new WeakReference<>(removeSecond()));
      scheduler.tick();
    }
    Await.until(
        "all but the last are forgotten",
        () -> {
          System.gc();
          return gone.stream().filter(worker -> worker.get() != null).count() <= 1;
        });
    var sum = new Counters();
    scheduler.addCounters(sum);
    assertThat(sum.slices).isEqualTo(rounds);
  }

  /** As by a sender that has read the old number of workers, and was not run since. */
  @Test
  void whatComesToTheInboxOfAWorkerThatHasLeftRunsAfterTheNextTick() throws Exception {
    scheduler.resize(2);
    Worker second = removeSecond();
    Await.until("the first sleeps", () -> scheduler.idle.sleepers == 1);
    int before = awoken.get();
    var late = new Pinned();
    second.queue.inbox.push(late);
    scheduler.rouse(late);
    assertThat(awoken).as("somebody ticks again").hasValueGreaterThan(before);
    scheduler.tick();
    Await.latch(late.ran);
  }

  @Test
  void aWorkerThatComesFindsWhatCameToTheInboxOfTheOneBefore() throws Exception {
    scheduler.resize(2);
    Worker second = removeSecond();
    var late = new Pinned();
    second.queue.inbox.push(late);
    scheduler.resize(2); // looks round when it begins
    Await.latch(late.ran);
  }

  @Test
  void nobodyWaitsForAWorkerThatCannotLeaveYet() throws Exception {
    scheduler.resize(2);
    var holder = bring(new Holder());
    Await.latch(holder.began);
    var behind = bring(new Pinned());
    var resized = Thread.ofPlatform().daemon().start(() -> scheduler.resize(1));
    resized.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    assertThat(resized.isAlive()).as("waits for the handler").isFalse();
    assertThat(scheduler.workerCount()).isEqualTo(1);
    assertThat(scheduler.isBusy()).as("somebody must tick").isTrue();
    scheduler.tick();
    Await.latch(behind.ran); // although its worker does not come to give it away
    assertThat(scheduler.newShare(1, 1).weight).isEqualTo(1);
    release.countDown();
    Await.latch(holder.ran);
    Await.until("it has left", () -> !scheduler.worker(1).thread.isAlive());
    var sum = new Counters();
    scheduler.addCounters(sum);
    assertThat(sum.slices).isEqualTo(2);
  }

  @Test
  void aWorkerThatLeavesTakesItsRequestToStopWithIt() throws Exception {
    assumeFalse(Preemption.isEveryPoll(), "the flag stays up there");
    scheduler.resize(2);
    var holder = bring(new Holder());
    Await.latch(holder.began);
    Worker second = scheduler.worker(1);
    scheduler.resize(1);
    Await.until(
        "it is asked to stop",
        () -> {
          scheduler.tick();
          return second.hasOpenRequest();
        });
    assertThat(PollFlag.raised).isTrue();
    release.countDown();
    Await.until("it has left", () -> !second.thread.isAlive());
    Await.until("the flag is down", () -> !PollFlag.raised);
  }

  /** A scheduler on a machine that has threads for two workers only, as long as this says so. */
  private static Scheduler meagre(int count, AtomicBoolean isMeagre) {
    return new Scheduler(
        "meagre",
        count,
        4,
        new Tick(System::nanoTime),
        true,
        false,
        null,
        (all, index) -> {
          if (index >= 2 && isMeagre.get()) throw new OutOfMemoryError("no thread");
          return new Worker(all, index, false);
        },
        () -> {},
        _ -> {});
  }

  @Test
  void aSchedulerThatCannotHaveAllItsWorkersLeavesNone() throws Exception {
    assertThatThrownBy(() -> meagre(3, new AtomicBoolean(true)))
        .isInstanceOf(OutOfMemoryError.class);
    Await.until(
        "those that had begun have ended",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("turnwise-meagre-")));
  }

  @Test
  void whereNotAllNewWorkersCanBeHadThoseBeforeThemWorkAndTheNextAttemptBeginsThere()
      throws Exception {
    var isMeagre = new AtomicBoolean(true);
    Scheduler all = meagre(1, isMeagre);
    assertThatThrownBy(() -> all.resize(4)).isInstanceOf(OutOfMemoryError.class);
    assertThat(all.workerCount()).isEqualTo(2);
    Worker second = all.worker(1);
    isMeagre.set(false);
    all.resize(4);
    assertThat(all.workerCount()).isEqualTo(4);
    assertThat(all.worker(1)).isSameAs(second);
    all.stop();
    assertThat(all.awaitStopped(TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS))).isTrue();
    all.letGo();
  }

  @Test
  void aWorkerThatIsWantedAgainBeforeItHasLeftStays() throws Exception {
    scheduler.resize(2);
    var holder = bring(new Holder());
    Await.latch(holder.began);
    Worker second = scheduler.worker(1);
    var resized =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  scheduler.resize(1);
                  scheduler.resize(2);
                });
    resized.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    assertThat(scheduler.workerCount()).isEqualTo(2);
    assertThat(scheduler.worker(1)).isSameAs(second);
    release.countDown();
    Await.latch(bring(new Pinned()).ran);
    assertThat(second.thread.isAlive()).isTrue();
  }
}
