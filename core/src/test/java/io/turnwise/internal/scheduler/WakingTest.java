package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a sleeping worker is woken for what comes from outside, beside one that is awake. */
class WakingTest {
  private static final int AWAKE = 0;
  private static final int ASLEEP = 1;

  /** What both workers have in hand. */
  private @Nullable Task inHand;

  private int woken;

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

                @Override
                void unpark() {
                  woken++;
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
    scheduler.queue(AWAKE).line.push(new Idle(1));
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

  /** It would have counted as a searcher for ever, and nobody else would have been woken. */
  @ParameterizedTest(name = "for what only it may run: {0}")
  @ValueSource(booleans = {false, true})
  void whoseStackEndsAsItWakesASleeperHasWokenItOrHasNot(boolean thisOne) throws Exception {
    for (int round = 0; round < 200; round++) {
      scheduler.idle.fallAsleep(ASLEEP);
      int before = woken;
      int depth = round;
      runOnSmallStack(() -> wakeAtTheEndOfTheStack(depth, thisOne));
      assertThat(scheduler.idle.isSleeping(ASLEEP)).isFalse();
      assertThat(scheduler.idle.searching()).isEqualTo(1);
      assertThat(woken).isEqualTo(before + 1);
      scheduler.idle.endSearch();
    }
  }

  /** Tries it at each depth from the last one upwards, until the stack suffices. */
  private void wakeAtTheEndOfTheStack(int depth, boolean thisOne) {
    try {
      wakeAtTheEndOfTheStack(depth + 1, thisOne);
    } catch (StackOverflowError e) {
      if (thisOne) scheduler.wake(scheduler.queue(ASLEEP));
      else scheduler.wakeOne();
    }
  }

  private static void runOnSmallStack(Runnable what) throws InterruptedException {
    var thread = new Thread(null, what, "small stack", 256 << 10);
    thread.start();
    thread.join();
  }
}
