package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Threads that one task after another uses. */
class ElasticRunnerTest {
  private static final int ROUNDS = 20;

  private final ElasticRunner runner = new ElasticRunner("test", new Tick(System::nanoTime));

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
    runner.stop();
  }
}
