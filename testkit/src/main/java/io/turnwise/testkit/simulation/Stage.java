package io.turnwise.testkit.simulation;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.internal.cell.Audit;
import io.turnwise.internal.cell.DirectedSystem;
import io.turnwise.internal.cell.TurnWitness;
import io.turnwise.internal.door.JdkDoor;
import io.turnwise.internal.door.UnblockerBarrier;
import io.turnwise.internal.scheduler.Director;
import io.turnwise.internal.scheduler.Runner;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.scheduler.Task;
import io.turnwise.internal.weaving.World;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxDeadlockException;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
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

  /** While a system ends that does not by itself: it is killed soon. */
  private static final long LAST_TURN_NANOS = 1_000_000;

  /** The first second of 2026, in UTC. */
  private static final long EPOCH_MILLIS = 1_767_225_600_000L;

  private static final long BEAT_NANOS = 1_000_000;

  /** After so many polls a turn is stopped in any case: it may be endless. */
  private static final int MOST_POLLS = 10_000;

  /** One that is stopped so many times less often than there may be turns is endless. */
  private static final int TURNS_FOR_A_LONG_ONE = 1_000;

  /** So long it has taken then. */
  private static final long LONG_TURN_NANOS = 1_000_000;

  /** How long the end of a system may take, in its own time. */
  private static final Duration END = Duration.ofMinutes(1);

  /** The JVM's own thread that wakes who waits for a monitor. */
  private static final String UNBLOCKER = "VirtualThread-unblocker";

  /** Any moment would do; this one is easy to know in a log. */
  private static final long BEGIN = Duration.ofDays(1).toNanos();

  private record Arrival(@Nullable Thread waiter, Runnable goOn) {}

  private final SimulationPlan plan;
  private final Chooser chooser;
  private final Schedule chosen = new Schedule();
  private final @Nullable Story story;

  /** What user code draws. Apart from the choices: the code draws the same whatever is chosen. */
  private final SplittableRandom random;

  final Faults faults = new Faults(this::choose);
  private final Leaks leaks = new Leaks();

  /** Threads in the middle of something, with their tasks, and those of them that are new here. */
  private final Map<Thread, Task> waiting = new LinkedHashMap<>();

  private final List<Thread> begunToWait = new ArrayList<>();

  /** Threads in the middle of something whose actors were sent something meanwhile. */
  private final Set<Thread> sentTo = new LinkedHashSet<>();

  /** Threads in circles from which somebody else might help. */
  private final Set<Thread> suspects = new LinkedHashSet<>();

  /** Threads that wait for a monitor or in one, and the number of the wait. */
  private final Map<Thread, Integer> atMonitors = new HashMap<>();

  private final ConcurrentLinkedQueue<Arrival> arrivals = new ConcurrentLinkedQueue<>();
  private final Tallies tallies = new Tallies(BEGIN);
  private final Ready ready = new Ready();
  private final ArrayDeque<Task> chores = new ArrayDeque<>();

  /** Those that could run and stand still, in the order in which they began to. */
  private final Set<Task> held = new LinkedHashSet<>();

  /** Those that have stood still, and have not run since. */
  private final Set<Task> released = new HashSet<>();

  private final PriorityQueue<Sleep> sleeps = new PriorityQueue<>();
  private final DirectedSystem directed;
  private final Audit audit;
  private long now = BEGIN;

  /** In milliseconds: how far the clock on the wall has jumped. */
  private long wallShift;

  private long nextBeat = BEGIN;
  private long turns;
  private long mostTurns;
  private long sent;
  private final AtomicLong sentOutside = new AtomicLong();
  private long sleepsMade;
  private int waitsMade;
  private @Nullable UnblockerBarrier barrier;
  private final Thread driver = Thread.currentThread();
  private long hash = 0xCBF29CE484222325L;

  /** Whose slice runs, or ran last. */
  private @Nullable Task inHand;

  /** A chosen slice runs, and no chore. */
  private boolean inTurn;

  /** Who is next: chosen on a fiber that could not run it. */
  private @Nullable Task picked;

  /** Whether the run goes on after the step in hand. */
  private BooleanSupplier wanted = () -> false;

  private Tallies.@Nullable Tally tally;

  /** Of the slice in hand: whether it was decided where it is stopped, and where. */
  private boolean polled;

  /** Of the slice in hand: the last timed wait that it began. */
  private @Nullable Sleep sleptFor;

  /** Of the slice in hand: whether it is stopped where it could go on. */
  private boolean stopped;

  private @Nullable EndlessException endless;

  /** The first time that something outside was refused. */
  private @Nullable RefusedException refused;

  /** Code that runs is no part of the run. */
  private boolean aside;

  private boolean ended;
  private boolean closed;
  private boolean mayDeadlock;

  /** Set by the code that is tried, looked at when it has returned. */
  boolean closesInTheMiddle;

  private int pollsToStop;
  private int polls;

  Stage(SimulationPlan plan, long seed, Chooser chooser, @Nullable Story story) {
    this.plan = plan;
    this.mostTurns = plan.maxTurns();
    this.random = new SplittableRandom(seed);
    this.chooser = chooser;
    this.story = story;
    if (story != null) story.beginAt(now, () -> hash);
    directed =
        DirectedSystem.open(
            "simulation", plan.system().withWorkers(1).withThroughput(1), () -> now, this, this);
    audit = directed.audit();
  }

  ActorSystem system() {
    return directed.system();
  }

  /** Nothing can happen any more, unless somebody outside does something. */
  DeadlockException stuck() {
    var circle = new Circle(waiting, directed);
    List<String> lines = new ArrayList<>();
    for (Thread thread : waiting.keySet()) lines.add(sentence(thread, circle.describe(thread)));
    String outside = leaks.describe("\n    ");
    if (!outside.isEmpty())
      lines.add("What is outside has no part in a simulation, and this was used:" + outside);
    return DeadlockException.of(lines);
  }

  /**
   * At the end of the code: whether some actor is in the middle of a turn that nothing will ever
   * end. Threads may wait for work that does not come, and nobody minds.
   */
  boolean isStuck() {
    return !mayDeadlock
        && !plan.inputOutput()
        && nextDeadline() == Long.MAX_VALUE
        && waiting.values().stream().anyMatch(task -> task instanceof ActorRef<?>);
  }

  Outcome outcome(long seed) {
    return new Outcome(
        seed, chosen.trimmed().toString(), turns, Duration.ofNanos(now - BEGIN), hash);
  }

  long turns() {
    return turns;
  }

  Schedule chosen() {
    return chosen.trimmed();
  }

  /** What must hold while nobody runs, and does not; empty: all is well. Before the close. */
  String defectsAtRest() {
    List<Task> here = new ArrayList<>(ready);
    if (picked != null) here.add(picked);
    here.addAll(chores);
    here.addAll(held);
    return sentences(audit.lookWhileOpen(here));
  }

  private static String sentences(List<String> defects) {
    return defects.isEmpty() ? "" : String.join(" ", defects) + " ";
  }

  /** What must hold after every run, and does not; empty: all is well. After the close. */
  String defects() {
    var found = new StringBuilder();
    SystemSnapshot seen = system().snapshot();
    long accounted = seen.messagesHandled() + seen.messagesFailed() + seen.deadLettersTotal();
    long all = sent + sentOutside.get();
    if (accounted != all)
      found.append(
          "%d messages were sent and %d handled, failed or dead letters. "
              .formatted(all, accounted));
    if (seen.workersReplaced() != 0)
      found.append("%d workers died. ".formatted(seen.workersReplaced()));
    found.append(sentences(audit.lookAfterClose()));
    if (!ready.isEmpty() || !chores.isEmpty() || picked != null)
      found.append("Somebody can still run. ");
    return found.toString();
  }

  Duration time() {
    return Duration.ofNanos(now - BEGIN);
  }

  // ---- whose code sees it --------------------------------------------------------------------

  private static final Map<Thread, Stage> BY_DRIVER = new ConcurrentHashMap<>();

  /** Fibers are mounted on the thread that drives them, and none can be on one of their kind. */
  static void checkThread() {
    if (ofThisThread() != null)
      throw new IllegalStateException(
          "A simulation inside another one. [SIMULATION-NESTED]\n"
              + "  next:  run them one after the other");
    if (Thread.currentThread().isVirtual())
      throw new IllegalStateException(
          "A simulation on a virtual thread, which cannot carry others. [SIMULATION-THREAD]\n"
              + "  next:  run it on a platform thread");
  }

  /** The current thread drives this from now on, and code on its fibers sees this clock. */
  void enter() {
    BY_DRIVER.put(Thread.currentThread(), this);
    synchronized (BY_DRIVER) {
      World.findBy(Stage::ofThisThread);
    }
  }

  void leave() {
    if (barrier != null) barrier.close();
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
  Leaks leaks() {
    return leaks;
  }

  @Nullable RefusedException refused() {
    return refused;
  }

  // ---- what runs next ------------------------------------------------------------------------

  /** Runs while that is wanted. Returns false when nothing can happen any more. */
  boolean runWhile(BooleanSupplier more) {
    wanted = more;
    try {
      while (more.getAsBoolean()) if (!step() && !letTimePass(Long.MAX_VALUE)) return false;
      return true;
    } finally {
      wanted = () -> false;
    }
  }

  /** What follows is the end of the system: nothing is chosen or told any more. */
  void end() {
    ended = true;
    mostTurns = turns + plan.maxTurns();
    held.forEach(ready::add);
    held.clear();
    couriers.forEach(LockSupport::unpark);
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
    if (picked != null) {
      Task next = picked;
      picked = null;
      run(next);
      return true;
    }
    takeIn();
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
    if (++turns > mostTurns)
      endless = EndlessException.ofTurns(turns - 1, tallies.busySince(turns, now));
    if (endless != null && (!ended || turns > mostTurns)) throw endless;
    now += endless == null ? TURN_NANOS : LAST_TURN_NANOS;
    goWrong();
    Task next = takeChosen();
    boolean mayRun = ended || (!released.isEmpty() && released.remove(next));
    long stall = mayRun ? 0 : faults.stall(next);
    if (stall > 0) hold(next, stall);
    else run(next);
    return true;
  }

  /** The same where {@link #onlyChooses}. */
  private Task choose() {
    turns++;
    now += TURN_NANOS;
    return takeChosen();
  }

  private Task takeChosen() {
    int window = ended ? 1 : Math.min(WINDOW, ready.size());
    int index = window == 1 ? 0 : take(chooser.next(ready, window));
    return ready.take(index);
  }

  /** It could run, and does not get to for so long. */
  private void hold(Task task, long nanos) {
    tell(task, "stands still for " + Duration.ofNanos(nanos));
    held.add(task);
    schedule(
        () -> {
          if (!held.remove(task)) return;
          released.add(task);
          ready.add(task);
        },
        nanos);
  }

  /**
   * What threads outside have said since the last slice. Those who have got a monitor go by how
   * long they have waited: in which order the JVM says so depends on the machine.
   */
  private void takeIn() {
    if (!atMonitors.isEmpty()) {
      if (barrier == null) barrier = new UnblockerBarrier();
      barrier.await();
    }
    if (!arrivals.isEmpty()) {
      List<Arrival> all = new ArrayList<>();
      for (Arrival next; (next = arrivals.poll()) != null; ) all.add(next);
      all.sort(Comparator.comparingInt(next -> atMonitors.getOrDefault(next.waiter(), -1)));
      for (Arrival next : all) next.goOn().run();
    }
    directed.takeIn();
  }

  private boolean hasArrivals() {
    return !arrivals.isEmpty() || directed.hasArrivals();
  }

  private void run(Task first) {
    if (first.suspendedFiber() != null) tell(first, "goes on");
    Thread before = Director.threadOf(first);
    if (before != null) {
      if (!atMonitors.isEmpty()) atMonitors.remove(before);
      waiting.remove(before);
    }
    begin(first, before);
    inTurn = true;
    Director.run(first);
    inTurn = false;
    Task task = Objects.requireNonNull(inHand); // its fiber may have gone on with others
    if (!stopped) Objects.requireNonNull(tally).longStops = 0; // it has ended or waits
    boolean isActor = task instanceof ActorRef<?>;
    Thread after = isActor ? Director.threadOf(task) : before;
    if (after == null) {
      if (!isActor) tallies.forget(task); // it is run once
      return;
    }
    if (!after.isAlive()) {
      tallies.forget(after);
      return;
    }
    waiting.put(after, task);
    Sleep own = sleptFor;
    boolean wakesByItself = own != null && !own.isDone(); // else the JDK has cancelled it
    if (!wakesByItself) begunToWait.add(after);
    if (JdkDoor.isAtMonitor(after)) atMonitors.put(after, waitsMade++);
  }

  /**
   * @param thread on which it goes on; null if it has none in the middle of something
   */
  private void begin(Task task, @Nullable Thread thread) {
    polled = false;
    stopped = false;
    polls = 0;
    sleptFor = null;
    inHand = task;
    tally = tallies.begins(task, thread, turns, now);
    mix(tally.name());
  }

  /** Something that the test allows, and that nobody's turn does. */
  private void goWrong() {
    if (ended) return;
    ActorRef<?> victim = faults.victim();
    if (victim != null) {
      tell(victim.path(), "is killed");
      victim.kill();
    }
    long stall = faults.stall(this::untilDeadline);
    if (stall == 0) return;
    tell("", "the machine stands still for " + Duration.ofNanos(stall));
    now += stall;
    nextBeat = now;
    wakeDue();
  }

  /** Negative if there is none. */
  private long untilDeadline() {
    directed.beat();
    long next = nextDeadline();
    return next == Long.MAX_VALUE ? -1 : next - now;
  }

  private void tell(Object who, String what) {
    if (story != null) story.happens(now, who.toString(), what);
  }

  /** The same with words of the user's code. */
  private void tell(ActorRef<?> who, String what, Supplier<String> words) {
    if (story != null) story.happens(now, who.path(), what + aside(words));
  }

  /**
   * What an object says of itself is said by code of the user's, which is no part of the run: it
   * passes no polls, takes no time, draws nothing and is not ended. Else a run that is told would
   * take another course than one that is not.
   */
  private String aside(Supplier<String> words) {
    Seat seat = Seat.current();
    if (seat != null && !seat.mask(Duration.ofDays(1).toNanos())) seat = null; // masked already
    aside = true;
    try {
      return words.get();
    } catch (RuntimeException | StackOverflowError unsaid) {
      return "what throws " + unsaid.getClass().getName();
    } finally {
      aside = false;
      if (seat != null) seat.unmask();
    }
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
  public boolean isHere() {
    return JdkDoor.currentCarrier() == driver;
  }

  @Override
  public void arrives(@Nullable Thread waiter, Runnable goOn) {
    Thread by = Thread.currentThread();
    if (!by.getName().equals(UNBLOCKER))
      leaks.add("a turn was woken by a thread outside, " + by.getName(), turns);
    arrivals.add(new Arrival(waiter, goOn));
  }

  @Override
  public void ready(Task task) {
    if (DirectedSystem.isChore(task)) chores.add(task);
    else ready.add(task);
  }

  /**
   * To go idle is no choice. A choice is made here only where {@link #step} would do nothing else
   * than choose: it then does the same in the same order, and a run takes the same course whether
   * its fibers came back in between or not.
   */
  @Override
  public @Nullable Task nextHere(Runner scheduler) {
    if (!inTurn) return null; // it runs a chore
    Task idling = chores.peekLast();
    if (idling != null)
      return DirectedSystem.isIdling(idling) && Director.runsOn(idling, scheduler)
          ? chores.pollLast()
          : null;
    if (!onlyChooses()) return null;
    if (!stopped) Objects.requireNonNull(tally).longStops = 0; // its slice has ended
    Task next = choose();
    boolean needsNoThread = next instanceof ActorRef<?> && next.suspendedFiber() == null;
    if (needsNoThread && Director.runsOn(next, scheduler)) {
      begin(next, null);
      return next;
    }
    picked = next;
    return null;
  }

  /** Whether the next step is a turn like most: nobody outside, no fault and no clock to ask. */
  private boolean onlyChooses() {
    return !ready.isEmpty()
        && wanted.getAsBoolean()
        && !ended
        && atMonitors.isEmpty()
        && !hasArrivals()
        && now < nextBeat
        && !isSleepDue()
        && turns < mostTurns
        && endless == null
        && !faults.mayStrikeBetweenTurns();
  }

  /** On a thread of its own: it may block. Once all has ended, nobody would run that. */
  @Override
  public void errand(Runnable code) {
    if (closed) code.run();
    else directed.start(code);
  }

  @Override
  public boolean stopsHere(Task task) {
    if (aside) return false;
    if (!ended) faults.turnPolls(task);
    if (++polls >= (endless == null ? MOST_POLLS : 1)) {
      polls = 0;
      now += LONG_TURN_NANOS;
      noteLong(task);
      tell(task, "is stopped: its turn is long");
      return stopped = true;
    }
    if (!plan.preempts() || ended) return false;
    if (!polled) {
      polled = true;
      pollsToStop = take(chooser.polls());
    }
    if (pollsToStop == 0 || --pollsToStop > 0) return false;
    tell(task, "is stopped in the middle of its turn");
    return stopped = true;
  }

  /** A turn that is stopped again and again, and never waits, is endless. */
  private void noteLong(Task task) {
    Tallies.Tally own = Objects.requireNonNull(tally);
    if (endless != null) return;
    if (++own.longStops < Math.max(2, plan.maxTurns() / TURNS_FOR_A_LONG_ONE)) return;
    String handles = own.handles == null ? "" : " of " + Story.nameOf(own.handles);
    endless = EndlessException.ofOne(task, handles, (long) own.longStops * MOST_POLLS);
  }

  // ---- time ----------------------------------------------------------------------------------

  /** Each look takes a moment, so that a loop that waits for the clock ends. */
  @Override
  public long nanoTime() {
    return aside ? now : (now += LOOK_NANOS);
  }

  /**
   * What the clock on the wall shows. Where it may jump, it does so when it is read: nobody can
   * tell that from a jump at any moment since it was read before. Nothing of ours goes by it.
   */
  @Override
  public long currentTimeMillis() {
    long shows = EPOCH_MILLIS + (nanoTime() - BEGIN) / 1_000_000 + wallShift;
    long jump = ended || aside ? 0 : faults.clockJump(shows);
    if (jump == 0) return shows;
    wallShift += jump;
    tell("", "the clock on the wall jumps to " + Instant.ofEpochMilli(shows + jump));
    return shows + jump;
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
    return aside ? 0 : random.nextLong();
  }

  @Override
  public void leaked(String what, StackTraceElement where) {
    String leak = what + " at " + where;
    if (leaks.add(leak, turns) && isInInitialiser()) Leaks.keep(leak);
  }

  /** What an initialiser opens is opened once, for all runs; and a class whose fails is lost. */
  @Override
  public void opens(String what, StackTraceElement where) {
    if (plan.inputOutput() || aside || isInInitialiser()) {
      leaked(what, where);
      return;
    }
    var refusal = new RefusedException(what, Objects.requireNonNullElse(inHand, ""), turns, where);
    if (refused == null) refused = refusal;
    throw refusal;
  }

  private static boolean isInInitialiser() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("<clinit>")));
  }

  /** Whether somebody's time has come. If only the clock's has, that is nobody's to choose. */
  private boolean isDue() {
    if (isSleepDue()) return true;
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
    while (isSleepDue()) sleeps.remove().end();
    if (now >= nextBeat) beat();
  }

  private boolean isSleepDue() {
    Sleep first = sleeps.peek();
    return first != null && first.until <= now;
  }

  /** Nobody can run: jumps to the next deadline. Returns false if there is none before the end. */
  private boolean letTimePass(long end) {
    if (directed.hasNews()) directed.beat(); // else it knows of all deadlines
    if (!ready.isEmpty() || !chores.isEmpty() || hasArrivals()) return true;
    long next = nextDeadline();
    if (next >= end) return false;
    findDeadlock(next);
    now = Math.max(now, next);
    nextBeat = now;
    wakeDue();
    return true;
  }

  /**
   * Among those that have begun to wait since it was last looked for, save those whose time will
   * come, and those that somebody has sent to while they wait: a request that is forwarded may
   * close a circle. Nobody can run.
   *
   * <p>Who has deferred its answer may have left it to somebody who is in no circle. So a circle
   * with such a link is one when nothing happens any more before the first of its calls times out;
   * until then it is looked at again each time.
   *
   * @param next when something happens
   */
  void findDeadlock(long next) {
    if (!ended && !mayDeadlock) {
      if (!sentTo.isEmpty()) begunToWait.addAll(sentTo);
      sentTo.clear();
      if (!suspects.isEmpty()) begunToWait.addAll(suspects);
      suspects.clear();
      if (begunToWait.isEmpty()) return;
      var circle = new Circle(waiting, directed);
      for (Thread thread : begunToWait) {
        List<Circle.Link> found = waiting.containsKey(thread) ? circle.from(thread) : List.of();
        if (found.isEmpty()) continue;
        if (isSure(found, next)) throw DeadlockException.of(found, this::sentence);
        suspects.add(thread);
      }
    }
    begunToWait.clear();
  }

  private static boolean isSure(List<Circle.Link> circle, long next) {
    if (circle.stream().allMatch(Circle.Link::sure)) return true;
    return circle.stream().mapToLong(Circle.Link::until).min().orElse(0) <= next;
  }

  /** At the end of the code: time passes no more. */
  void findDeadlock() {
    directed.beat();
    findDeadlock(nextDeadline());
  }

  /** Who waits since when for what; and which step that is, where the run is told step by step. */
  private String sentence(Thread thread, String what) {
    Task task = waiting.get(thread);
    Tallies.Tally own = task instanceof ActorRef<?> ? tallies.of(task) : tallies.of(thread);
    int step = story == null ? 0 : story.lastStepOf(String.valueOf(task));
    return task
        + " waits since turn "
        + (own == null ? "0" : own.lastTurn())
        + " "
        + what
        + (step == 0 ? "" : ", in step " + step);
  }

  private long nextDeadline() {
    Sleep first = sleeps.peek();
    while (first != null && first.isDone()) {
      sleeps.remove();
      first = sleeps.peek();
    }
    long next = directed.nextDeadline();
    return first == null ? next : Math.min(next, first.until);
  }

  @Override
  public Future<?> schedule(Runnable action, long delayNanos) {
    long until = delayNanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + Math.max(0, delayNanos);
    var sleep = new Sleep(until, sleepsMade++, action);
    sleeps.add(sleep);
    sleptFor = sleep;
    return sleep;
  }

  // ---- turns ---------------------------------------------------------------------------------

  /** Messages that are late on their way, by sender and receiver. */
  private final Map<List<Object>, ArrayDeque<Late>> underWay = new HashMap<>();

  private record Late(long arrives, Runnable deliver) {}

  /** Threads that bring them. */
  private final Set<Thread> couriers = new LinkedHashSet<>();

  @Override
  public MailboxConfig roomOf(ActorRef<?> actor, MailboxConfig specified) {
    if (ended) return specified;
    MailboxConfig room = faults.roomOf(specified);
    if (!room.equals(specified))
      tell(actor.path(), "has room for " + room.capacity() + " messages");
    return room;
  }

  @Override
  public boolean sends(ActorRef<?> to, Object message, Runnable deliver) {
    if (!isHere()) {
      String by = Thread.currentThread().getName();
      leaks.add("a thread outside, " + by + ", sent to " + to.path(), turns);
      sentOutside.incrementAndGet();
      return false;
    }
    Thread inTheMiddle = (Object) to instanceof Task task ? Director.threadOf(task) : null;
    if (inTheMiddle != null) sentTo.add(inTheMiddle);
    if (story != null) story.sends(inHand instanceof Task task ? task.toString() : "", to, message);
    if (ended || !isLate(to, message, deliver)) {
      sent++;
      return false;
    }
    return true;
  }

  /** Whether it gets lost, or is under way for some time. It counts as sent when it arrives. */
  private boolean isLate(ActorRef<?> to, Object message, Runnable deliver) {
    if (faults.loses(to)) {
      tell(to, "never gets ", () -> Story.describe(message));
      return true;
    }
    long delay = faults.delay(to);
    if (delay == 0 && underWay.isEmpty()) return false;
    Object from = inHand instanceof ActorRef<?> ? inHand : Thread.currentThread();
    List<Object> way = List.of(from, to);
    ArrayDeque<Late> before = underWay.get(way);
    if (delay == 0 && before == null) return false;
    var late = new Late(now + delay, deliver);
    if (before != null) {
      before.add(late);
      return true;
    }
    underWay.put(way, new ArrayDeque<>(List.of(late)));
    directed.start(() -> carry(way));
    return true;
  }

  /**
   * Brings one message after the other, so that none overtakes another on the same way. On a thread
   * of its own: where there is no room, it waits. At the end all arrive at once.
   */
  private void carry(List<Object> way) {
    ArrayDeque<Late> bag = Objects.requireNonNull(underWay.get(way));
    couriers.add(Thread.currentThread());
    for (Late next; (next = bag.peek()) != null; bag.remove()) {
      while (!ended && now < next.arrives()) LockSupport.parkNanos(next.arrives() - now);
      sent++;
      try {
        next.deliver().run();
      } catch (MailboxFullException | MailboxDeadlockException full) {
        // Nobody waits any more to hear that; the story tells it.
      }
    }
    underWay.remove(way);
    couriers.remove(Thread.currentThread());
  }

  @Override
  public void arises(ActorRef<?> actor) {
    sent++;
  }

  @Override
  public void refused(ActorRef<?> to, Object message) {
    if (!isHere()) {
      sentOutside.decrementAndGet();
      return;
    }
    sent--;
    tell(to, "refuses ", () -> Story.describe(message));
  }

  @Override
  public void begins(ActorRef<?> actor, Object message) {
    mix(Contents.of(message));
    mix(now);
    if (tally != null) {
      tally.handles = message.getClass();
      tally.longStops = 0;
    }
    if (story != null) story.handles(now, actor, message, aside(() -> Story.describe(message)));
    if (ended) return;
    faults.turnBegins(actor);
    take(actor, faults.slowness(actor));
  }

  @Override
  public void answered(ActorRef<?> by, Object outcome) {
    if (isHere()) mix(Contents.of(outcome));
  }

  @Override
  public void ends(ActorRef<?> actor, Object message) {
    if (ended) return;
    take(actor, faults.slownessAfter(actor));
    faults.turnEnds(actor);
  }

  /** The handler takes so long, as if it slept: it can be ended meanwhile. */
  private void take(ActorRef<?> actor, long nanos) {
    if (nanos == 0) return;
    tell(actor.path(), "takes " + Duration.ofNanos(nanos));
    try {
      sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      Safepoint.poll(); // it may be that the turn is to end
    }
  }

  @Override
  public void failed(ActorRef<?> actor, Object message, Throwable cause) {
    mix(cause.getClass().getName().hashCode());
    tell(actor, "throws ", cause::toString);
  }

  @Override
  public void says(String text) {
    tell("", text);
  }
}
