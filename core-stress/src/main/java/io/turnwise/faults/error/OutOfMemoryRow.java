package io.turnwise.faults.error;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallTimeoutException;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.StopReason;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * F10 and F11: memory runs out. One array that is too large fails only its actor. In a JVM with a
 * small heap, actors hoard until nothing is left while others send: a cast returns and its message
 * is handled, or it throws and the message is never seen; once the hoarders are gone, all goes on.
 */
public final class OutOfMemoryRow implements Row {
  private static final int LINES = 20;

  private final boolean sends;

  /**
   * @param sends whether to watch the senders at the brim (F11) or the crashing actors (F10)
   */
  public OutOfMemoryRow(boolean sends) {
    this.sends = sends;
  }

  @Override
  public String id() {
    return sends ? "F11" : "F10";
  }

  @Override
  public String what() {
    return sends ? "no memory in the middle of a send" : "no memory: large arrays, full heap";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long arrays = trial.sized(300, 10_000);
    int exhaustions = (int) trial.sized(1, sends ? 200 : 20);
    if (!sends) for (int workers : trial.workerCounts()) largeArrays(workers, arrays);
    for (int workers : trial.workerCounts()) {
      ChildJvm.Ended ended =
          ChildJvm.run(
              Child.class,
              List.of("-Xmx12m", "-XX:+UseSerialGC"),
              List.of("" + workers, "" + exhaustions, sends ? "sends" : "hoards"),
              60 + 20 * exhaustions);
      ended.output().lines().filter(l -> l.startsWith("memory ")).forEach(trial::say);
      ended.mustEndWith(0, id());
    }
    return (sends ? "" : arrays + " arrays, ") + exhaustions + " full heaps";
  }

  private static void largeArrays(int workers, long count) throws InterruptedException {
    var books = new Books();
    ActorSystem system =
        ActorSystem.open(
            "arrays", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(20)));
    try (system) {
      var traffic = new Traffic(system, books, 4, count * 100);
      var room = new Semaphore(8);
      for (long i = 0; i < count; i++) {
        room.acquire();
        books.offered.increment();
        system.spawn(() -> new Greedy(books, room)).cast("too much");
      }
      if (!room.tryAcquire(8, 60, TimeUnit.SECONDS)) throw new Broken(system.dump());
      traffic.awaitDone(600);
      books.awaitQuiet(system, 30);
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
      boolean sends = arguments[2].equals("sends");
      try {
        for (int i = 0; i < rounds; i++) {
          String said = sends ? atTheBrim(workers) : hoard(workers);
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
              "hoard", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(20)));
      var gone = new Semaphore(0);
      try (system) {
        for (int i = 0; i < 4; i++) system.spawn(() -> new Hoarder(gone)).cast(new Object());
        if (!gone.tryAcquire(4, 60, TimeUnit.SECONDS))
          throw new Broken("hoarders do not end: " + system.dump());
        var books = new Books();
        var traffic = new Traffic(system, books, 4, 1_000);
        traffic.awaitDone(30); // the rest of the system is alive
        books.checkViolations();
        checkTimers(system);
      }
      return workers
          + " workers: after a full heap all goes on; "
          + system.snapshot().crashes()
          + " crashes";
    }

    private record Question() implements Call<Object, String> {}

