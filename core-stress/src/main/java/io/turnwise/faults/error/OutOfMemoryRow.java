package io.turnwise.faults.error;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
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
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * F10: memory runs out. One array that is too large fails only its actor. In a JVM with a small
 * heap, actors hoard until nothing is left; once they are gone, every message has its fate, and all
 * goes on: at full size, within ten seconds of the first error.
 */
public final class OutOfMemoryRow implements Row {
  private static final double SECONDS_ALLOWED = 10;

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
              List.of("" + workers, "" + exhaustions, "" + trial.full()),
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
      boolean judged = Boolean.parseBoolean(arguments[2]);
      try {
        for (int i = 0; i < rounds; i++) {
          String said = hoard(workers, judged);
          int lived = FullHeapWhileTheyWait.run(workers);
          if (i == rounds - 1)
            System.out.println("memory " + said + "; of those that waited lived " + lived);
        }
      } catch (Throwable e) {
        e.printStackTrace(System.out);
        System.exit(1);
      }
      System.exit(0);
    }

    /**
     * Actors hoard until one of them, or whoever else asks for memory, gets none. Others send all
     * the while. Then every message that was accepted has found its fate, and all goes on.
     */
    private static String hoard(int workers, boolean judged) throws Exception {
      ActorSystem system =
          ActorSystem.open(
              "hoard", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
      var ledger = new Ledger();
      var gone = new Semaphore(0);
      double seconds;
      try (system) {
        List<ActorRef<Object>> beside = new ArrayList<>();
        for (int i = 0; i < 4; i++) beside.add(system.spawn(() -> new Beside(ledger)));
        for (ActorRef<Object> each : beside) ledger.cast(each, new Object());
        for (int i = 0; i < 4; i++)
          ledger.cast(system.spawn(() -> new Hoarder(ledger, gone)), new Object());
        ledger.begun = true; // from here on this thread needs no memory until they are gone
        if (!gone.tryAcquire(4, 60, TimeUnit.SECONDS))
          throw new Broken("hoarders do not end: " + system.dump());
        ledger.over = true;
        Books books = ledger.asBooks();
        while (!books.isQuiet(system)) { // turns under way end, and dead letters are counted
          if (ledger.secondsSinceItWasFull() > 60)
            throw new Broken("messages are stranded: " + books + "\n" + system.dump());
          LockSupport.parkNanos(1_000_000);
          books = ledger.asBooks();
        }
        books.awaitBalance(system);
        var traffic = new Traffic(system, books, 4, 1_000);
        traffic.awaitDone(60); // the rest of the system is alive
        books.awaitBalance(system);
        Deadlines.check(system);
        seconds = ledger.secondsSinceItWasFull();
      }
      if (judged && seconds > SECONDS_ALLOWED)
        throw new Broken("after a full heap it took " + seconds + " s until all went on");
      return String.format(
          Locale.ROOT,
          "%d workers: %.2f s after the heap was full all goes on; %d crashes, %s",
          workers,
          seconds,
          system.snapshot().crashes(),
          ledger.asBooks());
    }

    /** What becomes of each message, kept where no memory is to be had: counted by single words. */
    private static final class Ledger {
      final AtomicLong offered = new AtomicLong();
      final AtomicLong refused = new AtomicLong();
      final AtomicLong handled = new AtomicLong();
      final AtomicLong failed = new AtomicLong();
      final AtomicLong fullSince = new AtomicLong();
      volatile boolean begun;
      volatile boolean over;

      void cast(ActorRef<Object> to, Object message) {
        offered.incrementAndGet();
        try {
          to.cast(message);
        } catch (Throwable e) {
          refused.incrementAndGet();
          throw e;
        }
      }

      /** The handler is about to end by this error. */
      void failed() {
        failed.incrementAndGet();
        fullSince.compareAndSet(0, System.nanoTime());
      }

      double secondsSinceItWasFull() {
        return (System.nanoTime() - fullSince.get()) / 1e9;
      }

      /** Once there is memory again. */
      Books asBooks() {
        var books = new Books();
        books.handled.add(handled.get()); // first: what is booked here later, was offered before
        books.failed.add(failed.get());
        books.refused.add(refused.get());
        books.offered.add(offered.get());
        return books;
      }
    }

    private static final class Hoarder implements Actor<Object> {
      private final Ledger ledger;
      private final Semaphore gone;
      private final List<byte[]> hoard = new ArrayList<>();

      Hoarder(Ledger ledger, Semaphore gone) {
        this.ledger = ledger;
        this.gone = gone;
      }

      @Override
      public void receive(Object message, Context<Object> context) {
        try {
          for (int i = 0; ledger.begun && i < 100; i++) hoard.add(new byte[10_000]);
          ledger.cast(context.self(), message);
        } catch (Throwable e) {
          ledger.failed();
          throw e;
        }
        ledger.handled.incrementAndGet();
      }

      @Override
      public void teardown(StopReason reason, Context<Object> context) {
        hoard.clear();
        gone.release();
      }
    }

    /** Sends to itself, with a bit of memory each time, and fails when it gets none. */
    private static final class Beside implements Actor<Object> {
      private final Ledger ledger;
      private byte[] last = {};

      Beside(Ledger ledger) {
        this.ledger = ledger;
      }

      @Override
      public void receive(Object message, Context<Object> context) {
        try {
          last = new byte[100 + last.length % 7];
          if (!ledger.over) ledger.cast(context.self(), message);
        } catch (Throwable e) {
          ledger.failed();
          throw e;
        }
        ledger.handled.incrementAndGet();
      }
    }
  }
}
