package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whether a sleeping worker is woken for what comes from outside, beside one that is awake. */
class WakingTest {
  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;

  /** What both workers have in hand. */
  private @Nullable Task inHand;

  private final Scheduler scheduler =
      new Scheduler(
          "waking",
          2,
          2,
          new Tick(System::nanoTime),
          (all, index) ->
              new Worker(all, index, false) {
                @Override
                @Nullable Task seenInHand() {
                  return inHand;
                }
              },
          () -> {},
          _ -> {});

  @AfterEach
  void stop() {
    scheduler.stop();
    scheduler.letGo();
  }

  private boolean isWokenForWhatComesFromOutside() {
    scheduler.idle.fallAsleep(ASLEEP);
    var task = new Idle(0);
    assertThat(scheduler.enqueue(task, null)).isTrue();
    scheduler.rouse(task);
    return !scheduler.idle.isSleeping(ASLEEP);
  }

  /** To wake another would take a core from whoever sends, for what is taken in a moment. */
  @Test
  void nobodyIsWokenBesideAWorkerThatHasNothingToDo() {
    assertThat(isWokenForWhatComesFromOutside()).isFalse();
  }

  @Test
  void aSleeperIsWokenBesideAWorkerThatHasOthersToRun() {
    scheduler.queue(AWAKE).ring.push(new Idle(1));
    assertThat(isWokenForWhatComesFromOutside()).isTrue();
  }

  @Test
  void aSleeperIsWokenBesideAWorkerThatRunsSomebody() {
    inHand = new Idle(1);
    assertThat(isWokenForWhatComesFromOutside()).isTrue();
  }

  /** For how long that takes, nobody knows. */
  @Test
  void aSleeperIsWokenBesideAWorkerThatLetsTimersFire() {
    scheduler.ringing = AWAKE;
    assertThat(isWokenForWhatComesFromOutside()).isTrue();
  }

  @Test
  void aSleeperIsWokenWhereAllSleep() {
    scheduler.idle.fallAsleep(AWAKE);
    scheduler.idle.fallAsleep(ASLEEP);
    var task = new Idle(0);
    assertThat(scheduler.enqueue(task, null)).isTrue();
    scheduler.rouse(task);
    assertThat(scheduler.idle.searching()).isEqualTo(1);
    assertThat(scheduler.idle.sleepers).isEqualTo(1);
  }
}
