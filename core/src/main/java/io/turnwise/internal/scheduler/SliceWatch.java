package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.ThreadMeter;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the ticking thread sees of one worker: a slice that lasts, who waits behind it, and whose
 * time it is. Its fields are that thread's own, unless they say otherwise.
 */
final class SliceWatch {
  /**
   * A slice that was asked to stop, and has not after so many ticks, is stuck: in native code or in
   * code that is not woven; unless its thread was not run meanwhile.
   */
  private static final int TICKS_TO_ANSWER = 8;

  /** After so many it is left alone for a while. */
  private static final int TICKS_TO_REST = 12;

  private static final int ASK_AGAIN = 32;

  /** If it lasts so long, a person should know. */
  private static final int TICKS_TO_REPORT = 100;

  private static final int CALM = 100;

  private final Worker worker;
  private final Scheduler scheduler;
  private final RunQueue queue;

  /** When the slice in hand was found stuck. Written before {@code stuck}; observers look. */
  private int stuckTick;

  /** What the ticking thread saw when it last looked. Its own; observers look. */
  private int picksLastSeen;

  /** Whether anything was in hand then, when that was, and how often the worker had slept. */
  private boolean worked;

  private int tickLastSeen;
  private long parksLastSeen;

  /** When the slice in hand then began, if it is measured, and what its task had used before. */
  private long startLastSeen;

  private long ranLastSeen;

  private final Account account = new Account();
  private @Nullable Thread sampledThread;

  /** Ticks since somebody with credit was seen waiting. */
  private int calmTicks;

  /** The slice that had just begun at the last tick is to be looked at before the next one. */
  private boolean wantsLook;

  /** When that was. Others look. */
  private long lastLook;

  private int ticksUnanswered;
  private final Responsiveness asked = new Responsiveness();

  SliceWatch(Worker worker) {
    this.worker = worker;
    this.scheduler = worker.scheduler;
    this.queue = worker.queue;
  }

  /**
   * Whether the turn in hand is the one that was found stuck: not a later one of the same slice.
   * Any thread; a look, no more.
   */
  boolean isStuckIn(Seat seat) {
    return queue.stuck && queue.slice() == picksLastSeen && seat.turnTick() - stuckTick < 0;
  }

  /** The ticking thread, once a tick: does something wait behind a slice that does not end? */
  boolean noticeOverdue(long now) {
    int slice = queue.slice();
    boolean unmoved = slice == picksLastSeen;
    lastLook = now; // first: see noticeLasting
    picksLastSeen = slice;
    sample(unmoved, now);
    boolean overdue = unmoved && queue.hasWaiting();
    queue.overdue = overdue;
    wantsLook = !unmoved && mayBecomeLong(slice);
    if (unmoved) {
      watch(slice, now, now - scheduler.tick.length());
    } else {
      ticksUnanswered = 0;
      queue.stuck = false;
      if (queue.longSlice.isAskedInVain(queue.slice()))
        worker.answerStop(); // it has ended by itself
      watchYoung(slice, now);
    }
    return overdue;
  }

  /**
   * Whether somebody waits behind a slice that has begun since the last tick. It may be over soon,
   * and mostly is; but if it is not, whoever waits should not have to wait for two ticks.
   */
  private boolean mayBecomeLong(int slice) {
    if (!queue.othersWait() || queue.longSlice.is(slice)) return false;
    Task task = worker.seenInHand();
    return task != null && !task.brief && task.isPreemptible();
  }

  /**
   * Any thread that has queued something and finds nobody free: a slice that the last tick has
   * seen, and that is still there, is long. The next tick would say so as well, but that may be a
   * while. If the owner or the ticking thread names another meanwhile, that stays; it may be taken
   * for older than it is.
   */
  void noticeLasting() {
    if (scheduler.director != null) return; // its slices have no numbers
    int named = queue.longSlice.named();
    int slice = queue.slice();
    if (slice != picksLastSeen || named == slice) return;
    Task task = worker.seenInHand();
    if (task == null || task.brief || !task.isPreemptible()) return;
    long seen = lastLook;
    if (scheduler.tick.nanoTime() - seen >= LASTING_NANOS)
      queue.longSlice.beginInPlaceOf(named, slice, seen);
  }

