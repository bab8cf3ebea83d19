package io.turnwise.faults.error;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Deadlines;
import java.time.Duration;
import java.util.BitSet;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Lets the ticker die before each thing it does, while it is busy and after it has dozed, and waits
 * for a deadline each time. Loaded by {@link ShortageLoader}.
 */
public final class TickerTrials {
  private static final Logger LOG = Logger.getLogger("io.turnwise");

  private TickerTrials() {}

  /** Called by name from the row's child. Returns what to print. */
  public static String run(int workers, int times) throws Exception {
    LOG.setLevel(Level.OFF); // each death is said, and here they are many
    int deaths = 0;
    BitSet steps;
    try (var system =
        ActorSystem.open(
            "ticking", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)))) {
      Shortage.arm(Shortage.RECORDING, Shortage.Side.RUNTIME);
      LockSupport.parkNanos(100_000_000); // a ticker that has nothing to do dozes
      Deadlines.check(system);
      LockSupport.parkNanos(100_000_000);
      Shortage.disarm();
      steps = Shortage.takeRecorded();
      for (int step = steps.nextSetBit(0); step >= 0; step = steps.nextSetBit(step + 1))
        for (int i = 0; i < times; i++) {
          Shortage.arm(step, Shortage.Side.RUNTIME);
          if (i % 3 == 0) work(system);
          try {
            Deadlines.check(system);
            Deadlines.check(system);
          } catch (Broken e) {
            throw new Broken("died at " + Shortage.name(step) + ": " + e.getMessage());
          }
          if (Shortage.disarm()) deaths++;
        }
    }
    if (deaths == 0)
      throw new Broken("the ticker died " + deaths + " times at " + steps.cardinality() + " steps");
    return workers
        + " workers: died "
        + deaths
        + " times at "
        + steps.cardinality()
        + " steps, every deadline came";
  }

  /** Something to do, so that the ticker beats. */
  private static void work(ActorSystem system) {
    ActorRef<Integer> busy =
        system.spawn(
            () ->
                (left, context) -> {
                  if (left == 0) context.stop();
                  else context.self().cast(left - 1);
                });
    busy.cast(1_000);
  }
}
