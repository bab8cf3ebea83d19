package io.turnwise.faults.error;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.Deadlines;
import io.turnwise.faults.trial.QuietLog;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * F11: memory runs out in the middle of a send. Twice over: an {@link OutOfMemoryError} is arranged
 * at every allocation that a send, a wake-up or a timer passes, one at a time; and a small heap is
 * filled to the last bytes while messages are sent. A cast returns and its message is handled, or
 * it throws and the message is never seen; nobody is left asleep over a message.
 */
public final class SendWithoutMemoryRow implements Row {
  private static final int LINES = 20;

  @Override
  public String id() {
    return "F11";
  }

  @Override
  public String what() {
    return "no memory in the middle of a send";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int times = (int) trial.sized(1, 1_000);
    int brims = (int) trial.sized(1, 200);
    for (int workers : trial.workerCounts()) {
      child(trial, Sites.class, List.of("-Xmx64m"), workers, times, trial.full() ? 3600 : 300);
      child(
          trial,
          Child.class,
          List.of("-Xmx12m", "-XX:+UseSerialGC"),
          workers,
          brims,
          300 + 20 * brims);
    }
    return "every allocation x " + times + ", " + brims + " full heaps";
  }

  private void child(
      Trial trial, Class<?> main, List<String> flags, int workers, int times, int seconds)
      throws Exception {
    ChildJvm.Ended ended = ChildJvm.run(main, flags, List.of("" + workers, "" + times), seconds);
    ended.output().lines().filter(l -> l.startsWith("memory ")).forEach(trial::say);
    ended.mustEndWith(0, id());
  }

  /** Loads the runtime with an allocation that fails, one after another. */
  public static final class Sites {
    private Sites() {}

    public static void main(String[] arguments) throws Exception {
      var loader =
          new ShortageLoader(Sites.class.getClassLoader(), ShortageLoader.Places.ALLOCATIONS);
      try {
        Object said =
            loader.run(
                ShortageTrials.class,
                "run",
                Integer.parseInt(arguments[0]),
                Integer.parseInt(arguments[1]));
        System.out.println("memory " + said);
      } catch (Throwable e) {
        e.printStackTrace(System.out);
        System.exit(1);
      }
      System.exit(0);
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
          String said = atTheBrim(workers);
          if (i == rounds - 1) System.out.println("memory " + said);
        }
      } catch (Throwable e) {
        e.printStackTrace(System.out);
        System.exit(1);
      }
      System.exit(0);
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
              "brim", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
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
        Deadlines.check(system);
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
      new Traffic(system, books, 4, 20_000).awaitDone(120);
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
      long deadline = System.nanoTime() + 120_000_000_000L;
      for (Line line : lines)
        while (line.accepted && line.seen == 0) {
          if (System.nanoTime() - deadline > 0)
            throw new Broken("accepted and stranded: " + system.dump());
          Thread.sleep(1);
        }
    }
  }
}
