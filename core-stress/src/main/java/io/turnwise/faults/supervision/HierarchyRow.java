package io.turnwise.faults.supervision;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * F1: a tree of supervisors whose workers crash at random: in handlers, and then in constructors,
 * starts, restarts and ends as well. Nothing is lost, every message of every sender comes once and
 * in order, each crash is one that was ordered, no instance has a turn once it has failed or while
 * a supervisor above it is down, and in the end all answer at their first addresses. Live, and
 * under simulation.
 */
public final class HierarchyRow implements Row {
  private static final int ACTORS = 500;
  private static final int SENDERS = 2;

  /** On the way at the same time, less than is kept for one worker that is down. */
  private static final long UNDER_WAY = 20_000;

  private static final double LIMIT_SECONDS = 110;

  @Override
  public String id() {
    return "F1";
  }

  @Override
  public String what() {
    return "crashes everywhere in a tree of supervisors";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long messages = trial.sized(60_000, 10_000_000);
    int crashes = (int) trial.sized(300, 10_000);
    for (int workers : trial.workerCounts()) {
      long began = System.nanoTime();
      String result = live(trial, workers, messages, crashes);
      double seconds = (System.nanoTime() - began) / 1e9;
      trial.say(String.format(Locale.ROOT, "%d workers, %.1f s: %s", workers, seconds, result));
      if (trial.full() && seconds > LIMIT_SECONDS)
        throw new Broken("it took " + seconds + " s; the limit is " + LIMIT_SECONDS);
    }
    String simulated = new Simulated().run(trial);
    return String.format(Locale.ROOT, "%,d crashes; %s", crashes, simulated);
  }

  private static String live(Trial trial, int workers, long messages, int crashes)
      throws InterruptedException {
    var books = new Books();
    SplittableRandom random = trial.random();
    var tree = new Hierarchy(books, random.split(), ACTORS, SENDERS);
    try (var system =
        ActorSystem.open(
            "tree", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)))) {
      tree.start(system);
      List<Thread> senders = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++) {
        var sender = new Sender(books, tree.letters(i), random.split(), messages, crashes, SENDERS);
        senders.add(Thread.ofPlatform().daemon().start(() -> sender.run(system)));
      }
      for (Thread sender : senders) sender.join();
      books.awaitQuiet(system, trial.sized(120, 600));
      tree.askAll();
      books.awaitBalance(system);
      return check(books, tree, system, crashes);
    }
  }

  private static String check(Books books, Hierarchy tree, ActorSystem system, long crashes) {
    SystemSnapshot end = system.snapshot();
    books.check(end, 0);
    if (books.failed.sum() != crashes)
      throw new Broken(crashes + " crashes were ordered, " + books);
    if (end.deadLettersTotal() != 0)
      throw new Broken("nobody ended, but there are dead letters: " + end.deadLetters());
    return tree.check(end) + "; " + books;
  }

  /** Sends its part of the messages, with its part of the crashes among them. */
  private static final class Sender {
    private final Books books;
    private final Hierarchy.Letters letters;
    private final SplittableRandom random;
    private final long messages;
    private final long crashes;

    Sender(
        Books books,
        Hierarchy.Letters letters,
        SplittableRandom random,
        long messages,
        long crashes,
        int senders) {
      this.books = books;
      this.letters = letters;
      this.random = random;
      this.messages = messages / senders;
      this.crashes = crashes / senders;
    }

    void run(ActorSystem system) {
      long block = messages / crashes;
      for (long i = 0; i < crashes; i++) {
        long crashAt = random.nextLong(block);
        for (long j = 0; j < block; j++)
          letters.send(random, j == crashAt ? Hierarchy.Fault.draw(random) : null);
        while (underWay(books) > UNDER_WAY && !system.isClosed()) LockSupport.parkNanos(100_000);
      }
    }
  }

  private static long underWay(Books books) {
    return books.accepted() - books.handled.sum() - books.failed.sum();
  }

  /** The same from seeds, each with a smaller tree. */
  public static final class Simulated extends WovenRow {
    private static final SimulationPlan PLAN =
        SimulationPlan.DEFAULT.withMaxTurns(100_000_000).withShrinks(false);

    private static final int SMALL_TREE = 60;

    @Override
    public String id() {
      return "F1";
    }

    @Override
    public String what() {
      return "the same, simulated";
    }

    @Override
    protected String runWoven(Trial trial) {
      int seeds = (int) trial.sized(6, 1_000);
      int crashes = (int) trial.sized(100, 1_000);
      for (int i = 0; i < seeds; i++) {
        Simulation.run(PLAN, trial.seed() + i, simulation -> live(simulation, crashes));
        if (i % 50 == 49) trial.say(i + 1 + " of " + seeds + " seeds");
      }
      return String.format(Locale.ROOT, "%,d seeds x %,d crashes", seeds, crashes);
    }

    private static void live(Simulation simulation, int crashes) throws Exception {
      var books = new Books();
      var random = new SplittableRandom(simulation.seed());
      int actors = SMALL_TREE / 2 + random.nextInt(SMALL_TREE);
      var tree = new Hierarchy(books, random.split(), actors, SENDERS);
      tree.start(simulation.system());
      var sending = new AtomicInteger(SENDERS);
      for (int i = 0; i < SENDERS; i++) {
        Hierarchy.Letters letters = tree.letters(i);
        SplittableRandom own = random.split();
        ActorRef<String> sender =
            simulation.spawn(
                "sender" + i, () -> (_, _) -> send(letters, own, crashes / SENDERS, sending));
        books.offered.increment();
        books.handled.increment();
        sender.cast("go");
      }
      books.offered.increment(); // what began this turn, which does not end before the check
      while (sending.get() > 0 || underWay(books) > 1) simulation.sleep(Duration.ofMillis(10));
      tree.askAll();
      simulation.sleep(Duration.ofSeconds(1)); // turns have answered that have not ended
      SystemSnapshot end = simulation.system().snapshot();
      if (end.messagesHandled() != books.handled.sum() || end.deadLettersTotal() != 0)
        throw new Broken("the runtime counted " + end + ", " + books);
      if (end.messagesFailed() != crashes || books.failed.sum() != crashes)
        throw new Broken(crashes + " crashes were ordered; " + end + ", " + books);
      tree.check(end);
    }

    private static void send(
        Hierarchy.Letters letters, SplittableRandom random, int crashes, AtomicInteger sending) {
      for (int i = 0; i < crashes; i++) {
        for (int j = random.nextInt(4); j > 0; j--) letters.send(random, null);
        letters.send(random, Hierarchy.Fault.draw(random));
        if (random.nextInt(3) == 0) LockSupport.parkNanos(random.nextInt(5_000_000));
      }
      sending.decrementAndGet();
    }
  }
}
