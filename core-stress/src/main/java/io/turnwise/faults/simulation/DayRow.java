package io.turnwise.faults.simulation;

import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;

/**
 * F42: a day of sleeps, call timeouts, backoff and daily jobs, a million events, from each seed.
 */
public final class DayRow extends WovenRow {
  private static final SimulationPlan PLAN =
      SimulationPlan.DEFAULT.withMaxTurns(Integer.MAX_VALUE).withShrinks(false);

  /** A simulation runs on the thread that asks for it: what that used does not depend on others. */
  private static final ThreadMXBean PROCESSOR = ManagementFactory.getThreadMXBean();

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
    int days = (int) trial.sized(3, 1_000);
    double[] passed = new double[days];
    double[] used = new double[days];
    long fewest = Long.MAX_VALUE;
    var progress = new Progress(trial, days, "days");
    for (int i = 0; i < days; i++) {
      var day = new Day(trial.seed() + i);
      long began = System.nanoTime();
      long usedBefore = PROCESSOR.getCurrentThreadCpuTime();
      Simulation.run(PLAN, trial.seed() + i, day::live);
      passed[i] = (System.nanoTime() - began) / 1e9;
      used[i] = (PROCESSOR.getCurrentThreadCpuTime() - usedBefore) / 1e9;
      fewest = Math.min(fewest, day.events());
      progress.done(i + 1);
    }
    trial.say(String.format(Locale.ROOT, "each day has %,d events or more", fewest));
    trial.say("seconds a day, by the clock: " + spread(passed));
    trial.say("seconds a day, of a processor: " + spread(used));
    return String.format(Locale.ROOT, "%,d days, %.2f s each", days, passed[days / 2]);
  }

  private static String spread(double[] seconds) {
    Arrays.sort(seconds);
    return String.format(
        Locale.ROOT,
        "best %.2f, median %.2f, worst %.2f; %d of %d below one",
        seconds[0],
        seconds[seconds.length / 2],
        seconds[seconds.length - 1],
        Arrays.stream(seconds).filter(s -> s < 1).count(),
        seconds.length);
  }
}
