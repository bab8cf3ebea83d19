package io.turnwise.faults.life;

import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.time.Duration;

/**
 * F8: answers that come when their callers have given up, and ask again. None is taken for the
 * answer to a later question, and no call ends twice. (What a restart may not bring back joins when
 * there are restarts.)
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
    return "answers that come after their timeout";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long calls = trial.sized(4_000, 1_000_000);
    String last = "";
    for (int workers : trial.workerCounts()) {
      last = race(trial, workers, calls);
      trial.say(workers + " workers: " + last);
    }
    return calls + " calls: " + last;
  }

  private static String race(Trial trial, int workers, long calls) throws InterruptedException {
    var late = new LateReplies(MOMENT_NANOS, CALLERS);
    try (var system =
        ActorSystem.open(
            "late", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)))) {
      late.begin(system, trial.random(), calls / CALLERS);
      long deadline = System.nanoTime() + trial.sized(300, 3_600) * 1_000_000_000L;
      while (!late.isDone()) {
        if (System.nanoTime() - deadline > 0)
          throw new Broken("a call has not ended\n" + system.dump());
        Thread.sleep(5);
      }
    }
    return late.check();
  }
}
