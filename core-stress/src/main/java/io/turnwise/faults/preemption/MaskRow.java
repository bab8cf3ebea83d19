package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.HandlerCancelled;
import io.turnwise.StopReason;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.scheduling.Masked;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * T11: handlers that use what is meant for short sections, or for the runtime, to stay. Others get
 * their turns beside them, a kill ends them all, and each mask that was too long is counted, or its
 * handler as left behind. At full size, a kill takes a tenth of a second more than the mask's limit
 * at most.
 */
public final class MaskRow extends WovenRow {
  private static final Duration LONGEST = Duration.ofSeconds(1);
  private static final int KILL_MILLIS = 100;
  private static final Books BOOKS = new Books();

  private enum Abuse {
    LOOP_IN_MASK {
      @Override
      void run() {
        Masked.run(LONGEST, () -> uncut(Loop.EMPTY::run));
      }
    },
    MASK_AFTER_MASK {
      @Override
      void run() {
        while (true) Masked.run(LONGEST, () -> Loop.sink = Work.spin(3, 100_000) & 1);
      }
    },
    MASK_IN_MASK {
      @Override
      void run() {
        Masked.run(
            LONGEST,
            () -> {
              while (true) Masked.run(LONGEST, () -> Loop.sink = Work.spin(3, 1_000) & 1);
            });
      }
    },
    MASK_IN_FINALLY {
      @Override
      void run() {
        try {
          Loop.EMPTY.run();
        } finally {
          LOOP_IN_MASK.run();
        }
      }
    },
    SLEEP_IN_MASK {
      @Override
      void run() {
        Masked.run(LONGEST, SwallowRow.Swallower.SLEEP_ON::run);
      }
    },
    POLL_AND_SWALLOW {
      @Override
      void run() {
        while (true) {
          try {
            Safepoint.poll();
          } catch (HandlerCancelled swallowed) {
            Loop.sink++;
          }
        }
      }
    };

    abstract void run();

    /** Whether it ends in a mask, whose limit has passed by then. */
    boolean overruns() {
      return this != MASK_AFTER_MASK && this != POLL_AND_SWALLOW;
    }

    /** A mask holds until its limit. Where in it this begins, is a moment later. */
    private static void uncut(Runnable section) {
      long began = System.nanoTime();
      try {
        section.run();
      } catch (HandlerCancelled end) {
        if (System.nanoTime() - began < LONGEST.toNanos() / 2)
          BOOKS.violation("a masked section was cut");
        throw end;
      }
    }
  }

  @Override
  public String id() {
    return "T11";
  }

  @Override
  public String what() {
    return "masks and polls, abused";
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int each = (int) trial.sized(1, 20);
    for (int workers : trial.workerCounts()) {
      var system =
          ActorSystem.open(
              "masks", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(30)));
      try (system) {
        for (Abuse abuse : Abuse.values()) abuse(trial, system, abuse, each, workers);
        fake(system);
      }
      BOOKS.checkViolations();
    }
    return each + " of each of " + Abuse.values().length + " kinds";
  }

  private static void abuse(Trial trial, ActorSystem system, Abuse abuse, int times, int workers)
      throws Exception {
    var kills = new KillBook(system);
    long before = counted(system);
    try (var bystander = new Bystander(system)) {
      for (int i = 0; i < times; i++) {
        var begun = new CountDownLatch(workers);
        var actors = new java.util.ArrayList<ActorRef<Abuse>>();
        for (int w = 0; w < workers; w++) {
          ActorRef<Abuse> actor =
              system.spawn(
                  () ->
                      (how, context) -> {
                        begun.countDown();
                        how.run();
                      });
          actor.cast(abuse);
          actors.add(actor);
        }
        if (!begun.await(120, TimeUnit.SECONDS)) throw new Broken(system.dump());
        bystander.awaitMore(20);
        var reports = actors.stream().map(actor -> actor.kill().toCompletableFuture()).toList();
        for (int w = 0; w < workers; w++) kills.await(reports.get(w), actors.get(w));
        bystander.awaitMore(20);
      }
      trial.say(
          workers + " workers, " + abuse + ": " + kills.figures() + "; " + bystander.figures());
    }
    if (trial.full() && kills.millis(1) > LONGEST.toMillis() + KILL_MILLIS)
      throw new Broken("late: " + kills.figures());
    if (abuse.overruns()) awaitCounted(system, abuse, before + (long) times * workers);
  }

  private static long counted(ActorSystem system) {
    SystemSnapshot now = system.snapshot();
    return now.masksOverrun() + now.handlersAbandoned();
  }

  /** The counters are a moment old. */
  private static void awaitCounted(ActorSystem system, Abuse abuse, long expected) {
    long deadline = System.nanoTime() + 120_000_000_000L;
    while (counted(system) < expected) {
      if (System.nanoTime() - deadline > 0)
        throw new Broken(abuse + ": " + expected + " masks overran, counted " + system.snapshot());
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** An error of ours that nobody of us threw is an error like any other. */
  private static void fake(ActorSystem system) throws Exception {
    ActorRef<String> liar =
        system.spawn(
            () ->
                (message, context) -> {
                  throw new HandlerCancelled("says who?");
                });
    liar.cast("go");
    StopReason reason = liar.whenStopped().toCompletableFuture().get(120, TimeUnit.SECONDS);
    if (!(reason instanceof StopReason.Crashed)) throw new Broken("it ended as " + reason);
  }
}
