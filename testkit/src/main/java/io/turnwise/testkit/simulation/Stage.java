package io.turnwise.testkit.simulation;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.internal.cell.DirectedSystem;
import io.turnwise.internal.cell.TurnWitness;
import io.turnwise.internal.scheduler.Director;
import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.Task;
import io.turnwise.internal.weaving.World;
import io.turnwise.mailbox.MailboxDeadlockException;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.SystemSnapshot;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One run: the thread on which everything happens, its clock, and those that wait for either.
 *
 * <p>A step is one slice of one task, mostly one message; or the passing of time. Time stands still
 * while anybody can run, save for a microsecond that each slice takes, and jumps to the next
 * deadline when nobody can. Everything here is done by that thread or by a fiber mounted on it.
 */
final class Stage implements Director, TurnWitness, World.Source {
  /** Of more than these that can run, the later ones wait. */
  private static final int WINDOW = 64;

  private static final long TURN_NANOS = 1_000;
  private static final long LOOK_NANOS = 100;

  /** By the real clock. */
  private static final long MONITOR_NANOS = 1_000_000;

  private static final int MONITOR_LOOKS = 100;

  /** The first second of 2026, in UTC. */
  private static final long EPOCH_MILLIS = 1_767_225_600_000L;

  private static final long BEAT_NANOS = 1_000_000;

  /** After so many polls a turn is stopped in any case: it may be endless. */
  private static final int MOST_POLLS = 10_000;

  /** So long it has taken then. */
  private static final long LONG_TURN_NANOS = 1_000_000;

  /** How long the end of a system may take, in its own time. */
  private static final Duration END = Duration.ofMinutes(1);

  /** Any moment would do; this one is easy to know in a log. */
  private static final long BEGIN = Duration.ofDays(1).toNanos();

  private record Sleep(long until, long number, Runnable action, CompletableFuture<?> over) {}

  private final SimulationPlan plan;
  private final Chooser chooser;
  private final Schedule chosen = new Schedule();
  private final @Nullable Story story;

  /** What user code draws. Apart from the choices: the code draws the same whatever is chosen. */
  private final SplittableRandom random;

  final Faults faults = new Faults(this::choose);
  private final Set<String> leaks = new TreeSet<>();
  private final List<Task> begunToWait = new ArrayList<>();
  private final List<Thread> atMonitors = new ArrayList<>();
  private final Map<Task, Long> lastRan = new IdentityHashMap<>();
  private final Ready ready = new Ready();
  private final ArrayDeque<Task> chores = new ArrayDeque<>();
  private final PriorityQueue<Sleep> sleeps =
      new PriorityQueue<>(Comparator.comparingLong(Sleep::until).thenComparingLong(Sleep::number));
  private final DirectedSystem directed;
  private long now = BEGIN;
  private long nextBeat = BEGIN;
  private long turns;
  private long sent;
  private long sleepsMade;
  private long hash = 0xCBF29CE484222325L;

  /** Whose slice runs, or ran last. */
  private @Nullable Task inHand;

  /** Of the slice in hand: whether it was decided where it is stopped, and where. */
  private boolean polled;

  private boolean ended;
  private boolean closed;
  private boolean mayDeadlock;
  private int pollsToStop;
  private int polls;

  Stage(SimulationPlan plan, long seed, Chooser chooser, @Nullable Story story) {
    this.plan = plan;
    this.random = new SplittableRandom(seed);
    this.chooser = chooser;
    this.story = story;
    if (story != null) story.beginAt(now);
    directed =
        DirectedSystem.open(
            "simulation", plan.system().withWorkers(1).withThroughput(1), () -> now, this, this);
  }

  ActorSystem system() {
    return directed.system();
  }

  List<ActorSnapshot> inTheMiddle() {
    return directed.inTheMiddle();
  }

  Outcome outcome(long seed) {
    return new Outcome(
        seed, chosen.trimmed().toString(), turns, Duration.ofNanos(now - BEGIN), hash);
  }

  Schedule chosen() {
    return chosen.trimmed();
  }

