package io.turnwise.internal.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A machine with as many processors as one likes, on one thread and on virtual time. Each worker
 * has a processor of its own and is always run by it.
 *
 * <p>What is real: {@link Scheduler}, {@link RunQueue} with ring, wheel, slot, inbox and injector,
 * {@link IdleWorkers}, {@link SliceWatch}, {@link LongSlice}, {@link Seat}. What is simulated: the
 * code of the actors (how long a turn takes, and whom it writes to), the loop of a worker's thread
 * with its fibers, and time. Things happen in the order of their times; what happens at the same
 * time, in the order in which it was arranged. A step (to pick, to look round, to end a slice) is
 * not interrupted by another worker's, so what only happens in the middle of a step, such as two
 * workers that reach for one word, does not happen here.
 */
final class SimulatedMachine {
  /** What things take, in ns. docs/scale.md says where each comes from. */
  record Costs(
      int slice,
      int send,
      int clock,
      int look,
      int move,
      int spin,
      int poll,
      int stop,
      int goOn,
      int unpark,
      int wake) {
    static final Costs MEASURED =
        new Costs(40, 10, 25, 10, 300, 420, 1_000, 1_000, 1_000, 6_000, 50_000);
  }

  /** What was counted. */
  static final class Tally {
    long wakes;
    long vainWakes;
    long looks;
    long searchNanos;
    long migrations;
    long slices;
    long requests;
    long flagUpNanos;
  }

  private record Event(long at, long number, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(number, other.number);
    }
  }

  private static final int TICK_NANOS = 1_000_000;

  final Costs costs;
  final SplittableRandom random;
  final Scheduler scheduler;
  final List<SimulatedActor> actors = new ArrayList<>();
  Tally tally = new Tally();

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Tick tick;
  private long eventsArranged;

  /** The time of whoever is at work in the present step. */
  private long now;

  private int openRequests;
  private long flagSince;

  SimulatedMachine(int workers, long seed) {
    this(workers, seed, Costs.MEASURED);
  }

  SimulatedMachine(int workers, long seed, Costs costs) {
    this.costs = costs;
    this.random = new SplittableRandom(seed);
    this.tick = new Tick(this::readClock);
    this.scheduler =
        new Scheduler(
            "simulated",
            workers,
            workers,
            tick,
            (scheduler, index) -> new SimulatedWorker(this, scheduler, index),
            () -> {},
            _ -> {});
    for (int i = 0; i < workers; i++) worker(i).begin();
    at(TICK_NANOS, this::tick);
  }

  SimulatedWorker worker(int index) {
    return (SimulatedWorker) scheduler.worker(index);
  }

  int workers() {
    return scheduler.workerCount();
  }

  long now() {
    return now;
  }

  /** To read the clock takes time as well. */
  private long readClock() {
    now += costs.clock;
    return now;
  }

  /** Whoever is at work in this step is busy for so long. */
  void spend(long nanos) {
    now += nanos;
  }

  void at(long time, Runnable what) {
    events.add(new Event(time, eventsArranged++, what));
  }

  /** Lets everything happen that happens before that time. */
  void runUntil(long time) {
    for (Event next; (next = events.peek()) != null && next.at < time; ) {
      events.remove();
      now = next.at;
      next.what.run();
    }
    now = time;
  }

  private void tick() {
    long began = now;
    at(began + TICK_NANOS, this::tick);
    tick.advanceTo();
    scheduler.tick();
    if (scheduler.wantsLook()) at(began + TICK_NANOS / 4, scheduler::lookAgain);
  }

  // ---- actors ----------------------------------------------------------------------------------

  <A extends SimulatedActor> A add(A actor) {
    actors.add(actor);
    return actor;
  }

  /** A thread that is no worker sends a message whose turn takes so long. */
  void sendFromOutside(SimulatedActor to, long turnNanos) {
    if (to.receive(now, turnNanos)) enqueue(to, null, false);
  }

  /** A turn sends one. */
  void send(SimulatedWorker from, SimulatedActor to, long turnNanos) {
    spend(costs.send);
    from.seat.sends(to);
    if (to.receive(now, turnNanos)) enqueue(to, from.queue, from.seat.isStreaming());
  }

  private void enqueue(SimulatedActor to, @Nullable RunQueue from, boolean streams) {
    if (scheduler.enqueueFrom(from, to, streams)) scheduler.rouse(to);
  }

  // ---- what workers tell -----------------------------------------------------------------------

  /** One queue or worker was looked at, in passing. */
  void lookedAt() {
    tally.looks++;
    now += costs.look;
  }

  /** After a slice was charged: what it may be owed, and what it may owe. */
  void checkCredit(Task task) {
    leastCredit = Math.min(leastCredit, task.credit);
    if (task.credit != Integer.MAX_VALUE) mostCredit = Math.max(mostCredit, task.credit);
  }

  int leastCredit;
  int mostCredit;

  void requestOpened() {
    tally.requests++;
    if (openRequests++ == 0) flagSince = now;
  }

  void requestClosed() {
    if (--openRequests == 0) tally.flagUpNanos += now - flagSince;
  }

  /** Begins to count anew, as if everything began now. */
  void countFromHere() {
    tally = new Tally();
    flagSince = now;
    for (int i = 0; i < workers(); i++) worker(i).countFromHere();
    for (SimulatedActor actor : actors) actor.ranBefore = actor.ran(now);
  }

  long steals() {
    long steals = 0;
    for (int i = 0; i < workers(); i++)
      steals += worker(i).counters.steals - worker(i).stealsBefore;
    return steals;
  }

  void close() {
    scheduler.stop();
    scheduler.letGo();
  }
}
