package io.turnwise.faults.simulation;

import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
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
  protected String runWoven(Trial trial) throws IOException {
    List<Double> passed = new ArrayList<>();
    List<Double> used = new ArrayList<>();
    long fewest = Long.MAX_VALUE;
    var progress = new Progress(trial, id(), trial.sized(3, 1_000), "days");
    while (progress.goesOn()) {
      long seed = progress.nextSeed();
      var day = new Day(seed);
      long began = System.nanoTime();
      long usedBefore = PROCESSOR.getCurrentThreadCpuTime();
      Simulation.run(PLAN, seed, day::live);
      passed.add((System.nanoTime() - began) / 1e9);
      used.add((PROCESSOR.getCurrentThreadCpuTime() - usedBefore) / 1e9);
      fewest = Math.min(fewest, day.events());
      progress.held();
    }
    if (!passed.isEmpty()) {
      trial.say(String.format(Locale.ROOT, "each day has %,d events or more", fewest));
      trial.say("seconds a day, by the clock: " + spread(passed));
      trial.say("seconds a day, of a processor: " + spread(used));
    }
    return progress.result();
  }

  /** The first was run while its code was compiled. */
  private static String spread(List<Double> seconds) {
    List<Double> sorted = seconds.stream().sorted().toList();
    return String.format(
        Locale.ROOT,
        "first %.2f, best %.2f, median %.2f, worst %.2f; %d of %d below one",
        seconds.getFirst(),
        sorted.getFirst(),
        sorted.get(sorted.size() / 2),
        sorted.getLast(),
        sorted.stream().filter(each -> each < 1).count(),
        sorted.size());
  }
}
