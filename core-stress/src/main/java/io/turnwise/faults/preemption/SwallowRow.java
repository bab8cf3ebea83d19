package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.KillReport;
import io.turnwise.KillReport.Force;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.RuntimeLog;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.scheduling.Backend;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * F15: handlers that do not let themselves be ended, on every backend. Each ends or is left behind,
 * and the log says so by name; its name is free; the rest of the system is as it was. One that is
 * left behind on a platform thread keeps that, and uses no processor.
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
    int onThreads = (int) trial.sized(3, 50); // who is left behind there keeps its thread
    long[] left = new long[2];
    for (int workers : trial.workerCounts())
      for (Backend backend : Backend.values())
        swallow(trial, workers, backend, backend == Backend.ASYNC ? each : onThreads, left);
    return each
        + " of each of "
        + Swallower.values().length
        + " kinds, and "
        + onThreads
        + " on threads";
  }

  /**
   * @param left how many were left behind so far, and how many of these have a thread
   */
  private static void swallow(Trial trial, int workers, Backend backend, int each, long[] left)
      throws Exception {
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    var system =
        ActorSystem.open(
            "swallow-" + backend + "-" + workers,
            c ->
                c.withWorkers(workers)
                    .withCloseOnShutdown(false)
                    .withCloseDeadline(Duration.ofSeconds(30)));
    try (var _ = new RuntimeLog(record -> lines.add(String.valueOf(record.getMessage())));
        system) {
      // One of each first: the runtime writes ten lines a minute.
      for (Swallower swallower : Swallower.values()) {
        ActorRef<Swallower> actor = begin(system, backend, swallower, swallower.name());
        if (new KillBook(system).kill(actor).force() == Force.ABANDONED)
          AbandonedLockRow.mustSay(lines, actor, Swallower.class.getName());
      }
      for (Swallower swallower : Swallower.values())
        swallow(trial, system, backend, swallower, each);
      var books = new Books();
      new Traffic(system, books, 4, 20_000).awaitDone(120);
      books.checkViolations();
      Leftovers.await(MOST_FIBERS, Long.MAX_VALUE, "after all were left behind");
    }
    left[0] += system.snapshot().handlersAbandoned();
    if (backend != Backend.ASYNC) left[1] += awaitStandstill(system);
    Leftovers now = Leftovers.await(KEPT_BY_THE_JVM, left[1], "after the close");
    trial.say(
        workers
            + " workers, "
            + backend
            + ": "
            + left[0]
            + " left behind so far, now there are "
            + now);
  }

  private static void swallow(
      Trial trial, ActorSystem system, Backend backend, Swallower swallower, int times)
      throws Exception {
    long before = system.snapshot().handlersAbandoned();
    var kills = new KillBook(system);
    for (int i = 0; i < times; i++) {
      // The same name each time: it must be free once the kill is reported.
      ActorRef<Swallower> actor = begin(system, backend, swallower, "swallower");
      LockSupport.parkNanos(1 + i % 20 * 50_000L); // somewhere in it, or just before
      KillReport report = kills.kill(actor);
      if (!report.path().equals(actor.path())) throw new Broken("whose report: " + report);
    }
    long abandoned = system.snapshot().handlersAbandoned() - before;
    if (abandoned != kills.count(Force.ABANDONED))
      throw new Broken(abandoned + " counted as abandoned: " + kills.figures());
    trial.say(backend + ", " + swallower + ": " + kills.figures());
    if (trial.full() && kills.millis(1) > 1_000) throw new Broken("late: " + kills.figures());
  }

  private static ActorRef<Swallower> begin(
      ActorSystem system, Backend backend, Swallower swallower, String name) throws Exception {
    var begun = new CountDownLatch(1);
    ActorRef<Swallower> actor =
        system.spawn(
            name,
            ActorSpec.<Swallower>of(
                    () ->
                        (how, context) -> {
                          begun.countDown();
                          how.run();
                        })
                .withBackend(backend));
    actor.cast(swallower);
    if (!begun.await(120, TimeUnit.SECONDS)) throw new Broken("none begins: " + system.dump());
    return actor;
  }

  /**
   * Who swallows on a thread of its own keeps that for ever, and must not use a processor any more:
   * it is parked, and does not show an interrupt, with which it would not be. Returns how many.
   */
  private static long awaitStandstill(ActorSystem system) {
    long began = System.nanoTime();
    while (true) {
      long kept = system.snapshot().handlersLeftBehind();
      List<Thread> threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().startsWith("turnwise-" + system.name() + "-"))
              .toList();
      long parked =
          threads.stream()
              .filter(t -> t.getState() == Thread.State.WAITING && !t.isInterrupted())
              .count();
      if (parked == kept && parked == threads.size()) return kept;
      if (System.nanoTime() - began > 60_000_000_000L)
        throw new Broken(kept + " left behind, parked " + parked + " of " + threads);
      LockSupport.parkNanos(10_000_000);
    }
  }
}
