package io.turnwise.testkit.simulation;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.internal.door.JdkDoor;
import io.turnwise.internal.scheduler.Preemption;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A whole actor system on one thread, in which a seed decides what happens next: which actor takes
 * its turn, where that is stopped in the middle, and which of those whose time has come goes first.
 * The same seed takes the same course, every time and everywhere.
 *
 * <p>Time is virtual: while everybody waits it jumps to the next deadline. The code that is tried
 * runs as an actor of the system. It may block like any other: call, sleep, wait for a future.
 *
 * {@snippet file="io/turnwise/testkit/simulation/SimulationDocTest.java" region="plain"}
 *
 * <p>If it fails, the run is made as short as possible, and the {@link SimulationFailure} tells it
 * step by step.
 */
public final class Simulation {
  /** What is tried, with a new system each time. */
  @FunctionalInterface
  public interface Body {
    void run(Simulation simulation) throws Exception;
  }

  /** Where two runs part is looked for among so many steps. */
  private static final int MOST_STEPS = 100_000;

  private final Stage stage;
  private final long seed;

  private Simulation(Stage stage, long seed) {
    this.stage = stage;
    this.seed = seed;
  }

  /** Runs the code once, as the seed decides. */
  public static Outcome run(long seed, Body body) {
    return run(SimulationPlan.DEFAULT, seed, body);
  }

  /** Runs the code once, as the plan and the seed decide. */
  public static Outcome run(SimulationPlan plan, long seed, Body body) {
    Objects.requireNonNull(body, "what is to be tried is null");
    var run = new Run(plan, seed, body, Chooser.of(plan.strategy(), seed), null);
    run.go();
    if (run.failure == null) return run.stage.outcome(seed);
    throw plan.shrinks()
        ? new Shrinker(plan, seed, body, () -> Chooser.of(plan.strategy(), seed)).shorten(run)
        : run.asFailure(0);
  }

  /**
   * Runs the code as it ran before, and fails if it takes another course: then something besides
   * the seed decides, such as the real clock, chance, or the order of a set of identities.
   */
  public static void repeat(SimulationPlan plan, Outcome before, Body body) {
    var run = new Run(plan, before.seed(), body, Chooser.of(plan.strategy(), before.seed()), null);
    run.go();
    if (run.hasFailed()) throw run.asFailure(0);
    Outcome now = run.stage.outcome(before.seed());
    if (now.equals(before)) return;
    String where = Difference.find(() -> again(plan, before.seed(), body, null));
    throw new SimulationFailure(differ(before, now) + where, now, "", "", null);
  }

  /**
   * To be told at length.
   *
   * @param schedule null: as the plan and the seed decide
   */
  static Run again(SimulationPlan plan, long seed, Body body, @Nullable Schedule schedule) {
    Chooser chooser =
        schedule == null ? Chooser.of(plan.strategy(), seed) : new Chooser.Again(schedule);
    return new Run(plan, seed, body, chooser, new Story(MOST_STEPS));
  }

  private static String differ(Outcome before, Outcome now) {
    return "Two runs with seed "
        + before.seed()
        + " took different courses: "
        + before.turns()
        + " turns in "
        + before.time()
        + ", and "
        + now.turns()
        + " turns in "
        + now.time()
        + ". Something besides the seed decides. [SIMULATION-DIFFERS]";
  }

  /** Runs the code with one seed after the other. */
  public static void runAll(SimulationPlan plan, long firstSeed, int seeds, Body body) {
    for (int i = 0; i < seeds; i++) run(plan, firstSeed + i, body);
  }

  /**
   * Runs the code in every way there is, for small systems: each order of turns, and each of them
   * stopped nowhere or at one of its first polls.
   *
   * @param depth so many choices are tried in every way; later ones are not chosen
   * @param mostPolls turns are stopped at these polls at most
   * @param mostRuns after so many it ends, incomplete
   */
  public static Exploration explore(
      SimulationPlan plan, int depth, int mostPolls, long mostRuns, Body body) {
    Schedule begin = new Schedule();
    for (long runs = 1; ; runs++) {
      Schedule from = begin;
      var chooser = new Exploration.Odometer(from, depth, mostPolls);
      var run = new Run(plan, 0, body, chooser, null);
      run.go();
      if (run.hasFailed())
        throw plan.shrinks()
            ? new Shrinker(plan, 0, body, () -> new Exploration.Odometer(from, depth, mostPolls))
                .shorten(run)
            : run.asFailure(0);
      Schedule next = chooser.next();
      if (next == null) return new Exploration(runs, true);
      if (runs >= mostRuns) return new Exploration(runs, false);
      begin = next;
    }
  }