  /** Whether an actor rests although messages wait for it; empty: none does. Nobody can run. */
  String holdsBack() {
    var found = new StringBuilder();
    for (ActorSnapshot actor : directed.restingWithMessages())
      found.append(
          "%s rests although %d messages wait for it. ".formatted(actor.path(), actor.queued()));
    return found.toString();
  }

  /** What must hold after every run, and does not; empty: all is well. After the close. */
  String defects() {
    var found = new StringBuilder();
    SystemSnapshot seen = system().snapshot();
    long accounted = seen.messagesHandled() + seen.messagesFailed() + seen.deadLettersTotal();
    if (accounted != sent)
      found.append(
          "%d messages were sent and %d handled, failed or dead letters. "
              .formatted(sent, accounted));
    if (seen.actorsLive() != 0)
      found.append("%d actors live after the close. ".formatted(seen.actorsLive()));
    if (seen.workersReplaced() != 0)
      found.append("%d workers died. ".formatted(seen.workersReplaced()));
    if (!ready.isEmpty() || !chores.isEmpty()) found.append("Somebody can still run. ");
    return found.toString();
  }

  Duration time() {
    return Duration.ofNanos(now - BEGIN);
  }

  // ---- whose code sees it --------------------------------------------------------------------

  private static final Map<Thread, Stage> BY_DRIVER = new ConcurrentHashMap<>();

  /** The current thread drives this from now on, and code on its fibers sees this clock. */
  void enter() {
    if (BY_DRIVER.putIfAbsent(Thread.currentThread(), this) != null)
      throw new IllegalStateException(
          "A simulation inside another one. [SIMULATION-NESTED]\n"
              + "  next:  run them one after the other");
    synchronized (BY_DRIVER) {
      World.findBy(Stage::ofThisThread);
    }
  }

  void leave() {
    synchronized (BY_DRIVER) {
      BY_DRIVER.remove(Thread.currentThread());
      if (BY_DRIVER.isEmpty()) World.findBy(null);
    }
  }

  private static World.@Nullable Source ofThisThread() {
    return Director.ofThisThread() instanceof Stage stage
        ? stage
        : BY_DRIVER.get(Thread.currentThread());
  }

  /** What the code used that differs from run to run. */
  Set<String> leaks() {
    return leaks;
  }

  // ---- what runs next ------------------------------------------------------------------------

  /** Runs while that is wanted. Returns false when nothing can happen any more. */
  boolean runWhile(BooleanSupplier wanted) {
    while (wanted.getAsBoolean()) if (!step() && !letTimePass(Long.MAX_VALUE)) return false;
    return true;
  }

  /** What follows is the end of the system: nothing is chosen or told any more. */
  void end() {
    ended = true;
    if (story != null) story.end();
  }

  void mayDeadlock() {
    mayDeadlock = true;
  }

  /** The system is closed: what comes now comes too late for a thread of its own. */
  void close() {
    closed = true;
  }

  /** Runs what can run at this moment. */
  void settle() {
    while (step()) {}
  }

  @Override
  public void runAll() {
    long end = now + END.toNanos();
    while (step() || letTimePass(end)) {}
  }

  private boolean step() {
    if (!atMonitors.isEmpty()) awaitMonitors();
    directed.takeIn();
    Task chore = chores.poll();
    if (chore != null) {
      Director.run(chore);
      return true;
    }
    if (isDue() && (ready.isEmpty() || ended || choose(2) == 0)) {
      wakeDue();
      return true;
    }
    if (ready.isEmpty()) return false;
    if (++turns > plan.maxTurns()) throw new EndlessException(turns - 1);
    now += TURN_NANOS;
    goWrong();
    int window = ended ? 1 : Math.min(WINDOW, ready.size());
    int index = window == 1 ? 0 : take(chooser.next(ready, window));
    run(ready.take(index));
    return true;
  }

