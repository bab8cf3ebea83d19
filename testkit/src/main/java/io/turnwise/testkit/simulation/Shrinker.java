package io.turnwise.testkit.simulation;

import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a run that fails shorter: fewer choices that differ from what would happen if nobody chose.
 * Each attempt is a whole run; one that fails in the same way is kept.
 */
final class Shrinker {
  private static final int MOST_RUNS = 1_000;

  /** Of all its runs together: one that does not end would be tried for too long. */
  private static final long MOST_TURNS = 20_000_000;

  private final SimulationPlan plan;
  private final long seed;
  private final Simulation.Body body;

  /** Chooses as it was chosen for the run that failed. */
  private final Supplier<Chooser> chooser;

  private int runs;
  private long turns;

  Shrinker(SimulationPlan plan, long seed, Simulation.Body body, Supplier<Chooser> chooser) {
    this.chooser = chooser;
    this.plan = plan;
    this.seed = seed;
    this.body = body;
  }

  SimulationFailure shorten(Simulation.Run first) {
    Simulation.Run failed = toShorten(first);
    Schedule full = failed.chosen();
    int[] best = full.toArray();
    best = cut(best, failed);
    best = plain(best, failed);
    best = lower(best, failed);
    Simulation.Run told = run(best, new Story());
    return told.isLike(failed) ? told.asFailure(full.size()) : failed.asFailureThatDiffers();
  }

  /**
   * What is done once in a JVM, class initialisers above all, is a part of the first run and of no
   * other: what was chosen for it is then chosen for something else. If that matters, the run is
   * made once more as its seed decides, and if it fails again, that one is taken.
   */
  private Simulation.Run toShorten(Simulation.Run failed) {
    Simulation.Run again = run(failed.chosen().toArray(), null);
    if (again.isLike(failed)) return failed;
    var anew = new Simulation.Run(plan, seed, body, chooser.get(), null);
    anew.go();
    return anew.isLike(failed) ? anew : failed;
  }

  /** The end: the shortest beginning that is enough. */
  private int[] cut(int[] choices, Simulation.Run failed) {
    int enough = choices.length;
    int little = 0;
    while (little < enough && mayTry()) {
      int middle = (little + enough) >>> 1;
      if (fails(Arrays.copyOf(choices, middle), failed)) enough = middle;
      else little = middle + 1;
    }
    return Arrays.copyOf(choices, enough);
  }

  /** Stretches in which nobody needs to choose: long ones first. */
  private int[] plain(int[] choices, Simulation.Run failed) {
    int[] best = choices;
    for (int stretch = Math.max(1, best.length / 2); ; stretch /= 2) {
      for (int from = 0; from < best.length && mayTry(); from += stretch) {
        int[] next = best.clone();
        int to = Math.min(next.length, from + stretch);
        if (isPlain(next, from, to)) continue;
        Arrays.fill(next, from, to, 0);
        if (fails(next, failed)) best = next;
      }
      if (stretch == 1) return best;
    }
  }

  private static boolean isPlain(int[] choices, int from, int to) {
    for (int i = from; i < to; i++) if (choices[i] != 0) return false;
    return true;
  }

  /** Those that are left: the smallest that will do. */
  private int[] lower(int[] choices, Simulation.Run failed) {
    int[] best = choices;
    for (int i = 0; i < best.length; i++) {
      while (best[i] > 1 && mayTry()) {
        int[] next = best.clone();
        next[i] = best[i] / 2;
        if (!fails(next, failed)) break;
        best = next;
      }
    }
    return best;
  }

  private boolean mayTry() {
    return runs < MOST_RUNS && turns < MOST_TURNS;
  }

  private boolean fails(int[] choices, Simulation.Run failed) {
    runs++;
    return run(choices, null).isLike(failed);
  }

  private Simulation.Run run(int[] choices, @Nullable Story story) {
    var run = new Simulation.Run(plan, seed, body, new Chooser.Again(Schedule.of(choices)), story);
    run.go();
    turns += run.turns();
    return run;
  }
}