  public ActorSystem system() {
    return stage.system();
  }

  public <M> ActorRef<M> spawn(String name, Supplier<? extends Actor<M>> factory) {
    return system().spawn(name, factory);
  }

  public long seed() {
    return seed;
  }

  /** How much time has passed in the simulation. */
  public Duration time() {
    return stage.time();
  }

  /** Waits, in the simulation's time. */
  public void sleep(Duration time) throws InterruptedException {
    stage.sleep(time.toNanos());
  }

  // ---- what may go wrong ---------------------------------------------------------------------

  /** At most three turns of this actor may crash: see {@link #mayCrash(ActorRef, int)}. */
  public void mayCrash(ActorRef<?> actor) {
    mayCrash(actor, 3);
  }

  /**
   * Turns of this actor may crash: before its handler runs, at one of its polls, or after it has
   * returned.
   *
   * @param times at most so many turns of a run do
   */
  public void mayCrash(ActorRef<?> actor, int times) {
    if (times < 1)
      throw new IllegalArgumentException("mayCrash: " + times + " times; use 1 or more");
    stage.faults.mayCrash(Objects.requireNonNull(actor, "mayCrash: the actor is null"), times);
  }

  /** This actor may be killed at any moment. */
  public void mayBeKilled(ActorRef<?> actor) {
    stage.faults.mayBeKilled(Objects.requireNonNull(actor, "mayBeKilled: the actor is null"));
  }

  /** Messages to this actor may get lost on their way. A call then waits for its timeout. */
  public void mayLose(ActorRef<?> to) {
    stage.faults.mayLose(Objects.requireNonNull(to, "mayLose: the actor is null"));
  }

  /**
   * Messages to this actor may be under way for up to so long: those of different senders overtake
   * each other, those of one sender do not.
   */
  public void mayDelay(ActorRef<?> to, Duration atMost) {
    Objects.requireNonNull(to, "mayDelay: the actor is null");
    stage.faults.mayDelay(to, positive("mayDelay", atMost));
  }

  /**
   * The machine may stand still for up to so long at any moment, as under load or in a long
   * collection: timeouts strike although an answer is on its way, and of timers that are due at
   * different times meanwhile any may be the first.
   */
  public void mayStall(Duration atMost) {
    stage.faults.mayStall(positive("mayStall", atMost));
  }

  /**
   * This actor may not get to run for up to so long although it could, as when its worker's thread
   * is stuck: between its turns, or where one was stopped in the middle. Everybody else goes on.
   */
  public void mayStall(ActorRef<?> actor, Duration atMost) {
    Objects.requireNonNull(actor, "mayStall: the actor is null");
    stage.faults.mayStall(actor, positive("mayStall", atMost));
  }

  /**
   * This actor may take up to so long for each message, as if its handler slept at its begin or its
   * end: what is sent to it piles up.
   */
  public void mayBeSlow(ActorRef<?> actor, Duration atMost) {
    Objects.requireNonNull(actor, "mayBeSlow: the actor is null");
    stage.faults.mayBeSlow(actor, positive("mayBeSlow", atMost));
  }

  /**
   * Mailboxes of actors that are spawned from now on may have room for as few messages as this, or
   * for twice or four times as many, whatever their spec says. In one that has no bound by its spec
   * senders wait for room; others keep their policy.
   */
  public void mayShrinkMailboxes(int least) {
    if (least < 1)
      throw new IllegalArgumentException("mayShrinkMailboxes: " + least + "; use 1 or more");
    stage.faults.mayShrinkMailboxes(least);
  }

  /**
   * The clock on the wall ({@code System.currentTimeMillis}, {@code Instant.now} and their like)
   * may jump by a second, an hour or a day, forth or back, or to 1970. {@code System.nanoTime},
   * sleeps and timeouts do not follow it.
   */
  public void mayJumpClock() {
    stage.faults.mayJumpClock();
  }

  private static long positive(String what, Duration atMost) {
    if (atMost.isNegative() || atMost.isZero())
      throw new IllegalArgumentException(what + ": " + atMost + "; use a positive duration");
    return atMost.toNanos();
  }

  /**
   * Actors may wait for each other's answers until their calls time out, and for others for ever.
   */
  public void mayDeadlock() {
    stage.mayDeadlock();
  }