  /**
   * Somebody waits for a monitor. Whether it was given up only the JVM knows, which wakes the
   * waiter by a thread of its own: that is given the time to do so.
   */
  private void awaitMonitors() {
    long began = System.nanoTime();
    do {
      if (directed.hasArrivals()) break;
      Thread.onSpinWait();
    } while (System.nanoTime() - began < MONITOR_NANOS);
    atMonitors.removeIf(thread -> thread.getState() != Thread.State.BLOCKED);
  }

  /** Nobody can run, unless one that waits for a monitor is about to have it. */
  private boolean comesFromMonitor() {
    for (int i = 0; i < MONITOR_LOOKS && !atMonitors.isEmpty(); i++) {
      if (directed.hasArrivals()) return true;
      LockSupport.parkNanos(MONITOR_NANOS);
    }
    return directed.hasArrivals();
  }

  private void run(Task task) {
    polled = false;
    polls = 0;
    inHand = task;
    if (task.suspendedFiber() != null) tell(task, "goes on");
    Director.run(task);
    lastRan.put(task, turns);
    Fiber fiber = task.suspendedFiber();
    if (fiber == null) return;
    begunToWait.add(task);
    if (fiber.thread().getState() == Thread.State.BLOCKED) atMonitors.add(fiber.thread());
  }

  /** Something that the test allows, and that nobody's turn does. */
  private void goWrong() {
    if (ended) return;
    ActorRef<?> victim = faults.victim();
    if (victim != null) {
      tell(victim.path(), "is killed");
      victim.kill();
    }
    long stall = faults.stall();
    if (stall == 0) return;
    directed.beat();
    long next = nextDeadline();
    if (next > now && next - now <= stall) {
      tell("", "the machine stands still for " + Duration.ofNanos(next - now));
      now = next;
      nextBeat = now;
      wakeDue();
    }
  }

  private void tell(Object who, String what) {
    if (story != null) story.happens(now, who.toString(), what);
  }

  private int choose(int ways) {
    return take(chooser.of(ways));
  }

  private int take(int choice) {
    chosen.add(choice);
    mix(choice);
    return choice;
  }

  private void mix(long value) {
    hash = (hash ^ value) * 0x100000001B3L;
    hash ^= hash >>> 29;
  }

  @Override
  public void ready(Task task) {
    if (DirectedSystem.isChore(task)) chores.add(task);
    else ready.add(task);
  }

  /** On a thread of its own: it may block. Once all has ended, nobody would run that. */
  @Override
  public void errand(Runnable code) {
    if (closed) code.run();
    else directed.start(code);
  }

  @Override
  public boolean stopsHere(Task task) {
    faults.turnPolls(task);
    if (++polls >= MOST_POLLS) {
      polls = 0;
      now += LONG_TURN_NANOS;
      tell(task, "is stopped: its turn is long");
      return true;
    }
    if (!plan.preempts() || ended) return false;
    if (!polled) {
      polled = true;
      pollsToStop = take(chooser.polls());
    }
    if (pollsToStop == 0 || --pollsToStop > 0) return false;
    tell(task, "is stopped in the middle of its turn");
    return true;
  }

  // ---- time ----------------------------------------------------------------------------------

  /** Each look takes a moment, so that a loop that waits for the clock ends. */
  @Override
  public long nanoTime() {
    return now += LOOK_NANOS;
  }

  @Override
  public long currentTimeMillis() {
    return EPOCH_MILLIS + (nanoTime() - BEGIN) / 1_000_000;
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    long until = nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
    do {
      if (Thread.interrupted()) throw new InterruptedException();
      LockSupport.parkNanos(until - now);
    } while (now < until);
  }

  @Override
  public long nextRandomLong() {
    return random.nextLong();
  }

  @Override
  public void leaked(String what, StackTraceElement where) {
    leaks.add(what + " at " + where);
  }

  /** Whether somebody's time has come. If only the clock's has, that is nobody's to choose. */
  private boolean isDue() {
    if (!sleeps.isEmpty() && sleeps.peek().until() <= now) return true;
    if (now < nextBeat) return false;
    if (directed.nextDeadline() <= now) return true;
    beat();
    return false;
  }

  private void beat() {
    nextBeat = now + BEAT_NANOS;
    directed.beat();
  }

