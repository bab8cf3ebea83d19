package io.turnwise.faults.supervision;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * F4: all children of a supervisor crash within a tenth of a second, and come back after a delay
 * that chance spreads; then one after another at random, as often again. The supervisor answers
 * meanwhile, nobody comes back early, no thread sleeps for it, no message is lost; the supervisor
 * gives up with the first restart beyond its limit, and not before. How long its answers take is
 * exact under simulation; live, it is printed beside what an idle actor took in the same moments,
 * and judged at full size only.
 */
public final class RestartStormRow implements Row {
  private static final int SENDERS = 2;
  private static final int BATCHES = 100;

  /** Children that crash one after another, and how many are down at a time. */
  private static final int SOME = 1_000;

  private static final int MOST_DOWN = 200;
  private static final long MILLISECOND = 1_000_000;
  private static final long MOST_NANOS = 10 * MILLISECOND;

  /** Another actor's answers take long as well where the machine is busy with others. */
  private static final int TIMES_CONTROL = 3;

  @Override
  public String id() {
    return "F4";
  }

  @Override
  public String what() {
    return "storms of restarts";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int children = (int) trial.sized(1_000, 10_000);
    for (int workers : trial.workerCounts()) {
      var shape = workers == 1 ? SupervisorSpec.oneForOne() : SupervisorSpec.dynamic();
      new Live(trial, workers, shape, children).play();
    }
    return String.format(Locale.ROOT, "%,d children; %s", children, new Simulated().run(trial));
  }

  /** One system. */
  private static final class Live {
    private final Trial trial;
    private final int workers;
    private final SupervisorSpec shape;
    private final int children;
    private final Books books = new Books();
    private final List<Long> probes = new ArrayList<>();
    private final List<Long> controls = new ArrayList<>();
    private final SplittableRandom random;

    Live(Trial trial, int workers, SupervisorSpec shape, int children) {
      this.trial = trial;
      this.workers = workers;
      this.shape = shape;
      this.children = children;
      this.random = trial.random();
    }