  /**
   * When the code returns, the system is closed at that very moment, in the middle of all that goes
   * on, and the seed decides what happens while it closes. Without this, what can run at that
   * moment runs first, and the close takes a course of its own.
   */
  public void closesInTheMiddle() {
    stage.closesInTheMiddle = true;
  }

  // ---- one run -------------------------------------------------------------------------------

  /** A run of the code from its beginning to the end of its system. */
  static final class Run {
    private final SimulationPlan plan;
    private final long seed;
    private final Body body;
    private final @Nullable Story story;
    private final Stage stage;
    private boolean done;
    private @Nullable Throwable failure;

    Run(SimulationPlan plan, long seed, Body body, Chooser chooser, @Nullable Story story) {
      Stage.checkThread();
      JdkDoor.openForSimulation(); // once; what is loaded already is woven then
      this.plan = plan;
      this.seed = seed;
      this.body = body;
      this.story = story;
      this.stage = new Stage(plan, seed, chooser, story);
    }

    void go() {
      stage.enter();
      Preemption.beginSimulation();
      try {
        ActorRef<String> tries = stage.system().spawn("test", () -> (_, _) -> play());
        tries.cast("begin");
        boolean goesOn = stage.runWhile(() -> !done);
        if (!goesOn) failure = stage.stuck();
        if (failure == null) endInOrder();
      } catch (EndlessException | DeadlockException stopped) {
        failure = stopped;
      } finally {
        end();
        Preemption.endSimulation(); // not before: who spins is stopped at its polls, and killed
        stage.leave();
        // Whatever else came of it, this is where it began.
        if (stage.refused() != null) failure = stage.refused();
      }
    }

    /** As the seed decides, or after what can run at this moment. */
    private void endInOrder() {
      if (stage.closesInTheMiddle) {
        close();
      } else {
        stage.settle();
        stage.findDeadlock();
        rest(stage.defectsAtRest());
        if (failure == null && stage.isStuck()) failure = stage.stuck();
      }
    }

    private void close() {
      stage.system().close(Duration.ofSeconds(10));
    }

    private void play() {
      try {
        body.run(new Simulation(stage, seed));
      } catch (Throwable e) {
        if (failure == null) failure = e;
      }
      done = true;
    }

    private void end() {
      stage.end();
      try {
        close();
        stage.close();
        if (failure == null) rest(stage.defects());
      } catch (EndlessException late) {
        if (failure == null) failure = late;
      }
    }

    /** Whatever the code does, this is ours to keep. */
    private void rest(String defects) {
      if (!defects.isEmpty())
        failure =
            new IllegalStateException(defects + "A defect of the runtime. [SIMULATION-INVARIANT]");
    }

    boolean hasFailed() {
      return failure != null;
    }

    /** Whether it failed in the same way. */
    boolean isLike(Run other) {
      return failure != null
          && other.failure != null
          && Fingerprint.of(failure).isLike(Fingerprint.of(other.failure));
    }

    Schedule chosen() {
      return stage.chosen();
    }

    long turns() {
      return stage.turns();
    }

    /** For one that did not fail again when it was to be told. */
    SimulationFailure asFailureThatDiffers() {
      SimulationFailure seen = asFailure(0);
      String text =
          seen.getMessage()
              + "\n  note:   with the same choices it did not fail again: something besides the seed"
              + " decides. [SIMULATION-DIFFERS]"
              + Difference.find(() -> again(plan, seed, body, chosen()));
      return new SimulationFailure(text, seen.outcome(), "", "", failure);
    }

    long hash() {
      return stage.outcome(seed).hash();
    }

    List<Story.Step> steps() {
      return story == null ? List.of() : story.steps();
    }

    List<Long> marks() {
      return story == null ? List.of() : story.marks();
    }

    String leaks() {
      return stage.leaks().describe("\n          ");
    }

    SimulationFailure asFailure(int choicesBefore) {
      Outcome outcome = stage.outcome(seed);
      String told = story == null ? "" : story.toString();
      var text = new StringBuilder("The simulation with seed ").append(seed);
      text.append(" failed. [SIMULATION-FAILED]\n  what:   ").append(failure);
      text.append("\n  again:  seed ").append(seed);
      text.append(", or Strategy.Replay(\"").append(outcome.schedule()).append("\")");
      if (story != null)
        text.append("\n  story:  ")
            .append(choicesBefore)
            .append(" choices made ")
            .append(Schedule.parse(outcome.schedule()).size())
            .append("\n")
            .append(told);
      String page = story == null ? "" : Diagram.of(story, text.toString());
      return new SimulationFailure(text.toString(), outcome, told, page, failure);
    }
  }
}
