package io.turnwise.faults.simulation;

import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationFailure;
import java.io.IOException;
import java.util.List;

/**
 * F41: small worlds, each from a seed of its own. Beside what a world checks itself, every run
 * accounts for each message, and nobody may rest beside messages.
 */
public final class SeedsRow extends WovenRow {
  private record World(String name, Simulation.Body body) {}

  /** Which one runs is the seed's to say, so that the seed alone repeats it. */
  private static final List<World> WORLDS =
      List.of(
          new World("citizens", Citizens::live),
          new World("watchers (F7)", WatchWorld::live),
          new World("late replies (F8)", LateReplyWorld::live),
          new World("bank", Bank::live),
          new World("pipeline", Pipeline::live));

  @Override
  public String id() {
    return "F41";
  }

  @Override
  public String what() {
    return "simulated worlds, one for each seed";
  }

  @Override
  protected int limitSeconds(Trial trial) {
    return (int) trial.sized(600, 4 * 3_600);
  }

  @Override
  protected String runWoven(Trial trial) throws IOException {
    var progress = new Progress(trial, id(), trial.sized(2_500, 1_000_000), "seeds");
    while (progress.goesOn()) {
      long seed = progress.nextSeed();
      World world = WORLDS.get((int) Math.floorMod(seed, (long) WORLDS.size()));
      run(world, seed);
      progress.held();
    }
    return progress.result();
  }

  private static void run(World world, long seed) {
    try {
      Simulation.run(seed, world.body());
    } catch (SimulationFailure found) {
      throw new Broken(
          "the world of "
              + world.name()
              + " does not hold: "
              + found.getMessage()
              + "\n  once more: ./turnwise faults F41 --size ci --seed "
              + seed);
    }
  }
}
