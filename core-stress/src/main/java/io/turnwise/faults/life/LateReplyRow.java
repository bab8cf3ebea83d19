package io.turnwise.faults.life;

import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * F8: answers that come when their callers have given up, and ask again: none is taken for the
 * answer to a later question, and no call ends twice. And ticks and answers that come when the life
 * is over that has asked for them: none reaches the next.
 */
public final class LateReplyRow implements Row {
  private static final int CALLERS = 4;
  private static final long MOMENT_NANOS = 300_000;

  @Override
  public String id() {
    return "F8";
  }

  @Override
  public String what() {
    return "answers and ticks that come too late";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long calls = trial.sized(4_000, 1_000_000);
    String last = "";
    for (int workers : trial.workerCounts()) {
      last = race(trial, workers, calls);
      trial.say(workers + " workers: " + last);
      trial.say(workers + " workers: " + restarts(trial, workers));
    }
    return calls + " calls: " + last;
  }

  private static String restarts(Trial trial, int workers) throws InterruptedException {
    long wanted = trial.sized(10_000, 1_000_000);
    var former = new FormerLives(MOMENT_NANOS);
    var system =
        ActorSystem.open(
            "former", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
    try (system) {
      former.begin(system, trial.random());
      await(trial, system, () -> former.stale() >= wanted);
      former.calm();
      await(trial, system, former::isDone);
    }
    return former.check(system.snapshot());
  }

  private static void await(Trial trial, ActorSystem system, BooleanSupplier condition)
      throws InterruptedException {
    long deadline = System.nanoTime() + trial.sized(300, 3_600) * 1_000_000_000L;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) throw new Broken("something hangs\n" + system.dump());
      Thread.sleep(5);
    }
  }

  private static String race(Trial trial, int workers, long calls) throws InterruptedException {
    var late = new LateReplies(MOMENT_NANOS, CALLERS);
    try (var system =
        ActorSystem.open(
            "late", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)))) {
      late.begin(system, trial.random(), calls / CALLERS);
      await(trial, system, late::isDone);
    }
    return late.check();
  }
}