    void play() throws InterruptedException {
      try (var system =
          ActorSystem.open(
              "storm", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)))) {
        storm(system);
        cycles(system);
        books.awaitQuiet(system, 300);
        books.awaitBalance(system);
        if (system.snapshot().deadLettersTotal() != 0)
          throw new Broken("nobody ended, but: " + system.snapshot().deadLetters());
      }
    }

    private void storm(ActorSystem system) throws InterruptedException {
      Duration delay = Duration.ofMillis(trial.sized(200, 1_000));
      RestartLimit limit = RestartLimit.of(children);
      var storm = new Storm(system, "all", books, shape, limit, children, delay, SENDERS);
      int threads = threads().size();
      besideTraffic(
          storm,
          () -> {
            long began = System.nanoTime();
            for (int i = 0; i < BATCHES; i++) {
              for (int j = i * children / BATCHES; j < (i + 1) * children / BATCHES; j++)
                storm.crash(j);
              LockSupport.parkNanos(MILLISECOND / 2);
            }
            String took = Storm.millis(System.nanoTime() - began);
            await(
                () -> {
                  checkThreads();
                  return storm.returned() == children;
                },
                "not all come back");
            say("all crashed within " + took + ", back " + Arrays.toString(storm.parts()));
            say("down for " + Storm.millis(storm.longestDown()) + " at most");
          });
      if (storm.lives() != 1) throw new Broken("the supervisor gave up within its limit");
      say("threads: " + threads + " before, " + threads().size() + " after");
      judge("storm");
      storm.crashOneTooMany();
      await(() -> storm.lives() == 2, "the supervisor does not give up beyond its limit");
    }

    private void cycles(ActorSystem system) throws InterruptedException {
      Duration delay = Duration.ofMillis(5);
      var storm = new Storm(system, "some", books, shape, RestartLimit.NONE, SOME, delay, SENDERS);
      int cycles = children;
      besideTraffic(
          storm,
          () -> {
            for (int sent = 0; sent < cycles; ) {
              int child = random.nextInt(SOME);
              if (storm.isDown(child)) continue;
              storm.crash(child);
              int so = ++sent;
              await(() -> so - storm.returned() < MOST_DOWN, "they do not come back");
            }
            await(() -> storm.returned() == cycles, "not all come back");
          });
      if (storm.lives() != 1) throw new Broken("a supervisor without a limit gave up");
      judge(cycles + " cycles");
    }

    private void say(String text) {
      trial.say(workers + " workers, " + shape.shape() + ": " + text);
    }

    private void judge(String what) {
      long worst = Storm.rank(probes, 0.99);
      long control = Storm.rank(controls, 0.99);
      say(
          String.format(
              Locale.ROOT,
              "%s: %,d questions, 99 of 100 answered in %s, the longest %s; an idle actor's %s, %s",
              what,
              probes.size(),
              Storm.millis(worst),
              Storm.millis(Storm.rank(probes, 1)),
              Storm.millis(control),
              Storm.millis(Storm.rank(controls, 1))));
      if (trial.full() && worst > Math.max(MOST_NANOS, TIMES_CONTROL * control))
        throw new Broken("the supervisor took " + Storm.millis(worst) + " to answer");
      probes.clear();
      controls.clear();
    }

    private interface Play {
      void play() throws InterruptedException;
    }

    /** Others send, and somebody asks once in a while. */
    private void besideTraffic(Storm storm, Play play) throws InterruptedException {
      var over = new AtomicBoolean();
      List<Thread> others = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++) {
        int sender = i;
        SplittableRandom own = random.split();
        others.add(
            Thread.ofPlatform()
                .daemon()
                .start(
                    () -> {
                      while (!over.get()) {
                        for (int j = 0; j < 10; j++) storm.send(sender, own);
                        LockSupport.parkNanos(MILLISECOND);
                      }
                    }));
      }
      SplittableRandom own = random.split();
      others.add(
          Thread.ofPlatform()
              .daemon()
              .start(
                  () -> {
                    while (!over.get()) {
                      probes.add(storm.probe(own));
                      controls.add(storm.probeControl());
                      LockSupport.parkNanos(MILLISECOND);
                    }
                  }));
      try {
        play.play();
      } finally {
        over.set(true);
      }
      for (Thread other : others) other.join();
    }

    private static List<Thread> threads() {
      return Thread.getAllStackTraces().keySet().stream()
          .filter(t -> t.getName().startsWith("turnwise-storm-"))
          .toList();
    }

    /** Restarts that wait are timers: no thread of the system sleeps for them. */
    private void checkThreads() {
      Thread.getAllStackTraces()
          .forEach(
              (thread, stack) -> {
                if (thread.getName().startsWith("turnwise-storm-"))
                  for (StackTraceElement frame : stack)
                    if (frame.getClassName().equals("java.lang.Thread")
                        && frame.getMethodName().startsWith("sleep"))
                      books.violation(thread.getName() + " sleeps");
              });
    }

    private static void await(BooleanSupplier condition, String problem) {
      long deadline = System.nanoTime() + 300_000_000_000L;
      while (!condition.getAsBoolean()) {
        if (System.nanoTime() - deadline > 0) throw new Broken(problem);
        LockSupport.parkNanos(5 * MILLISECOND);
      }
    }
  }

  /** The same from seeds, on a clock that nobody holds up. */
  public static final class Simulated extends WovenRow {
    private static final SimulationPlan PLAN =
        SimulationPlan.DEFAULT.withMaxTurns(100_000_000).withShrinks(false);

    @Override
    public String id() {
      return "F4";
    }

    @Override
    public String what() {
      return "the same, simulated";
    }

    @Override
    protected String runWoven(Trial trial) {
      int seeds = (int) trial.sized(2, 50);
      int children = (int) trial.sized(500, 10_000);
      long worst = 0;
      for (int i = 0; i < seeds; i++) {
        long[] slowest = {0};
        Simulation.run(
            PLAN, trial.seed() + i, simulation -> slowest[0] = live(simulation, children));
        worst = Math.max(worst, slowest[0]);
      }
      trial.say("simulated: 99 of 100 questions answered in " + Storm.millis(worst));
      return String.format(Locale.ROOT, "%d seeds x %,d", seeds, children);
    }

    /** Returns how long 99 of 100 answers took at most. */
    private static long live(Simulation simulation, int children) throws Exception {
      var books = new Books();
      var random = new SplittableRandom(simulation.seed());
      Duration delay = Duration.ofSeconds(1);
      var shape = random.nextBoolean() ? SupervisorSpec.oneForOne() : SupervisorSpec.dynamic();
      RestartLimit limit = RestartLimit.of(children);
      ActorSystem system = simulation.system();
      var storm = new Storm(system, "all", books, shape, limit, children, delay, 1);
      var over = new AtomicBoolean();
      SplittableRandom own = random.split();
      ActorRef<String> sender =
          simulation.spawn(
              "sender",
              () ->
                  (_, _) -> {
                    while (!over.get()) {
                      storm.send(0, own);
                      LockSupport.parkNanos(MILLISECOND);
                    }
                    books.handled.increment();
                  });
      books.offered.increment();
      sender.cast("go");
      List<Long> probes = new ArrayList<>();
      int[] order = random.ints(children, 0, BATCHES).sorted().toArray(); // at which millisecond
      int next = 0;
      for (int i = 0; storm.returned() < children; i++) {
        while (next < children && order[next] <= i) storm.crash(next++);
        probes.add(storm.probe(random));
        simulation.sleep(Duration.ofMillis(1));
        if (i > 10_000) throw new Broken(storm.returned() + " of " + children + " came back");
      }
      Storm.checkSpread(storm.parts());
      if (storm.longestDown() > delay.toNanos() * 3 / 2 + MOST_NANOS)
        throw new Broken("somebody was down for " + Storm.millis(storm.longestDown()));
      long slowest = Storm.rank(probes, 0.99);
      if (slowest >= MOST_NANOS) throw new Broken("an answer took " + Storm.millis(slowest));
      if (storm.lives() != 1) throw new Broken("the supervisor gave up within its limit");
      storm.crashOneTooMany();
      simulation.sleep(Duration.ofSeconds(5));
      if (storm.lives() != 2) throw new Broken("the supervisor has begun " + storm.lives() + "x");
      over.set(true);
      simulation.sleep(Duration.ofSeconds(1));
      books.check(system.snapshot(), 0);
      return slowest;
    }
  }
}
