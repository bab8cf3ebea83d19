package io.turnwise.faults.supervision;

import io.turnwise.ActorSystem;
import io.turnwise.RootFailure;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * F5: a child whose start hangs, computes for ever, or fails for ever, under a supervisor of each
 * shape. The supervisor answers; the child and the supervisor can be stopped by the child's
 * deadline for stops, and 50 ms more at most; the others start when the child is gone. By how much
 * it is late is exact under simulation, and live only printed.
 */
public final class HangingStartRow implements Row {
  private static final Duration LATE = Duration.ofMillis(50);

  @Override
  public String id() {
    return "F5";
  }

  @Override
  public String what() {
    return "starts that hang or fail for ever";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int rounds = (int) trial.sized(1, 10);
    for (int workers : trial.workerCounts()) {
      long latest = 0;
      for (int i = 0; i < rounds; i++) latest = Math.max(latest, live(workers));
      trial.say(workers + " workers: latest by " + latest / 1_000 + " us");
    }
    return new Simulated().run(trial);
  }

  /** All cases at once. What computes for ever needs woven code to be stopped. */
  private static long live(int workers) {
    List<HangingStart.Case> cases =
        HangingStart.all().stream()
            .filter(c -> c.trouble() != HangingStart.Trouble.INIT_COMPUTES_FOR_EVER)
            .toList();
    try (var system =
        ActorSystem.open(
            "starts",
            c ->
                c.withWorkers(workers)
                    .withCallTimeout(Duration.ofSeconds(120))
                    .withRootFailure(RootFailure.GO_ON))) { // some of them are killed
      List<HangingStart> all = new ArrayList<>();
      for (int i = 0; i < cases.size(); i++)
        all.add(new HangingStart(system, "s" + i, cases.get(i), Duration.ofMillis(100)));
      for (HangingStart start : all) await(start::isInTrouble, "it is not in trouble");
      List<CompletableFuture<?>> ends = new ArrayList<>();
      for (HangingStart start : all) ends.add(start.end());
      for (int i = 0; i < all.size(); i++)
        await(ends.get(i)::isDone, cases.get(i) + ": it does not end\n" + system.tree());
      for (HangingStart start : all) start.check(Duration.ofSeconds(120));
      await(() -> system.snapshot().actorsLive() == 0, "somebody is left\n" + system.tree());
      return all.stream().mapToLong(HangingStart::late).max().orElseThrow();
    }
  }

  private static void await(BooleanSupplier condition, String problem) {
    long deadline = System.nanoTime() + 120_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) throw new Broken(problem);
      LockSupport.parkNanos(200_000);
    }
  }

  /** Each case from seeds. */
  public static final class Simulated extends WovenRow {
    private static final SimulationPlan PLAN = SimulationPlan.DEFAULT.withShrinks(false);

    @Override
    public String id() {
      return "F5";
    }

    @Override
    public String what() {
      return "the same, simulated";
    }

    @Override
    protected String runWoven(Trial trial) {
      int seeds = (int) trial.sized(1, 100);
      List<HangingStart.Case> cases = HangingStart.all();
      long[] latest = {0};
      for (HangingStart.Case one : cases)
        for (int i = 0; i < seeds; i++)
          Simulation.run(
              PLAN,
              trial.seed() + i,
              simulation -> latest[0] = Math.max(latest[0], live(simulation, one)));
      trial.say("simulated: latest by " + latest[0] / 1_000 + " us");
      return String.format(Locale.ROOT, "%d cases x %d seeds", cases.size(), seeds);
    }

    private static long live(Simulation simulation, HangingStart.Case played) throws Exception {
      var start = new HangingStart(simulation.system(), "s", played, Duration.ofMillis(20));
      for (int i = 0; !start.isInTrouble(); i++) {
        if (i > 10_000) throw new Broken(played + ": it is not in trouble");
        simulation.sleep(Duration.ofNanos(100_000));
      }
      CompletableFuture<?> end = start.end();
      simulation.sleep(Duration.ofSeconds(1));
      if (!end.isDone()) throw new Broken(played + ": it does not end");
      if (start.late() > LATE.toNanos())
        throw new Broken(played + ": late by " + Duration.ofNanos(start.late()));
      start.check(Duration.ofSeconds(1));
      simulation.sleep(Duration.ofSeconds(1));
      if (simulation.system().snapshot().actorsLive() != 1)
        throw new Broken(played + ": somebody is left\n" + simulation.system().tree());
      return start.late();
    }
  }
}
