package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whether a sleeping worker is woken for what comes from outside, beside one that is awake. */
class WakingTest {
  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;

  private final Scheduler scheduler =
      new Scheduler("waking", 2, 2, new Tick(System::nanoTime), false, () -> {}, _ -> {});

  @AfterEach
  void stop() {
    scheduler.stop();
  }

  private void sendFromOutside() {
    var task = new Idle(0);
    assertThat(scheduler.enqueue(task, null)).isTrue();
    scheduler.rouse(task);
  }

  /** To wake another would take a core from whoever sends, for what is taken in a moment. */
  @Test
  void nobodyIsWokenBesideAWorkerThatHasNothingToDo() {
    scheduler.idle.fallAsleep(ASLEEP);
    sendFromOutside();
    assertThat(scheduler.idle.isSleeping(ASLEEP)).isTrue();
  }

  @Test
  void aSleeperIsWokenBesideAWorkerThatHasOthersToRun() {
    scheduler.idle.fallAsleep(ASLEEP);
    scheduler.queue(AWAKE).ring.push(new Idle(1));
    sendFromOutside();
    assertThat(scheduler.idle.isSleeping(ASLEEP)).isFalse();
  }

  @Test
  void aSleeperIsWokenWhereAllSleep() {
    scheduler.idle.fallAsleep(AWAKE);
    scheduler.idle.fallAsleep(ASLEEP);
    sendFromOutside();
    assertThat(scheduler.idle.searching()).isEqualTo(1);
    assertThat(scheduler.idle.sleepers).isEqualTo(1);
  }
}
