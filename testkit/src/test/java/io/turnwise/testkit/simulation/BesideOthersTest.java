package io.turnwise.testkit.simulation;

import io.turnwise.ActorRef;
import io.turnwise.internal.scheduler.Preemption;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What other systems of the same JVM do is no part of a simulation. */
class BesideOthersTest {
  private static final int SEEDS = 50;
  private static final int POLLS = 2_000;

  /** Another system's turns are cancelled all the time: the flag that polls read is one for all. */
  @Test
  void everyPollCountsWhileOthersSettleTheirs() throws Exception {
    var end = new AtomicBoolean();
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!end.get()) {
                    Preemption.openCancel();
                    Preemption.closeCancel();
                  }
                });
    try {
      for (int seed = 1; seed <= SEEDS; seed++) {
        Outcome alone = Simulation.run(seed, BesideOthersTest::poll);
        Simulation.repeat(SimulationPlan.DEFAULT, alone, BesideOthersTest::poll);
      }
    } finally {
      end.set(true);
      other.join();
    }
  }

  /** The order in which three actors pass their polls is told to a fourth, and so is hashed. */
  private static void poll(Simulation simulation) throws InterruptedException {
    long[] order = new long[1];
    int[] left = {3};
    ActorRef<Long> log = simulation.spawn("log", () -> (_, _) -> {});
    for (int i = 0; i < 3; i++) {
      int own = i;
      simulation
          .<Integer>spawn(
              "actor" + i,
              () ->
                  (polls, _) -> {
                    for (int at = 0; at < polls; at++) {
                      Safepoint.poll();
                      order[0] = 31 * order[0] + own;
                    }
                    if (--left[0] == 0) log.cast(order[0]);
                  })
          .cast(POLLS);
    }
    simulation.sleep(Duration.ofSeconds(1));
  }
}
