package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.KillReport;
import io.turnwise.KillReport.Force;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.RuntimeLog;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * F22: a handler that could not be ended is left behind with a lock. It is reported, with its name;
 * who wants the lock waits, and can be killed; all others run. What is left behind in code that
 * ends gives its lock back then.
 */
public final class AbandonedLockRow extends WovenRow {
  /**
   * The runtime writes ten lines a minute for each system. With so few left behind in one, and two
   * or three lines for each, none is left out, and each can be asked for.
   */
  private static final int OF_ONE_SYSTEM = 3;

  private static final long PATIENCE_NANOS = 60_000_000_000L;

  @Override
  public String id() {
    return "F22";
  }

  @Override
  public String what() {
    return "handlers left behind with a lock";
  }

  @Override
  protected List<String> agentOptions() {
    return List.of("exclude=" + Unstoppable.class.getName() + "*");
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int times = (int) trial.sized(OF_ONE_SYSTEM, 100);
    for (int workers : trial.workerCounts()) {
      int abandoned = 0;
      for (int done = 0; done < times; done += OF_ONE_SYSTEM)
        abandoned += leaveBehind(trial, workers, Math.min(OF_ONE_SYSTEM, times - done));
      trial.say(workers + " workers: " + abandoned + " of " + times + " holders were left behind");
      // A small machine may come back to a kill when the handler has long ended.
      if (trial.full() && abandoned < times)
        throw new Broken("only " + abandoned + " of " + times + " had to be left behind");
    }
    return times + " times each";
  }

  /** Returns how many holders of the lock had to be left behind. */
  private static int leaveBehind(Trial trial, int workers, int times) throws Exception {
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    var system =
        ActorSystem.open(
            "locks", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(30)));
    var kills = new KillBook(system);
    int abandoned = 0;
    try (var _ = new RuntimeLog(record -> lines.add(String.valueOf(record.getMessage())));
        system;
        var bystander = new Bystander(system)) {
      for (int i = 0; i < times; i++)
        if (leaveOneBehind(trial, system, kills, bystander, lines)) abandoned++;
      long counted = system.snapshot().handlersAbandoned();
      if (counted != kills.count(Force.ABANDONED))
        throw new Broken(counted + " counted as abandoned: " + kills.figures());
    }
    return abandoned;
  }

  private static boolean leaveOneBehind(
      Trial trial, ActorSystem system, KillBook kills, Bystander bystander, Queue<String> lines)
      throws Exception {
    int holdsMillis = (int) trial.sized(120, 500);
    var lock = new ReentrantLock();
    var begun = new CountDownLatch(1);
    ActorRef<String> holder =
        system.spawn(
            () ->
                (message, context) -> {
                  lock.lock();
                  try {
                    begun.countDown();
                    Unstoppable.NATIVE.run(holdsMillis);
                  } finally {
                    lock.unlock();
                  }
                });
    holder.cast("hold");
    if (!begun.await(120, TimeUnit.SECONDS)) throw new Broken(system.dump());
    var waits = new CountDownLatch(1);
    ActorRef<String> waiter =
        system.spawn(
            () ->
                (message, context) -> {
                  waits.countDown();
                  lock.lock();
                  lock.unlock();
                });
    waiter.cast("want");
    KillReport report = kills.kill(holder);
    mustBeOf(holder, report);
    bystander.awaitMore(5);
    boolean abandoned = report.force() == Force.ABANDONED;
    if (abandoned) mustSay(lines, holder, Unstoppable.class.getName());
    if (!waits.await(120, TimeUnit.SECONDS)) throw new Broken(system.dump());
    KillReport ofWaiter = kills.kill(waiter);
    mustBeOf(waiter, ofWaiter);
    if (ofWaiter.force() == Force.ABANDONED)
      mustSay(lines, waiter, "waits for " + ReentrantLock.class.getName());
    // Its code goes on as nobody's, and comes to its end.
    if (!lock.tryLock(60, TimeUnit.SECONDS)) throw new Broken("not given back: " + lock);
    lock.unlock();
    return abandoned;
  }

  private static void mustBeOf(ActorRef<?> actor, KillReport report) {
    if (!report.path().equals(actor.path())) throw new Broken("whose report: " + report);
  }

  /** One line about this one, with where it is or what it waits for. */
  static void mustSay(Queue<String> lines, ActorRef<?> actor, String where) {
    String about = "A handler of " + actor.path() + " could not be ended";
    long began = System.nanoTime();
    while (lines.stream().noneMatch(l -> l.startsWith(about) && l.contains(where))) {
      if (System.nanoTime() - began > PATIENCE_NANOS)
        throw new Broken(
            "nobody said of " + actor.path() + " with " + where + " that it was left: " + lines);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
