package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * F17: every worker waits, below a native frame and so with its thread, for a lock whose holder is
 * suspended. The holder gets a thread all the same.
 */
public final class PinnedWaitersRow extends WovenRow {
  /** For 99 of 100, on a machine of its own. */
  private static final long MOST_NANOS = 20_000_000;

  private enum Who {
    ALL_PINNED,
    HALF_PINNED,
    NONE_PINNED
  }

  @Override
  public String id() {
    return "F17";
  }

  @Override
  public String what() {
    return "all workers wait for who is suspended";
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int rounds = (int) trial.sized(10, 1_700);
    for (int workers : trial.workerCounts())
      for (Who who : Who.values()) contend(trial, workers, who, rounds);
    return rounds + " times each";
  }

  private static void contend(Trial trial, int workers, Who who, int rounds) throws Exception {
    var system =
        ActorSystem.open(
            "pinned",
            c ->
                c.withWorkers(workers)
                    .withCloseOnShutdown(false)
                    .withCloseDeadline(Duration.ofSeconds(30)));
    var nanos = new long[rounds];
    try (system) {
      for (int i = 0; i < rounds; i++) nanos[i] = once(system, workers, who);
    }
    Arrays.sort(nanos);
    String figures =
        String.format(
            Locale.ROOT,
            "%d workers, %s: through after p50 %.2f, p99 %.1f, at most %.1f ms; relieved %d times",
            workers,
            who,
            nanos[rounds / 2] / 1e6,
            nanos[rounds * 99 / 100] / 1e6,
            nanos[rounds - 1] / 1e6,
            system.snapshot().workersRelieved());
    trial.say(figures);
    if (trial.full() && nanos[rounds * 99 / 100] > MOST_NANOS)
      throw new Broken("the holder comes late: " + figures);
  }

  /** Returns how long it took from when all waited until all were through. */
  private static long once(ActorSystem system, int workers, Who who) throws Exception {
    var monitor = new Object();
    int count = workers * 2;
    var held = new CountDownLatch(1);
    var waiting = new AtomicInteger();
    var done = new CountDownLatch(count + 1);
    var allWait = new long[1];
    ActorRef<String> holder =
        system.spawn(
            () ->
                (message, context) -> {
                  synchronized (monitor) {
                    held.countDown();
                    while (waiting.get() < workers) Loop.sink++; // stopped here, so that they come
                    allWait[0] = System.nanoTime();
                    Loop.sink = Work.spin(3, 200_000) & 1;
                  }
                  done.countDown();
                  context.stop();
                });
    holder.cast("hold");
    if (!held.await(120, TimeUnit.SECONDS)) throw new Broken(system.dump());
    for (int i = 0; i < count; i++) {
      boolean pinned = who == Who.ALL_PINNED || who == Who.HALF_PINNED && i % 2 == 0;
      Runnable wait =
          () -> {
            waiting.incrementAndGet();
            synchronized (monitor) {
              Loop.sink++;
            }
          };
      ActorRef<String> waiter =
          system.spawn(
              () ->
                  (message, context) -> {
                    if (pinned) Pinned.run(wait);
                    else wait.run();
                    done.countDown();
                    context.stop();
                  });
      waiter.cast("wait");
    }
    if (!done.await(120, TimeUnit.SECONDS)) throw new Broken("it hangs:\n" + system.dump());
    return System.nanoTime() - allWait[0];
  }
}