  private void wakeDue() {
    while (!sleeps.isEmpty() && sleeps.peek().until() <= now) {
      Sleep sleep = sleeps.remove();
      if (sleep.over().complete(null)) sleep.action().run();
    }
    if (now >= nextBeat) beat();
  }

  /** Nobody can run: jumps to the next deadline. Returns false if there is none before the end. */
  private boolean letTimePass(long end) {
    directed.beat();
    if (!ready.isEmpty() || !chores.isEmpty() || comesFromMonitor()) return true;
    long next = nextDeadline();
    if (next >= end) return false;
    findDeadlock();
    now = Math.max(now, next);
    nextBeat = now;
    wakeDue();
    return true;
  }

  /** Among those that have begun to wait since it was last looked for. */
  private void findDeadlock() {
    for (Task task : begunToWait) {
      List<ActorRef<?>> circle = ended || mayDeadlock ? List.of() : DirectedSystem.circleFrom(task);
      if (!circle.isEmpty()) throw DeadlockException.of(circle, this::ranLast);
    }
    begunToWait.clear();
  }

  private long nextDeadline() {
    while (!sleeps.isEmpty() && sleeps.peek().over().isDone()) sleeps.remove();
    long next = directed.nextDeadline();
    return sleeps.isEmpty() ? next : Math.min(next, sleeps.peek().until());
  }

  /** The number of an actor's last turn. */
  private long ranLast(ActorRef<?> actor) {
    return lastRan.getOrDefault((Object) actor, 0L);
  }

  @Override
  public Future<?> schedule(Runnable action, long delayNanos) {
    var over = new CompletableFuture<Object>();
    long until = delayNanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + Math.max(0, delayNanos);
    sleeps.add(new Sleep(until, sleepsMade++, action, over));
    return over;
  }

  // ---- turns ---------------------------------------------------------------------------------

  /** Those that are late on their way, by sender and receiver: later ones do not overtake them. */
  private final Map<List<Object>, Long> arrivals = new HashMap<>();

  @Override
  public boolean sends(ActorRef<?> to, Object message, Runnable deliver) {
    if (story != null) story.sends(inHand instanceof Task task ? task.toString() : "", to, message);
    sent++;
    if (ended) return false;
    if (faults.loses(to)) {
      sent--;
      tell(to.path(), "never gets " + Story.describe(message));
      return true;
    }
    long delay = faults.delay(to);
    if (delay == 0 && arrivals.isEmpty()) return false;
    List<Object> way = List.of(Objects.requireNonNullElse(inHand, this), to);
    long arrives = Math.max(now + delay, arrivals.getOrDefault(way, 0L));
    if (arrives <= now) return false;
    arrivals.put(way, arrives);
    schedule(() -> arrive(deliver), arrives - now);
    return true;
  }

  /** Nobody waits any more to hear that there is no room for it. */
  private static void arrive(Runnable deliver) {
    try {
      deliver.run();
    } catch (MailboxFullException | MailboxDeadlockException full) {
      // The story tells it.
    }
  }

  @Override
  public void becomesMessage(ActorRef<?> actor) {
    sent++; // nobody sent it, and it counts as one when it is handled
  }

  @Override
  public void refused(ActorRef<?> to, Object message) {
    sent--;
    tell(to.path(), "refuses " + Story.describe(message));
  }

  @Override
  public void begins(ActorRef<?> actor, Object message) {
    mix(actor.path().hashCode());
    mix(Story.nameOf(message.getClass()).hashCode());
    mix(now);
    if (story != null) story.handles(now, actor, message);
    if (!ended) faults.turnBegins(actor);
  }

  @Override
  public void ends(ActorRef<?> actor, Object message) {
    faults.turnEnds(actor);
  }

  @Override
  public void failed(ActorRef<?> actor, Object message, Throwable cause) {
    mix(cause.getClass().getName().hashCode());
    tell(actor.path(), "throws " + cause);
  }

  @Override
  public void says(String text) {
    tell("", text);
  }
}