  private static final int LASTING_NANOS = 100_000;

  /** Whether a look before the next tick is wanted. */
  boolean wantsLook() {
    return wantsLook;
  }

  /** The ticking thread, between two ticks: is it still the slice that had just begun? */
  void lookAgain(long now) {
    if (!wantsLook) return;
    wantsLook = false;
    int slice = queue.slice();
    if (slice == picksLastSeen) watch(slice, now, lastLook);
  }

  /** The ticking thread: somebody's slice runs, or nobody's. */
  private void sample(boolean unmoved, long now) {
    Task inHand = worker.seenInHand();
    int ticks = ticksOfWork(unmoved, inHand != null);
    account.ranTicks += ticks;
    Fiber fiber = worker.seenFiber();
    if (ticks == 0 || inHand instanceof ForeignTask || fiber == null) {
      startLastSeen = 0; // what its actor used is measured
      return;
    }
    // Brief tasks have no account until one of these ticks hits them.
    Account of = Objects.requireNonNull(inHand).accountIfPossible();
    if (of == null) {
      startLastSeen = 0;
      return;
    }
    if (!fiber.isTimed()) of.ranTicks += ticks;
    seeMeasured(fiber, of, unmoved, now);
  }

  /**
   * Whoever is in hand pays for the time since the last tick, which may have been late; unless
   * there was nobody then, or the worker has slept: nobody knows for how long.
   */
  private int ticksOfWork(boolean unmoved, boolean works) {
    int tick = scheduler.tick.now();
    long parks = worker.counters.parks;
    boolean throughout = worked && (unmoved || parks == parksLastSeen && !queue.isSpare());
    int passed = throughout ? Math.max(1, tick - tickLastSeen) : 1;
    worked = works;
    tickLastSeen = tick;
    parksLastSeen = parks;
    return works ? passed : 0;
  }

  /**
   * A slice that is measured is booked when it ends; one that lasts is to be seen before. Its
   * thread may be booking it right now, and the two fields of a slice that has just begun may not
   * fit together. So only if it is in a handler, and both are what they were at the last tick.
   */
  private void seeMeasured(Fiber fiber, Account of, boolean unmoved, long now) {
    long start = fiber.isTimed() && fiber.isInHandler() ? fiber.startedAt() : 0;
    long ran = of.ranNanos;
    if (unmoved && start != 0 && start == startLastSeen && ran == ranLastSeen)
      of.seenNanos = ran + (now - start);
    startLastSeen = start;
    ranLastSeen = ran;
  }

  /** The ticking thread, for one worker after another: what its thread has used since last time. */
  void sampleThread() {
    Thread own = worker.thread;
    if (own == null) return;
    try {
      sample(own);
    } catch (OutOfMemoryError e) { // what it used meanwhile is nobody's; the tick goes on
      sampledThread = null;
    }
  }

  private void sample(Thread own) {
    long cpu = ThreadMeter.cpuNanos(own);
    long bytes = ThreadMeter.allocatedBytes(own);
    Task task = actorInHand();
    if (own == sampledThread && task != null) {
      Account of = task.account();
      of.cpuNanos += cpu - account.cpuNanos;
      of.allocatedBytes += bytes - account.allocatedBytes;
    }
    sampledThread = own;
    account.cpuNanos = cpu;
    account.allocatedBytes = bytes;
  }

  /** Whose turn runs, or whose thread. */
  private @Nullable Task actorInHand() {
    Task task = worker.seenInHand();
    return task instanceof ForeignTask started ? started.threads.owner() : task;
  }

  Account account() {
    account.preemptions = worker.counters.preemptions;
    account.waitedTicks = worker.counters.waitedTicks;
    return account;
  }

