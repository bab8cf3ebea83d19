package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * F21b: every worker is held by what cannot be stopped: a native call that blocks, a busy loop that
 * was not woven. Others are run by spare threads, no more of them than needed, which rest
 * afterwards.
 */
public final class NativeRow extends WovenRow {
  /** Spares beyond one for each stuck worker: on a busy machine some start for nothing. */
  private static final int SPARES_TO_SPARE = 6;

  @Override
  public String id() {
    return "F21b";
  }

  @Override
  public String what() {
    return "native calls and unwoven loops on all workers";
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int rounds = (int) trial.sized(4, 1_000);
    int millis = (int) trial.sized(150, 250);
    for (int workers : trial.workerCounts())
      for (Unstoppable how : Unstoppable.values()) stall(trial, workers, how, rounds, millis);
    if (trial.full()) // once for as long as the goal says
    for (int workers : trial.workerCounts()) stall(trial, workers, Unstoppable.NATIVE, 1, 10_000);
    return rounds + " rounds of " + millis + " ms each";
  }

  private static void stall(Trial trial, int workers, Unstoppable how, int rounds, int millis)
      throws Exception {
    var system =
        ActorSystem.open(
            "native",
            c ->
                c.withWorkers(workers)
                    .withCloseOnShutdown(false)
                    .withCloseDeadline(Duration.ofSeconds(60)));
    Bystander others;
    long threads;
    try (system;
        var bystander = new Bystander(system)) {
      others = bystander;
      bystander.awaitMore(50);
      long before = Leftovers.count().threads();
      bystander.forget();
      for (int i = 0; i < rounds; i++) {
        var ended = new CountDownLatch(workers);
        for (int w = 0; w < workers; w++) hold(system, how, millis, ended);
        long handled = bystander.handled();
        if (!ended.await(120, TimeUnit.SECONDS)) throw new Broken(system.dump());
        if (bystander.handled() == handled)
          throw new Broken("nobody ran beside " + how + ":\n" + system.dump());
      }
      threads = Leftovers.count().threads() - before;
      if (threads > workers + SPARES_TO_SPARE)
        throw new Broken(threads + " more threads after " + rounds + " rounds: " + system.dump());
    }
    Leftovers.await(0, 0, "after the close");
    trial.say(
        String.format(
            Locale.ROOT,
            "%d workers, %s: %s; %d spares, relieved %d times",
            workers,
            how,
            others.figures(),
            threads,
            system.snapshot().workersRelieved()));
    if (trial.full() && others.millis(0.99) > 50) throw new Broken("late: " + others.figures());
  }

  private static void hold(ActorSystem system, Unstoppable how, int millis, CountDownLatch ended) {
    ActorRef<Integer> actor =
        system.spawn(
            () ->
                (time, context) -> {
                  how.run(time);
                  ended.countDown();
                  context.stop();
                });
    actor.cast(millis);
  }

  @Override
  protected List<String> agentOptions() {
    return List.of("exclude=" + Unstoppable.class.getName() + "*");
  }
}
