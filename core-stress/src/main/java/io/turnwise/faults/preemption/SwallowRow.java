package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.KillReport;
import io.turnwise.KillReport.Force;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * F15: handlers that do not let themselves be ended. Each ends or is left behind, and says so; its
 * name is free; the rest of the system is as it was.
 */
public final class SwallowRow extends WovenRow {
  private static final int MOST_FIBERS = 64;

  /** However many were left behind, one or two of each system stay reachable inside the JVM. */
  private static final int KEPT_BY_THE_JVM = 4;

  /** What a handler does with the error that is to end it. */
  enum Swallower {
    CATCH_IN_LOOP {
      @Override
      void run() {
        while (true) {
          try {
            Work.spin(3, 1_000);
          } catch (Throwable swallowed) {
            Loop.sink++;
          }
        }
      }
    },
    LOOP_IN_FINALLY {
      @Override
      void run() {
        try {
          Loop.EMPTY.run();
        } finally {
          while (Loop.sink >= 0) Loop.sink = 1;
        }
      }
    },
    LOOPS_IN_NESTED_FINALLY {
      @Override
      void run() {
        try {
          LOOP_IN_FINALLY.run();
        } finally {
          try {
            while (Loop.sink >= 0) Loop.sink = 2;
          } finally {
            while (Loop.sink >= 0) Loop.sink = 3;
          }
        }
      }
    },
    THROW_AS_CAUSE {
      @Override
      void run() {
        try {
          Loop.EMPTY.run();
        } catch (Throwable cause) {
          throw new IllegalStateException("something else", cause);
        }
      }
    },
    CATCH_AND_RECURSE {
      @Override
      void run() {
        try {
          Loop.EMPTY.run();
        } catch (Throwable again) {
          run();
        }
      }
    },
    SLEEP_ON {
      @Override
      void run() {
        while (true) {
          try {
            Thread.sleep(1_000);
          } catch (Throwable swallowed) {
            Loop.sink++;
          }
        }
      }
    };

    abstract void run();
  }

  @Override
  public String id() {
    return "F15";
  }

  @Override
  public String what() {
    return "handlers that swallow their cancellation";
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int each = (int) trial.sized(6, 1_000);
    long leftBehind = 0;
    for (int workers : trial.workerCounts()) {
      var system =
          ActorSystem.open(
              "swallow",
              c ->
                  c.withWorkers(workers)
                      .withCloseOnShutdown(false)
                      .withCloseDeadline(Duration.ofSeconds(30)));
      try (system) {
        for (Swallower swallower : Swallower.values()) swallow(trial, system, swallower, each);
        var books = new Books();
        new Traffic(system, books, 4, 20_000).awaitDone(120);
        books.checkViolations();
        Leftovers.await(MOST_FIBERS, Long.MAX_VALUE, "after all were left behind");
      }
      leftBehind += system.snapshot().handlersAbandoned();
      Leftovers left = Leftovers.await(KEPT_BY_THE_JVM, 0, "after the close");
      trial.say(workers + " workers: " + leftBehind + " left behind so far, now there are " + left);
    }
    return each + " of each of " + Swallower.values().length + " kinds";
  }

  private static void swallow(Trial trial, ActorSystem system, Swallower swallower, int times)
      throws Exception {
    long before = system.snapshot().handlersAbandoned();
    var kills = new KillBook(system);
    for (int i = 0; i < times; i++) {
      var begun = new CountDownLatch(1);
      // The same name each time: it must be free once the kill is reported.
      ActorRef<Swallower> actor =
          system.spawn(
              "swallower",
              () ->
                  (how, context) -> {
                    begun.countDown();
                    how.run();
                  });
      actor.cast(swallower);
      if (!begun.await(120, TimeUnit.SECONDS)) throw new Broken("none begins: " + system.dump());
      LockSupport.parkNanos(1 + i % 20 * 50_000L); // somewhere in it, or just before
      KillReport report = kills.kill(actor);
      if (!report.path().equals(actor.path())) throw new Broken("whose report: " + report);
    }
    long abandoned = system.snapshot().handlersAbandoned() - before;
    if (abandoned != kills.count(Force.ABANDONED))
      throw new Broken(abandoned + " counted as abandoned: " + kills.figures());
    trial.say(swallower + ": " + kills.figures());
    if (trial.full() && kills.millis(1) > 1_000) throw new Broken("late: " + kills.figures());
  }
}
