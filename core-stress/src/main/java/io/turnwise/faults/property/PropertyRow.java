package io.turnwise.faults.property;

import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * The big property: many worlds, each on 1, 2 or 4 workers. A seed says all of its world, at full
 * size also whether that is a large one. So a failing world is repeated by {@code ./turnwise faults
 * property --size SIZE --seed SEED --workers WORKERS}, which runs that world first.
 *
 * <p>A message to an actor that has ended is a dead letter, which is accounted for as well, and
 * tests little. So these must be few.
 */
public final class PropertyRow implements Row {
  private static final List<Integer> WORKERS = List.of(1, 2, 4);
  private static final int SMALL = 2_000;
  private static final int LARGE = 500_000;

  /** Of all that were accepted, at full size; those included that a close came before. */
  private static final double MOST_TOO_LATE = 0.25;

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
    long handled = 0;
    long tooLate = 0;
    int worlds = 0;
    var seeds = new SplittableRandom(trial.seed());
    var progress = new Progress(trial, wanted);
    for (long seed = trial.seed(); sent < wanted; seed = seeds.nextLong() >>> 20) {
      boolean small = !trial.full() || seed % 4 == 0;
      int workers = trial.workers() > 0 ? trial.workers() : WORKERS.get(worlds % 3);
      World world = live(seed, small, workers, trial.full());
      sent += world.books.accepted();
      handled += world.books.handled.sum() + world.books.failed.sum();
      tooLate += world.tooLate();
      worlds++;
      progress.say(worlds, sent);
    }
    if (trial.full() && tooLate > MOST_TOO_LATE * sent)
      throw new Broken(tooLate + " of " + sent + " messages were for actors that had ended");
    return "%d messages in %d worlds, %d %% handled, %d %% too late, %s"
        .formatted(sent, worlds, 100 * handled / sent, 100 * tooLate / sent, progress.rate(sent));
  }

  /** One world, lived through. */
  private static World live(long seed, boolean small, int workers, boolean full) throws Exception {
    var world = new World(seed, small ? SMALL : LARGE, workers, !small, small);
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
              + "\n  again: ./turnwise faults property --size "
              + (full ? "full" : "ci")
              + " --seed "
              + seed
              + " --workers "
              + workers);
    }
    return world;
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