  /** The ticking thread: a slice has lasted since then, unless the worker sleeps. */
  private void watch(int slice, long now, long since) {
    Task task = worker.seenInHand();
    if (task == null) return;
    if (!task.isPreemptible() && !worker.retiring) {
      watchUnasked();
      return;
    }
    LongSlice longSlice = queue.longSlice;
    if (!longSlice.is(slice)) longSlice.begin(slice, since);
    long lasted = now - longSlice.since();
    if (longSlice.isAsked(slice)) {
      // Where it cannot stop, everybody else would look at the flag for nothing: rest a while.
      int ticks = ++ticksUnanswered % ASK_AGAIN;
      if (ticks == 1) asked.watch(worker.thread);
      if (ticks == TICKS_TO_ANSWER) {
        if (asked.hadItsChance()) becomeStuck();
        else ticksUnanswered--; // the machine has not run it: look again at the next tick
      }
      if (ticks == TICKS_TO_REST) {
        longSlice.refuse(slice); // nor is anybody else to ask it meanwhile, or it itself
        worker.answerStop();
      }
    } else if (ticksUnanswered > 0 || longSlice.isRefused(slice)) {
      countUnanswered();
      if (ticksUnanswered % ASK_AGAIN == 0) {
        longSlice.forgetRefusal();
        worker.askToStop();
      }
    } else if (isOver(task, lasted)) {
      worker.askToStop();
    }
    if (!queue.stuck) return;
    scheduler.relieve();
    if (ticksUnanswered == TICKS_TO_REPORT) {
      Fiber fiber = worker.seenFiber();
      Thread code = task instanceof ForeignTask || fiber == null ? worker.thread : fiber.thread();
      if (code != null) scheduler.spares().sayStuck(worker, task, code);
    }
  }

  /**
   * The ticking thread: a slice that has begun since the last tick. If it goes on with a long turn,
   * it is known when it began; to wait for the next tick would give each a tick more than its
   * quantum.
   */
  private void watchYoung(int slice, long now) {
    LongSlice longSlice = queue.longSlice;
    if (!longSlice.is(slice) || longSlice.isAsked(slice) || longSlice.isRefused(slice)) return;
    Task task = worker.seenInHand();
    if (task != null && task.isPreemptible() && isOver(task, now - longSlice.since()))
      worker.askToStop();
  }

  /** Whether a slice that has lasted so long is to end. */
  private boolean isOver(Task task, long lasted) {
    return someoneWaits()
        || worker.retiring
        || Share.of(task).isSpentWith(scheduler, lasted)
        || Share.of(task).settles()
        || (queue.isSpare()
            && (scheduler.spares().isAnyOverdue() || !scheduler.spares().areNeeded()))
        || ((queue.wheel.size() > 0 || scheduler.mayHelp()) && lasted >= left(task));
  }

  /** A slice that nobody may stop: who waits behind it is helped as if it could not be stopped. */
  private void watchUnasked() {
    if (queue.stuck) {
      scheduler.relieve();
    } else if (ticksUnanswered > 0 || someoneWaits() || queue.wheel.size() > 0) {
      countUnanswered();
    }
  }

  /** Another tick of a slice that was asked in vain, or is not to be asked. */
  private void countUnanswered() {
    if (++ticksUnanswered == 1) asked.watch(worker.thread);
    if (queue.stuck || ticksUnanswered < TICKS_TO_ANSWER) return;
    if (asked.hadItsChance()) becomeStuck();
    else ticksUnanswered--; // the machine has not run it: look again at the next tick
  }

  private void becomeStuck() {
    if (!queue.stuck) stuckTick = scheduler.tick.now();
    queue.stuck = true;
    scheduler.relieve();
  }

  private boolean someoneWaits() {
    boolean waits = queue.othersWait();
    calmTicks = waits ? 0 : Math.min(CALM, calmTicks + 1);
    return waits;
  }

  /**
   * What the slice in hand may still use: twice as much while only a few wait that use their whole
   * quantum as well, because nobody gains from switching between them; and hardly anything while a
   * fiber waits for a lock that one of those may have. The ticking thread reads another's field: a
   * guess.
   */
  private int left(Task task) {
    int left = Math.max(Seat.MIN_SLICE_NANOS, Math.min(task.credit, queue.quantumOf(task)));
    // Half a tick, or what went on just after one would be found too young at the next.
    if (scheduler.isLockWanted()) return Math.min(left, scheduler.tick.length() / 2);
    return calmTicks < CALM || queue.isCrowdedFor(task) ? left : 2 * left;
  }
}