    /** Deadlines still come: the thread that watches them has survived, or was replaced. */
    private static void checkTimers(ActorSystem system) throws Exception {
      List<Reply<String>> never = new ArrayList<>();
      ActorRef<Object> silent =
          system.spawn(
              () ->
                  (message, context) -> {
                    if (message instanceof Question question) never.add(context.defer(question));
                  });
      try {
        silent
            .callAsync(new Question(), Duration.ofMillis(20))
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS);
        throw new Broken("who answered?");
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof CallTimeoutException)) throw e;
      } catch (TimeoutException e) {
        throw new Broken("no deadline comes any more: " + system.dump());
      }
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

    /** A message with its own line of the books, made while there was memory. */
    private static final class Line {
      boolean accepted;
      volatile int seen;
    }

    private record Bystander() implements Actor<Line> {
      @Override
      @SuppressWarnings("NonAtomicOperationOnVolatileField") // one actor at a time has it
      public void receive(Line line, Context<Line> context) {
        line.seen++;
      }
    }

    /** Fills the heap to the last bytes, and sends to each kind of mailbox while it stays full. */
    private static String atTheBrim(int workers) throws Exception {
      ActorSystem system =
          ActorSystem.open(
              "brim", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(20)));
      Line[] lines = new Line[LINES * 3];
      for (int i = 0; i < lines.length; i++) lines[i] = new Line();
      try (system) {
        ActorSpec<Line> spec = ActorSpec.of(Bystander::new);
        ActorRef<Line> plain = system.spawn(spec);
        ActorRef<Line> lanes = system.spawn(spec);
        ActorRef<Line> bounded =
            system.spawn(spec.withMailbox(MailboxConfig.bounded(1_000_000, OverflowPolicy.FAIL)));
        warmUp(system, plain, lanes, bounded);
        int threw = sendWhileFull(lines, plain, lanes, bounded);
        await(system, lines);
        checkTimers(system);
        int accepted = 0;
        for (Line line : lines) {
          if (line.accepted) accepted++;
          if (line.accepted && line.seen != 1)
            throw new Broken("accepted without memory, and seen " + line.seen + " times");
          if (!line.accepted && line.seen != 0)
            throw new Broken("its cast threw for want of memory, and yet it was seen");
        }
        return workers + " workers: " + accepted + " accepted, " + threw + " thrown";
      }
    }

    /**
     * Code that runs for the first time needs memory to be linked. The row is about a system that
     * has been running.
     */
    private static void warmUp(
        ActorSystem system, ActorRef<Line> plain, ActorRef<Line> lanes, ActorRef<Line> bounded)
        throws InterruptedException {
      var books = new Books();
      new Traffic(system, books, 4, 20_000).awaitDone(30);
      var last = new Line[3];
      for (int i = 0; i < 300; i++) {
        for (int k = 0; k < 3; k++) last[k] = new Line();
        plain.cast(last[0]);
        lanes.cast(last[1], Priority.HIGH);
        bounded.cast(last[2]);
      }
      for (Line line : last) line.accepted = true;
      await(system, last);
    }

    /** Linked blocks that shrink, so that the last bytes are used up too. */
    private static int sendWhileFull(
        Line[] lines, ActorRef<Line> plain, ActorRef<Line> lanes, ActorRef<Line> bounded) {
      @Nullable Object @Nullable [] full = null;
      int threw = 0;
      for (int size = 200_000; size >= 2; size = size * 2 / 3) full = fill(full, size);
      for (int i = 0; i < lines.length; i++) {
        Line line = lines[i];
        try {
          switch (i % 3) {
            case 0 -> plain.cast(line);
            case 1 -> lanes.cast(line, Priority.HIGH);
            default -> bounded.cast(line);
          }
          line.accepted = true;
        } catch (OutOfMemoryError e) {
          threw++;
        }
        // A little room for some of the next, of another size each time; then none again.
        for (int free = i % 7; free > 0 && full != null; free--) full = (Object[]) full[0];
        if (i % 10 == 9) full = fill(full, 2);
      }
      return full == null ? -1 : threw;
    }

    private static @Nullable Object @Nullable [] fill(
        @Nullable Object @Nullable [] full, int size) {
      @Nullable Object @Nullable [] last = full;
      try {
        for (; ; ) {
          @Nullable Object[] next = new Object[size];
          next[0] = last;
          last = next;
        }
      } catch (OutOfMemoryError e) {
        return last;
      }
    }

    private static void await(ActorSystem system, Line[] lines) throws InterruptedException {
      long deadline = System.nanoTime() + 20_000_000_000L;
      for (Line line : lines)
        while (line.accepted && line.seen == 0) {
          if (System.nanoTime() - deadline > 0)
            throw new Broken("accepted and stranded: " + system.dump());
          Thread.sleep(1);
        }
    }
  }
}
