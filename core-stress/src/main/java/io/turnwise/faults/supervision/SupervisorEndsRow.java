package io.turnwise.faults.supervision;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * F2: supervisors crash, are killed and are stopped at random moments, also while they come back
 * from that, under load. Afterwards every worker answers at its first address, everybody that lives
 * is listed by a supervisor that lives, and no name has had two instances at a time. Live, and
 * under simulation.
 */
public final class SupervisorEndsRow implements Row {
  private static final int SENDERS = 2;

  @Override
  public String id() {
    return "F2";
  }

  @Override
  public String what() {
    return "supervisors that crash or are killed";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int rounds = (int) trial.sized(40, 1_000);
    for (int workers : trial.workerCounts())
      trial.say(workers + " workers: " + live(trial, workers, rounds));
    return rounds + " rounds; " + new Simulated().run(trial);
  }

  private static String live(Trial trial, int workers, int rounds) throws InterruptedException {
    var books = new Books();
    SplittableRandom random = trial.random();
    var over = new AtomicBoolean();
    try (var system =
        ActorSystem.open(
            "village", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)))) {
      var village = new Village(system, books, random.split(), LockSupport::parkNanos, SENDERS, 0);
      List<Thread> senders = new ArrayList<>();
      try {
        for (int i = 0; i < SENDERS; i++) {
          Village.Letters letters = village.letters(i);
          SplittableRandom own = random.split();
          senders.add(Thread.ofPlatform().daemon().start(() -> send(letters, own, over)));
        }
        for (int i = 0; i < rounds; i++) village.strikeOnce();
      } finally {
        over.set(true);
      }
      for (Thread sender : senders) sender.join();
      village.end();
      return village.check();
    }
  }

  private static void send(Village.Letters letters, SplittableRandom random, AtomicBoolean over) {
    while (!over.get()) {
      for (int i = 0; i < 20; i++) letters.send(random);
      LockSupport.parkNanos(500_000);
    }
  }

  /** The same from seeds. */
  public static final class Simulated extends WovenRow {
    private static final SimulationPlan PLAN =
        SimulationPlan.DEFAULT.withMaxTurns(100_000_000).withShrinks(false);

    @Override
    public String id() {
      return "F2";
    }

    @Override
    public String what() {
      return "the same, simulated";
    }

    @Override
    protected String runWoven(Trial trial) {
      int seeds = (int) trial.sized(4, 1_000);
      int rounds = (int) trial.sized(5, 20);
      for (int i = 0; i < seeds; i++) {
        Simulation.run(PLAN, trial.seed() + i, simulation -> live(simulation, rounds));
        if (i % 100 == 99) trial.say(i + 1 + " of " + seeds + " seeds");
      }
      return String.format(Locale.ROOT, "%,d seeds x %d rounds", seeds, rounds);
    }

    private static void live(Simulation simulation, int rounds) throws Exception {
      var books = new Books();
      var random = new SplittableRandom(simulation.seed());
      var over = new AtomicBoolean();
      Village.Pause pause = nanos -> simulation.sleep(Duration.ofNanos(Math.max(1, nanos)));
      var village = new Village(simulation.system(), books, random.split(), pause, SENDERS, 1);
      for (int i = 0; i < SENDERS; i++) {
        Village.Letters letters = village.letters(i);
        SplittableRandom own = random.split();
        ActorRef<String> sender =
            simulation.spawn(
                "sender" + i,
                () ->
                    (_, _) -> {
                      send(letters, own, over);
                      books.handled.increment();
                    });
        books.offered.increment();
        sender.cast("go");
      }
      village.setOthers(1 + SENDERS);
      for (int i = 0; i < rounds; i++) village.strikeOnce();
      over.set(true);
      village.end();
      village.check();
    }

    private static void send(Village.Letters letters, SplittableRandom random, AtomicBoolean over) {
      while (!over.get()) {
        for (int i = random.nextInt(4); i > 0; i--) letters.send(random);
        LockSupport.parkNanos(500_000);
      }
    }
  }
}
