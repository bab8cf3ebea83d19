package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.KillReport.Force;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * F14: four times as many endless loops as there are workers, of 12 shapes. Others get their turns;
 * each loop is killed and replaced over and over, and no thread or fiber stays behind.
 */
public final class LoopRow extends WovenRow {
  private static final int PER_WORKER = 4;

  /** A worker keeps some fibers for the next turns. */
  private static final int MOST_FIBERS = 64;

  @Override
  public String id() {
    return "F14";
  }

  @Override
  public String what() {
    return "endless loops of 12 shapes, killed";
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int cycles = (int) trial.sized(48, 1_000);
    if (trial.full()) for (Loop shape : Loop.values()) runBeside(trial, shape);
    for (int workers : trial.workerCounts()) killAndReplace(trial, workers, cycles);
    return cycles + " cycles each";
  }

  /** Only said: which shape it is that others wait for. */
  private static void runBeside(Trial trial, Loop shape) throws Exception {
    try (var system = ActorSystem.open("shape", c -> c.withWorkers(1).withCloseOnShutdown(false));
        var bystander = new Bystander(system)) {
      var kills = new KillBook(system);
      Deque<ActorRef<Loop>> running = new ArrayDeque<>();
      while (running.size() < PER_WORKER) running.add(start(system, shape.ordinal()));
      bystander.awaitMore(200);
      bystander.forget();
      bystander.awaitMore(1_000);
      trial.say("1 workers, " + shape + ": " + bystander.figures());
      for (ActorRef<Loop> each : running) kills.kill(each);
    }
  }

  private static void killAndReplace(Trial trial, int workers, int cycles) throws Exception {
    var system =
        ActorSystem.open(
            "loops",
            c ->
                c.withWorkers(workers)
                    .withCloseOnShutdown(false)
                    .withCloseDeadline(Duration.ofSeconds(30)));
    var kills = new KillBook(system);
    Bystander others;
    try (system;
        var bystander = new Bystander(system)) {
      others = bystander;
      Deque<ActorRef<Loop>> running = new ArrayDeque<>();
      int next = 0;
      while (running.size() < workers * PER_WORKER) running.add(start(system, next++));
      bystander.awaitMore(100);
      for (int i = -cycles / 2; i < cycles; i++) {
        if (i == 0) bystander.forget(); // by now code is compiled, and classes are loaded
        bystander.awaitMore(3);
        kills.kill(running.remove());
        running.add(start(system, next++));
      }
      Leftovers.await(
          MOST_FIBERS, Long.MAX_VALUE, "after " + cycles + " cycles with " + running.size());
      for (ActorRef<Loop> each : running) kills.kill(each);
    }
    Leftovers.await(0, 0, "after the close");
    trial.say(workers + " workers: " + kills.figures() + "; " + others.figures());
    judge(trial, kills, others);
  }

  private static ActorRef<Loop> start(ActorSystem system, int number) {
    ActorRef<Loop> actor = system.spawn(() -> (loop, context) -> loop.run());
    actor.cast(Loop.values()[number % Loop.values().length]);
    return actor;
  }

  /** On a machine of its own. */
  private static void judge(Trial trial, KillBook kills, Bystander others) {
    if (!trial.full()) return;
    if (kills.millis(0.99) > 100) throw new Broken("kills are late: " + kills.figures());
    if (kills.count(Force.ABANDONED) > 10) throw new Broken("too much force: " + kills.figures());
    if (others.millis(0.99) > 2) throw new Broken("others wait for loops: " + others.figures());
  }
}
