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
  private static final int HOLDS_MILLIS = 120;

  /** The runtime writes no more than this a minute, and what it counts as one kind is its own. */
  private static final int MOST_LINES = 10;

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
    int times = (int) trial.sized(3, 100);
    for (int workers : trial.workerCounts()) {
      Queue<String> lines = new ConcurrentLinkedQueue<>();
      var system =
          ActorSystem.open(
              "locks", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(30)));
      var kills = new KillBook(system);
      try (var _ = new RuntimeLog(record -> lines.add(String.valueOf(record.getMessage())));
          system;
          var bystander = new Bystander(system)) {
        for (int i = 0; i < times; i++) leaveBehind(system, kills, bystander, lines);
      }
      trial.say(workers + " workers: " + kills.figures());
    }
    return times + " times each";
  }

  private static void leaveBehind(
      ActorSystem system, KillBook kills, Bystander bystander, Queue<String> lines)
      throws Exception {
    var lock = new ReentrantLock();
    var begun = new CountDownLatch(1);
    ActorRef<String> holder =
        system.spawn(
            () ->
                (message, context) -> {
                  lock.lock();
                  try {
                    begun.countDown();
                    Unstoppable.NATIVE.run(HOLDS_MILLIS);
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
    bystander.awaitMore(5);
    if (report.force() == Force.ABANDONED) awaitLine(lines, holder);
    if (!waits.await(120, TimeUnit.SECONDS)) throw new Broken(system.dump());
    kills.kill(waiter);
    // Its code goes on as nobody's, and comes to its end.
    if (!lock.tryLock(60, TimeUnit.SECONDS)) throw new Broken("not given back: " + lock);
    lock.unlock();
  }

  private static void awaitLine(Queue<String> lines, ActorRef<?> holder) {
    long began = System.nanoTime();
    while (lines.size() < MOST_LINES
        && lines.stream()
            .noneMatch(l -> l.contains("HANDLER-ABANDONED") && l.contains(holder.path()))) {
      if (System.nanoTime() - began > 60_000_000_000L)
        throw new Broken("nobody said that " + holder.path() + " left a handler behind: " + lines);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
