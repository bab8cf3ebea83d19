package io.turnwise.faults.error;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.ChildJvm;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.scheduling.Placement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * F34: errors leave the loop of a worker at each of its steps, and that of the ticker before each
 * thing it does. The loop goes on, with its queues and the task in hand; no message is lost, no
 * deadline stays away, and each death is counted. At full size, no worker that died takes longer
 * than a tenth of a second until it looks for work again.
 */
public final class ThreadDeathRow implements Row {
  private static final int SLEEPERS = 12;
  private static final double MILLIS_ALLOWED = 100;
  private static final Logger LOG = Logger.getLogger("io.turnwise");

  @Override
  public String id() {
    return "F34";
  }

  @Override
  public String what() {
    return "death of workers and of the ticker";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int deaths = (int) trial.sized(30, 1_000);
    Level before = LOG.getLevel();
    LOG.setLevel(Level.OFF); // each death is said, and here they are many
    try {
      for (int workers : trial.workerCounts())
        for (String point : WorkerFaults.points())
          trial.say(killWorkers(trial, workers, point, deaths));
    } finally {
      LOG.setLevel(before);
    }
    ChildJvm.Ended ended =
        ChildJvm.run(
            Child.class, List.of(), List.of("" + trial.sized(3, 200)), trial.full() ? 1800 : 300);
    ended.output().lines().filter(l -> l.startsWith("ticker ")).forEach(trial::say);
    ended.mustEndWith(0, id());
    return deaths + " at each step of a worker";
  }

  private static String killWorkers(Trial trial, int workers, String point, int deaths)
      throws Exception {
    SplittableRandom random = trial.random();
    var absences = new Absences();
    var books = new Books();
    var killed = new AtomicInteger();
    var passages = new AtomicInteger();
    int every = 3 + random.nextInt(5);
    ActorSystem system =
        ActorSystem.open(
            "death", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
    try (system) {
      WorkerFaults.inject(
          system,
          step -> {
            absences.passes(step);
            if (!step.equals(point)) return;
            if (passages.incrementAndGet() % every != 0) return;
            if (killed.incrementAndGet() > deaths) {
              killed.decrementAndGet();
              return;
            }
            absences.begins();
            throw new Death(point);
          });
      // Until all have died: traffic that never sleeps would pass no step but the first.
      long deadline = System.nanoTime() + 120_000_000_000L;
      while (killed.get() < deaths) {
        if (System.nanoTime() - deadline > 0)
          throw new Broken("only " + killed + " died at " + point + "\n" + system.dump());
        live(system, books, random);
      }
      books.awaitQuiet(system, 120);
      absences.awaitEnded(killed.get(), system);
    }
    books.check(system.snapshot(), 0);
    if (trial.full() && absences.longestMillis() > MILLIS_ALLOWED)
      throw new Broken("a worker that died at " + point + " was away for " + absences);
    if (system.snapshot().workersReplaced() != killed.get() || system.snapshot().crashes() != 0)
      throw new Broken(killed + " died at " + point + ", runtime: " + system.snapshot());
    return killed
        + " died at "
        + point
        + " on "
        + workers
        + " workers, away for "
        + absences
        + " at most: "
        + books;
  }

  /** Some messages of every kind: a ball that is thrown, turns that sleep, pinned ones. */
  private static void live(ActorSystem system, Books books, SplittableRandom random)
      throws InterruptedException {
    var traffic = new Traffic(system, books, 2, 500);
    for (int i = 0; i < SLEEPERS; i++) {
      ActorSpec<Integer> spec = ActorSpec.of(() -> new Sleeper(books));
      if (i % 3 == 0) spec = spec.withPlacement(Placement.pinnedTo(random.nextInt(4)));
      ActorRef<Integer> sleeper = system.spawn(spec);
      books.offered.increment();
      sleeper.cast(20);
    }
    traffic.awaitDone(120);
    books.awaitQuiet(system, 120);
  }

  /** From a worker's death until it looks for work again, which it does on the same thread. */
  private static final class Absences {
    private final ThreadLocal<Long> diedAt = new ThreadLocal<>();
    private final AtomicLong longest = new AtomicLong();
    private final AtomicInteger ended = new AtomicInteger();

    void begins() {
      diedAt.set(System.nanoTime());
    }

    void passes(String step) {
      Long since = diedAt.get();
      if (since == null || !step.equals("PICK")) return;
      diedAt.remove();
      longest.accumulateAndGet(System.nanoTime() - since, Math::max);
      ended.incrementAndGet();
    }

    /** Each is to come back, however many there are. The limit is there to report a hang. */
    void awaitEnded(int deaths, ActorSystem system) {
      long deadline = System.nanoTime() + 120_000_000_000L;
      while (ended.get() < deaths) {
        if (System.nanoTime() - deadline > 0)
          throw new Broken(ended + " of " + deaths + " came back\n" + system.dump());
        LockSupport.parkNanos(1_000_000);
      }
    }

    double longestMillis() {
      return longest.get() / 1e6;
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%.2f ms", longestMillis());
    }
  }

  /** How a worker dies here. */
  private static final class Death extends Error {
    private static final long serialVersionUID = 1L;

    Death(String point) {
      super("at " + point);
    }
  }

  private record Sleeper(Books books) implements Actor<Integer> {
    @Override
    public void receive(Integer left, Context<Integer> context) throws InterruptedException {
      switch (left % 4) {
        case 0 -> Thread.sleep(0, 200_000);
        case 1 -> Thread.yield();
        case 2 -> LockSupport.parkNanos(1_000);
        default -> {
          // a turn that does not wait
        }
      }
      if (left > 0) {
        books.offered.increment();
        context.self().cast(left - 1);
      } else {
        context.stop();
      }
      books.handled.increment();
    }
  }

  /** The ticker, in a copy of the runtime that has places to die at. */
  public static final class Child {
    private Child() {}

    public static void main(String[] arguments) {
      var loader =
          new ShortageLoader(
              Child.class.getClassLoader(), ShortageLoader.Places.STEPS_OF_THE_TICKER);
      try {
        int times = Integer.parseInt(arguments[0]);
        for (int workers = 1; workers <= 2; workers++)
          System.out.println("ticker " + loader.run(TickerTrials.class, "run", workers, times));
      } catch (Throwable e) {
        e.printStackTrace(System.out);
        System.exit(1);
      }
      System.exit(0);
    }
  }
}
