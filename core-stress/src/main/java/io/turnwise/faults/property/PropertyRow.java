package io.turnwise.faults.property;

import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The big property: many worlds, each on 1, 2 or 4 workers. A failing world is repeated by {@code
 * ./turnwise faults property --size ci --seed SEED --workers WORKERS}, which runs that world first.
 */
public final class PropertyRow implements Row {
  private static final List<Integer> WORKERS = List.of(1, 2, 4);
  private static final int SMALL = 2_000;
  private static final int LARGE = 500_000;

  @Override
  public String id() {
    return "property";
  }

  @Override
  public String what() {
    return "random worlds: every message accounted for";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long wanted = trial.sized(100L * SMALL, 100_000_000);
    long sent = 0;
    int worlds = 0;
    var seeds = new SplittableRandom(trial.seed());
    for (long seed = trial.seed(); sent < wanted; seed = seeds.nextLong() >>> 20) {
      boolean small = !trial.full() || worlds % 4 == 0;
      int workers = trial.workers() > 0 ? trial.workers() : WORKERS.get(worlds % 3);
      sent += live(seed, small ? SMALL : LARGE, workers, !small);
      worlds++;
      if (worlds % (trial.full() ? 40 : 25) == 0)
        trial.say(worlds + " worlds, " + sent + " messages, none unaccounted");
    }
    return sent + " messages in " + worlds + " worlds";
  }

  /** One world. Returns how many messages it accepted. */
  static long live(long seed, int messages, int workers, boolean calm) throws Exception {
    var world = new World(seed, messages, workers, calm, messages <= SMALL);
    try {
      world.run();
    } catch (Broken e) {
      throw new Broken(
          "seed "
              + seed
              + " on "
              + workers
              + " workers: "
              + e.getMessage()
              + "\n  again: ./turnwise faults property --size ci --seed "
              + seed
              + " --workers "
              + workers);
    }
    return world.books.accepted();
  }
}
