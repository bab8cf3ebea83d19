package io.turnwise.faults.property;

import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.util.List;
import java.util.Locale;
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
    var progress = new Progress(trial, wanted);
    for (long seed = trial.seed(); sent < wanted; seed = seeds.nextLong() >>> 20) {
      boolean small = !trial.full() || worlds % 4 == 0;
      int workers = trial.workers() > 0 ? trial.workers() : WORKERS.get(worlds % 3);
      sent += live(seed, small ? SMALL : LARGE, workers, !small);
      worlds++;
      progress.say(worlds, sent);
    }
    return sent + " messages in " + worlds + " worlds, " + progress.rate(sent);
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

  /** How far it is, every few seconds. */
  private static final class Progress {
    private static final long EVERY_NANOS = 5_000_000_000L;
    private final Trial trial;
    private final long wanted;
    private final long began = System.nanoTime();
    private long said = began;

    Progress(Trial trial, long wanted) {
      this.trial = trial;
      this.wanted = wanted;
    }

    void say(int worlds, long sent) {
      long now = System.nanoTime();
      if (now - said < EVERY_NANOS) return;
      said = now;
      long left = Math.round((now - began) / 1e9 / Math.max(1, sent) * Math.max(0, wanted - sent));
      trial.say(
          String.format(
              Locale.ROOT,
              "%d worlds, %,d of %,d messages, none unaccounted; %s, about %d s to go",
              worlds,
              sent,
              wanted,
              rate(sent),
              left));
    }

    String rate(long sent) {
      double seconds = (System.nanoTime() - began) / 1e9;
      return String.format(Locale.ROOT, "%,.0f/s", sent / seconds);
    }
  }
}
