package io.turnwise.faults.error;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
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
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.scheduling.Placement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * F9: handlers overflow their stack, at a random distance from its end, in plain recursion, inside
 * {@code cast} and {@code spawn}, and while they hold monitors and locks. Only those actors fail;
 * nobody else's message is lost; a message whose cast threw is never seen; no worker dies and the
 * runtime's own locks stay free. A user's {@code ReentrantLock} whose {@code unlock} found no stack
 * left stays locked: the JDK cannot help it, so that is counted and printed.
 *
 * <p>In child JVMs, because frames look different in the interpreter, C1 and C2.
 */
public final class StackOverflowRow implements Row {
  /** What a victim does in each frame, close to the end of its stack. */
  private enum Deed {
    NOTHING,
    CAST,
    CAST_IN_LANE,
    CAST_BOUNDED,
    CAST_WAITING,
    CAST_PINNED,
    SPAWN,
    MONITOR,
    LOCK
  }

  private static final int LINES = 256;
  private static final int BYSTANDERS = 16;

  @Override
  public String id() {
    return "F9";
  }

  @Override
  public String what() {
    return "stack overflows, also in cast, with locks";
  }

  @Override
  public String run(Trial trial) throws Exception {
    child(
        trial,
        "C2",
        List.of("-Xss512k"),
        trial.sized(300, 10_000),
        trial.sized(50_000, 10_000_000));
    child(
        trial,
        "C1",
        List.of("-Xss512k", "-XX:TieredStopAtLevel=1"),
        trial.sized(200, 3_000),
        trial.sized(30_000, 1_000_000));
    child(
        trial,
        "interpreter",
        List.of("-Xss512k", "-Xint"),
        trial.sized(100, 2_000),
        trial.sized(5_000, 200_000));
    return trial.sized(600, 15_000) + " overflows, each number of workers";
  }

  private static void child(
      Trial trial, String name, List<String> flags, long overflows, long messages)
      throws Exception {
    for (int workers : trial.workerCounts()) {
      ChildJvm.Ended ended =
          ChildJvm.run(
              StackOverflowRow.class,
              flags,
              List.of("" + workers, "" + overflows, "" + messages, "" + trial.seed()),
              trial.full() ? 1800 : 300);
      ended
          .output()
          .lines()
          .filter(l -> l.startsWith("overflows "))
          .forEach(l -> trial.say(name + ": " + l));
      ended.mustEndWith(0, "F9 in " + name + " on " + workers + " workers");
    }
  }

  /** The child. */
  public static void main(String[] arguments) throws Exception {
    QuietLog.install();
    var run =
        new Run(
            Integer.parseInt(arguments[0]),
            Integer.parseInt(arguments[1]),
            Long.parseLong(arguments[2]),
            Long.parseLong(arguments[3]));
    try {
      System.out.println("overflows " + run.live());
    } catch (Throwable e) {
      e.printStackTrace(System.out);
      System.exit(1);
    }
    System.exit(0);
  }

  /**
   * A message that keeps its own line of the books in plain fields: at the end of the stack there
   * is no room for a call.
   */
  private static final class Line {
    boolean offered;
    boolean accepted;
    int seen;
  }

  private static final class Run {
    private final int workers;
    private final int overflows;
    private final long messages;
    private final SplittableRandom random;
    private final Books books = new Books();
    private final Semaphore room = new Semaphore(8);
    private final List<Victim> victims = new ArrayList<>();

    Run(int workers, int overflows, long messages, long seed) {
      this.workers = workers;
      this.overflows = overflows;
      this.messages = messages;
      this.random = new SplittableRandom(seed);
    }

    String live() throws InterruptedException {
      ActorSystem system =
          ActorSystem.open(
              "overflow", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
      long leaked;
      try (system) {
        var traffic = new Traffic(system, books, 4, messages);
        var targets = new Targets(system, books);
        for (int i = 0; i < overflows; i++) {
          if (!room.tryAcquire(120, TimeUnit.SECONDS))
            throw new Broken("victims do not end: " + system.dump());
          var victim =
              new Victim(
                  Deed.values()[i % Deed.values().length], random.split(), targets, room, books);
          victims.add(victim);
          books.offered.increment();
          system.spawn(() -> victim).cast("overflow");
        }
        if (!room.tryAcquire(8, 120, TimeUnit.SECONDS))
          throw new Broken("victims do not end: " + system.dump());
        traffic.awaitDone(600);
        long sent = victims.stream().mapToLong(Victim::accepted).sum();
        books.offered.add(sent);
        books.awaitQuiet(system, 120);
        targets.checkAnswering();
        leaked = victims.stream().filter(v -> v.lock.isLocked()).count();
      }
      SystemSnapshot end = system.snapshot();
      check(end);
      return overflows
          + " on "
          + workers
          + " workers beside "
          + messages
          + " messages; "
          + books
          + "; user locks left locked: "
          + leaked;
    }

    private void check(SystemSnapshot end) {
      for (Victim victim : victims) victim.check(books);
      books.check(end, 0);
      if (end.workersReplaced() != 0)
        throw new Broken(end.workersReplaced() + " workers died of it");
      if (end.crashes() != overflows)
        throw new Broken(end.crashes() + " actors crashed of " + overflows + " that overflowed");
    }
  }

  /** Whom the victims send to. */
  private static final class Targets {
    final List<ActorRef<Line>> plain = new ArrayList<>();
    final List<ActorRef<Line>> bounded = new ArrayList<>();
    final List<ActorRef<Line>> waiting = new ArrayList<>();
    final List<ActorRef<Line>> pinned = new ArrayList<>();
    private final ActorSystem system;
    private final Books books;

