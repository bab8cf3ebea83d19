package io.turnwise.faults.load;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * F26: actors come and go, round after round, some of them named, with children, watchers, bounds
 * and lanes. What lives after a round, the garbage collected, is what lived after the first one.
 */
public final class ChurnRow implements Row {
  private static final double GROWTH_ALLOWED = 0.05;

  /** Tables of the JVM that grow in steps; a leak of one byte for each actor is far more. */
  private static final long STEPS_OF_TABLES = 64 << 10;

  private static final int BATCH = 1_000;

  @Override
  public String id() {
    return "F26";
  }

  @Override
  public String what() {
    return "churn: actors spawned and stopped";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int seconds = trial.full() ? 3600 : 300;
    ChildJvm.Ended ended =
        ChildJvm.run(
            ChurnRow.class, List.of("-Xmx512m", "-XX:+UseSerialGC"), trial.asArguments(), seconds);
    ended.output().lines().filter(l -> l.startsWith("churn ")).forEach(trial::say);
    ended.mustEndWith(0, "F26");
    return trial.sized(100_000, 1_000_000) + " actors x " + trial.sized(4, 20);
  }

  /** The child. */
  public static void main(String[] arguments) {
    QuietLog.install();
    Trial trial = Trial.of(arguments);
    try {
      for (int workers : trial.workerCounts()) churn(trial, workers);
    } catch (Throwable e) {
      e.printStackTrace(System.out);
      System.exit(1);
    }
    System.exit(0);
  }

  private static void churn(Trial trial, int workers) {
    long actors = trial.sized(100_000, 1_000_000);
    int rounds = (int) trial.sized(4, 20);
    var books = new Books();
    long spawned = 0;
    long first = 0;
    long last = 0;
    ActorSystem system =
        ActorSystem.open(
            "churn", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
    try (system) {
      crowd(system, books); // fills what workers keep: free fibers
      round(system, books, actors / 10); // classes, code and tables
      spawned += actors / 10;
      for (int i = 0; i < rounds; i++) {
        round(system, books, actors);
        spawned += actors;
        last = LiveHeap.bytes();
        if (i == 0) first = last;
      }
    }
    books.check(system.snapshot(), 0);
    // Each of them had a child.
    if (system.snapshot().actorsSpawned() != BATCH + 2 * spawned
        || system.snapshot().actorsLive() != 0)
      throw new Broken("spawned " + (BATCH + 2 * spawned) + ", runtime: " + system.snapshot());
    System.out.println(
        "churn on "
            + workers
            + " workers: live heap "
            + first / 1024
            + " KiB after the first round, "
            + last / 1024
            + " KiB after the last");
    if (last > first * (1 + GROWTH_ALLOWED) + STEPS_OF_TABLES)
      throw new Broken("the live heap grew from " + first + " to " + last + " bytes");
  }

  /** All of them in the middle of a turn at once, each on a fiber of its own. */
  private static void crowd(ActorSystem system, Books books) {
    for (int i = 0; i < BATCH; i++) {
      books.offered.increment();
      system
          .spawn(
              ActorSpec.<String>of(
                  () ->
                      (any, context) -> {
                        LockSupport.parkNanos(50_000_000);
                        books.handled.increment();
                        context.stop();
                      }))
          .cast("sleep");
    }
    awaitNobody(system);
  }

  private static void round(ActorSystem system, Books books, long actors) {
    ActorSpec<String> plain = ActorSpec.of(() -> new Mayfly(books));
    ActorSpec<String> bounded =
        plain.withMailbox(MailboxConfig.bounded(4, OverflowPolicy.DROP_NEWEST));
    for (long i = 0; i < actors; i++) {
      int kind = (int) (i % 4);
      // The same names in each round: they are free again.
      ActorRef<String> mayfly =
          kind == 0
              ? system.spawn("mayfly-" + i, plain)
              : system.spawn(kind == 1 ? bounded : plain);
      books.offered.increment();
      if (kind == 2) mayfly.cast("live", Priority.HIGH);
      else mayfly.cast("live");
      if (i % BATCH == BATCH - 1) awaitNobody(system);
    }
    awaitNobody(system);
  }

  private static void awaitNobody(ActorSystem system) {
    long deadline = System.nanoTime() + 120_000_000_000L;
    while (system.snapshot().actorsLive() > 0) {
      if (System.nanoTime() - deadline > 0) throw new Broken("they stay: " + system.dump());
      LockSupport.parkNanos(20_000);
    }
  }

  private record Mayfly(Books books) implements Actor<String> {
    @Override
    public void receive(String message, Context<String> context) {
      ActorRef<String> child = context.spawn(() -> (any, of) -> {});
      context.watch(child);
      books.handled.increment();
      context.stop();
    }
  }
}
