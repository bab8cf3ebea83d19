package io.turnwise.faults.error;

import io.turnwise.Actor;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.StopReason;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.Deadlines;
import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * F10: memory runs out. One array that is too large fails only its actor. In a JVM with a small
 * heap, actors hoard until nothing is left; once they are gone, all goes on.
 */
public final class OutOfMemoryRow implements Row {
  @Override
  public String id() {
    return "F10";
  }

  @Override
  public String what() {
    return "no memory: large arrays, full heap";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long arrays = trial.sized(300, 10_000);
    int exhaustions = (int) trial.sized(1, 20);
    for (int workers : trial.workerCounts()) {
      largeArrays(workers, arrays);
      ChildJvm.Ended ended =
          ChildJvm.run(
              Child.class,
              List.of("-Xmx12m", "-XX:+UseSerialGC"),
              List.of("" + workers, "" + exhaustions),
              300 + 20 * exhaustions);
      ended.output().lines().filter(l -> l.startsWith("memory ")).forEach(trial::say);
      ended.mustEndWith(0, id());
    }
    return arrays + " arrays, " + exhaustions + " full heaps";
  }

  private static void largeArrays(int workers, long count) throws InterruptedException {
    var books = new Books();
    ActorSystem system =
        ActorSystem.open(
            "arrays", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
    try (system) {
      var traffic = new Traffic(system, books, 4, count * 100);
      var room = new Semaphore(8);
      for (long i = 0; i < count; i++) {
        room.acquire();
        books.offered.increment();
        system.spawn(() -> new Greedy(books, room)).cast("too much");
      }
      if (!room.tryAcquire(8, 120, TimeUnit.SECONDS)) throw new Broken(system.dump());
      traffic.awaitDone(600);
      books.awaitQuiet(system, 120);
    }
    books.check(system.snapshot(), 0);
    if (system.snapshot().crashes() != count || system.snapshot().workersReplaced() != 0)
      throw new Broken("crashes and replaced workers: " + system.snapshot());
  }

  /** Wants more than any heap has. */
  private record Greedy(Books books, Semaphore room) implements Actor<String> {
    @Override
    public void receive(String message, Context<String> context) {
      books.failed.increment();
      if (new long[Integer.MAX_VALUE].length == 0) throw new AssertionError("so large a heap");
      books.violation("it had the memory");
    }

    @Override
    public void teardown(StopReason reason, Context<String> context) {
      room.release();
    }
  }

  /** What runs in the JVM with the small heap. */
  public static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      QuietLog.install();
      int workers = Integer.parseInt(arguments[0]);
      int rounds = Integer.parseInt(arguments[1]);
      try {
        for (int i = 0; i < rounds; i++) {
          String said = hoard(workers);
          if (i == rounds - 1) System.out.println("memory " + said);
        }
      } catch (Throwable e) {
        e.printStackTrace(System.out);
        System.exit(1);
      }
      System.exit(0);
    }

    /** Actors hoard until one of them, or whoever else asks for memory, gets none. */
    private static String hoard(int workers) throws Exception {
      ActorSystem system =
          ActorSystem.open(
              "hoard", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
      var gone = new Semaphore(0);
      try (system) {
        for (int i = 0; i < 4; i++) system.spawn(() -> new Hoarder(gone)).cast(new Object());
        if (!gone.tryAcquire(4, 60, TimeUnit.SECONDS))
          throw new Broken("hoarders do not end: " + system.dump());
        var books = new Books();
        var traffic = new Traffic(system, books, 4, 1_000);
        traffic.awaitDone(120); // the rest of the system is alive
        books.checkViolations();
        Deadlines.check(system);
      }
      return workers
          + " workers: after a full heap all goes on; "
          + system.snapshot().crashes()
          + " crashes";
    }

    private static final class Hoarder implements Actor<Object> {
      private final Semaphore gone;
      private final List<byte[]> hoard = new ArrayList<>();

      Hoarder(Semaphore gone) {
        this.gone = gone;
      }

      @Override
      public void receive(Object message, Context<Object> context) {
        for (int i = 0; i < 100; i++) hoard.add(new byte[10_000]);
        context.self().cast(message);
      }

      @Override
      public void teardown(StopReason reason, Context<Object> context) {
        hoard.clear();
        gone.release();
      }
    }
  }
}
