package io.turnwise.faults.simulation;

import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.util.Arrays;
import java.util.Locale;

/**
 * F42: a day of sleeps, call timeouts, backoff and daily jobs, a million events, from each seed.
 */
public final class DayRow extends WovenRow {
  private static final SimulationPlan PLAN =
      SimulationPlan.DEFAULT.withMaxTurns(Integer.MAX_VALUE).withShrinks(false);

  @Override
  public String id() {
    return "F42";
  }

  @Override
  public String what() {
    return "a simulated day of a million events";
  }

  @Override
  protected int limitSeconds(Trial trial) {
    return (int) trial.sized(600, 4 * 3_600);
  }

  @Override
  protected String runWoven(Trial trial) {
    int seeds = (int) trial.sized(3, 1_000);
    double[] seconds = new double[seeds];
    long fewest = Long.MAX_VALUE;
    var progress = new Progress(trial, seeds, "days");
    for (int i = 0; i < seeds; i++) {
      var day = new Day(trial.seed() + i);
      long began = System.nanoTime();
      Simulation.run(PLAN, trial.seed() + i, day::live);
      seconds[i] = (System.nanoTime() - began) / 1e9;
      fewest = Math.min(fewest, day.events());
      progress.done(i + 1);
    }
    Arrays.sort(seconds);
    long underOne = Arrays.stream(seconds).filter(s -> s < 1).count();
    trial.say(
        String.format(
            Locale.ROOT,
            "%,d events or more a day; seconds a day: best %.2f, median %.2f, worst %.2f;"
                + " %d of %d below one second",
            fewest,
            seconds[0],
            seconds[seeds / 2],
            seconds[seeds - 1],
            underOne,
            seeds));
    return String.format(Locale.ROOT, "%,d days, %.2f s each", seeds, seconds[seeds / 2]);
  }
}
