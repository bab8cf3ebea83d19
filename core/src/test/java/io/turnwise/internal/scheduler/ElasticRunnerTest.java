package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that one task after another uses. */
class ElasticRunnerTest {
  private static final int ROUNDS = 20;

  private final List<String> reports = new ArrayList<>();
  private final AtomicLong now = new AtomicLong(1);
  private final Tick tick = new Tick(now::get);
  private final ElasticRunner runner = new ElasticRunner("test", tick, reports::add);
  private final ElasticRunner ofTwo = new ElasticRunner("of two", tick, reports::add, 2);

  @AfterEach
  void stop() {
    runner.stop();
    ofTwo.stop();
  }

  /** Goes idle and is woken at once, so that another thread has it before this one lets go. */
  private final class WokenInTheGap extends Task {
    private final CountDownLatch looked = new CountDownLatch(1);
    private boolean second;
    private @Nullable Thread runsIt;
    private @Nullable Thread seen;

    @Override
    protected boolean runSlice(Seat seat) {
      seat.enterHandler();
      if (second) {
        runsIt = Thread.currentThread();
        seen = runner.threadOf(this);
        seat.leaveHandler();
        looked.countDown();
        return false;
      }
      second = true;
      seat.leaveHandler();
      if (runner.enqueue(this, null)) runner.rouse(this);
      try {
        looked.await();
      } catch (InterruptedException e) {
        throw new AssertionError("nobody interrupts it", e);
      }
      return false;
    }

    @Override
    protected Runner runner() {
      return runner;
    }

    @Override
    protected int quantum() {
      return 1_000_000;
    }
  }

  @Test
  void aTaskThatTheLastThreadHasNotLetGoOfIsFoundOnItsNewOne() throws Exception {
    List<WokenInTheGap> tasks = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) { // which of the two is found first is chance
      var task = new WokenInTheGap();
      tasks.add(task);
      if (runner.enqueue(task, null)) runner.rouse(task);
      assertThat(task.looked.await(60, TimeUnit.SECONDS)).isTrue();
    }
    for (WokenInTheGap task : tasks) assertThat(task.seen).isNotNull().isSameAs(task.runsIt);
  }

  /** Keeps its thread for as long as the test wants. */
  private final class Holding extends Task {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    @Override
    protected boolean runSlice(Seat seat) {
      seat.enterHandler();
      begun.countDown();
      try {
        end.await();
      } catch (InterruptedException e) {
        throw new AssertionError("nobody interrupts it", e);
      }
      seat.leaveHandler();
      return false;
    }

    void begin() {
      if (ofTwo.enqueue(this, null)) ofTwo.rouse(this);
    }

    @Override
    protected Runner runner() {
      return ofTwo;
    }

    @Override
    protected int quantum() {
      return 1_000_000;
    }
  }

  @Test
  void thatAllThreadsAreInUseIsSaidOnceAMinuteWithHowManyOfThemWereLeftBehind() throws Exception {
    List<Holding> tasks = List.of(new Holding(), new Holding(), new Holding());
    for (Holding task : tasks.subList(0, 2)) {
      task.begin();
      Await.latch(task.begun);
    }
    ofTwo.tick();
    assertThat(reports).as("nobody waits").isEmpty();

    Seat left = ofTwo.seatOf(tasks.getFirst());
    assertThat(left).isNotNull();
    left.abandonTurn();
    tasks.getLast().begin();
    for (int i = 0; i < 3; i++) beat(Duration.ofMillis(1));

    assertThat(reports).hasSize(1);
    assertThat(reports.getFirst())
        .contains(
            "All 2 threads", "1 of them by handlers that were left behind", "[NO-THREAD-LEFT]");
    beat(Duration.ofMinutes(1));
    assertThat(reports).hasSize(2);

    tasks.get(1).end.countDown();
    Await.latch(tasks.getLast().begun);
    beat(Duration.ofMinutes(1));
    assertThat(reports).as("nobody waits any more").hasSize(2);
    tasks.forEach(task -> task.end.countDown());
  }

  private void beat(Duration passed) {
    now.addAndGet(passed.toNanos());
    tick.advanceTo();
    ofTwo.tick();
  }
}