    Targets(ActorSystem system, Books books) {
      this.system = system;
      this.books = books;
      ActorSpec<Line> spec = ActorSpec.of(() -> new Bystander(books));
      for (int i = 0; i < BYSTANDERS; i++) {
        plain.add(system.spawn(spec));
        bounded.add(
            system.spawn(spec.withMailbox(MailboxConfig.bounded(1_000_000, OverflowPolicy.FAIL))));
        waiting.add(system.spawn(spec.withMailbox(MailboxConfig.bounded(2, OverflowPolicy.WAIT))));
        pinned.add(system.spawn(spec.withPlacement(Placement.pinnedTo(i))));
      }
    }

    ActorRef<Line> spawn() {
      return system.spawn(() -> new Bystander(books));
    }

    /** Nobody of them may be stuck, and new actors can still be started. */
    void checkAnswering() {
      var all = new ArrayList<>(plain);
      all.addAll(bounded);
      all.addAll(waiting);
      all.addAll(pinned);
      all.add(spawn());
      var lines = new ArrayList<Line>();
      for (ActorRef<Line> ref : all) {
        var line = new Line();
        lines.add(line);
        books.offered.increment();
        ref.cast(line);
      }
      books.awaitQuiet(system, 120);
      for (Line line : lines) if (line.seen != 1) throw new Broken("a bystander no longer answers");
    }
  }

  private static final class Bystander implements Actor<Line> {
    private final Books books;

    Bystander(Books books) {
      this.books = books;
    }

    @Override
    public void receive(Line line, Context<Line> context) {
      line.seen++;
      books.handled.increment();
    }
  }

  /** An actor that overflows once. */
  @SuppressWarnings("InfiniteRecursion") // on purpose
  private static final class Victim implements Actor<String> {
    final ReentrantLock lock = new ReentrantLock();
    private final Deed deed;
    private final Targets targets;
    private final Semaphore room;
    private final Books books;
    private final Line[] lines = new Line[LINES];
    private final ActorRef<Line>[] to;
    private final int offset;
    private final int shift;
    private StackTraceElement[] where = {};
    private int next;
    private int depth;

    Victim(Deed deed, SplittableRandom random, Targets targets, Semaphore room, Books books) {
      this.deed = deed;
      this.targets = targets;
      this.room = room;
      this.books = books;
      this.offset = random.nextInt(120);
      this.shift = random.nextInt(8);
      this.to = chooseTargets(random);
      for (int i = 0; i < LINES; i++) lines[i] = new Line();
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    private ActorRef<Line>[] chooseTargets(SplittableRandom random) {
      List<ActorRef<Line>> from =
          switch (deed) {
            case CAST_BOUNDED -> targets.bounded;
            case CAST_WAITING -> targets.waiting;
            case CAST_PINNED -> targets.pinned;
            default -> targets.plain;
          };
      ActorRef<Line>[] chosen = new ActorRef[LINES];
      for (int i = 0; i < LINES; i++) chosen[i] = from.get(random.nextInt(from.size()));
      return chosen;
    }

    @Override
    public void receive(String message, Context<String> context) {
      books.failed.increment();
      try {
        measure(0);
      } catch (StackOverflowError e) {
        // Now it is known how deep it is.
      }
      try {
        shift(shift, Math.max(0, depth - offset));
      } catch (Throwable e) {
        where = e.getStackTrace();
        throw e;
      }
    }

    /** The innermost frames of the overflow, for a report. */
    private String where() {
      var text = new StringBuilder();
      for (int i = 0; i < Math.min(12, where.length); i++) text.append(" < ").append(where[i]);
      return text.toString();
    }

    private void measure(int at) {
      depth = at;
      measure(at + 1);
    }

    /** Frames of another size first, so that the end of the stack is met at other places. */
    private long shift(int times, int down) {
      long a = times, b = down, c = a + b, d = b + c, e = c + d;
      long rest = times > 0 ? shift(times - 1, down) : descend(down);
      return rest + a + b + c + d + e;
    }

    private long descend(int down) {
      if (down > 0) return descend(down - 1) + 1;
      doIt();
      return 0;
    }

    private void doIt() {
      switch (deed) {
        case NOTHING -> doIt();
        case MONITOR -> monitor();
        case LOCK -> locked();
        case SPAWN -> spawn();
        default -> cast();
      }
    }

    private void cast() {
      int i = next++;
      if (i < LINES) {
        Line line = lines[i];
        ActorRef<Line> ref = to[i];
        line.offered = true;
        if (deed == Deed.CAST_IN_LANE) ref.cast(line, Priority.HIGH);
        else ref.cast(line);
        line.accepted = true;
      }
      cast();
    }

    private void spawn() {
      int i = next++;
      if (i < LINES) {
        Line line = lines[i];
        ActorRef<Line> child = targets.spawn();
        line.offered = true;
        child.cast(line);
        line.accepted = true;
      }
      spawn();
    }

    private void monitor() {
      synchronized (this) {
        monitor();
      }
    }

    private void locked() {
      lock.lock();
      try {
        locked();
      } finally {
        lock.unlock();
      }
    }

    long accepted() {
      long count = 0;
      for (Line line : lines) if (line.accepted) count++;
      return count;
    }

    void check(Books books) {
      for (Line line : lines) {
        if (line.accepted && line.seen != 1)
          books.violation(deed + ": its cast returned, and it was seen " + line.seen + " times");
        if (line.offered && !line.accepted && line.seen != 0)
          books.violation(deed + ": its cast threw, and yet it was seen" + where());
      }
    }

    @Override
    public void teardown(StopReason reason, Context<String> context) {
      room.release();
    }
  }
}
