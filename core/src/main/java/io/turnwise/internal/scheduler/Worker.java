package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.ThreadMeter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One platform thread and its queues.
 *
 * <p>A worker picks in this order: wake-up slot, ready ring or inbox (by turns), injector, wheel.
 * So that nobody waits for ever behind a source that never runs dry:
 *
 * <ul>
 *   <li>the slot gives at most {@link #SLOT_LIMIT} tasks in a row while anything else waits; then
 *       one of the others goes first;
 *   <li>every {@link #INJECTOR_TICK}th pick, and every pick after a slice that was cut short, looks
 *       at the injector first;
 *   <li>the wheel goes first when nothing came from it during {@link #WHEEL_TICKS} ticks and {@link
 *       #WHEEL_PICKS} picks; a long turn that goes on like this runs for at least {@link
 *       #DUE_LONG_NANOS};
 *   <li>a task in the ring uses up its credit and then goes to the wheel, behind everybody.
 * </ul>
 *
 * <p>Everything here is done by the worker's own thread, be it the platform thread or the fiber it
 * has mounted, unless a method says otherwise. Code of the runtime does not block, so the fiber
 * cannot move to another worker in the middle of it.
 */
class Worker {
  static final int SLOT_LIMIT = 3;
  static final int INJECTOR_TICK = 61;

  /** So many ticks and so many picks nothing came from the wheel: then something does. */
  private static final int WHEEL_TICKS = 2;

  private static final int WHEEL_PICKS = 127;

  /** Or so many picks, if time does not pass. */
  private static final int WHEEL_ANYWAY = 1 << 13;

  private static final int NO_SLICE = -1;

  /**
   * A turn that goes on after it was stopped is not stopped again before this. To stop and to go on
   * takes one or two microseconds; ten times that while the caches are cold.
   */
  private static final int LEAST_LONG_NANOS = 20_000;

  /** The same for one that others have kept waiting: else it would stand still beside them. */
  private static final int DUE_LONG_NANOS = 200_000;

  /** Of the time since a long slice began, this part may be spent on {@link #lookOnceMore}. */
  private static final int LOOK_PART = 8;

  private static final int MOST_LOOK_NANOS = 30_000;

  /** So often a look is repeated while another worker takes from the injector. */
  private static final int CLAIM_LOOKS = 100;

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

  private static final int LEAST_PART_NANOS = 1_000;

  private static final int SPARE_NAP_NANOS = 200_000;
  private static final int CALM = 100;

  private static final int INJECTOR_BATCH = 16;
  private static final int INBOX_BATCH = 64;
  private static final int LONG_LINE = 64;

  /** A line that takes less than this to serve is served before a sleeper is up. */
  private static final int WAKE_WORTH_NANOS = 50_000;

  private static final int STEAL_WORTH_NANOS = 20_000;

  /** What it costs to run a task on another core than the one whose cache it is in. */
  private static final int MOVE_NANOS = 300;

  private static final int LONG_NANOS = 100_000;

  /** One of so many spent tasks changes its worker. */
  private static final int MIX = 4;

  private static final int QUICK_NANOS = 2_000;
  private static final int FREE_FIBERS = 64;
  private static final int STEAL_ROUNDS = 2;
  private static final int MAX_SPINS = 256;
  private static final int SPIN_PAUSES = 16;
  private static final VarHandle SLOT;

  static {
    try {
      SLOT = MethodHandles.lookup().findVarHandle(Worker.class, "slot", Task.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Scheduler scheduler;
  final int index;

  /** Keeps nothing in queues of its own, and sleeps until it is deputised. */
  private final boolean isSpare;

  final Counters counters = new Counters();
  final ReadyRing ring = new ReadyRing();
  final TaskQueue inbox = new TaskQueue();
  final Wheel wheel = new Wheel();

  /** What the fiber leaves to the platform thread, or the platform thread to the fiber. */
  @Nullable Task handed;

  /** Set by the ticking thread when what waits here has waited for a whole tick. */
  volatile boolean overdue;

  /** The task whose turn was stopped last, or an older one. By its owner; others look. */
  @Nullable Task lastStopped;

  /** The thread that runs it now; another one after it died. */
  volatile @Nullable Thread thread;

  /** Being removed: gives everything away and ends. */
  volatile boolean retiring;

  /** Just woken by the task in hand. The owner fills it; owner or thief empties it by CAS. */
  private volatile @Nullable Task slot;

  private static final int ROUNDS_AT_A_TIME = 1 << 18;

  /** In tests without threads: a fiber runs about as many at a time as well. */
  private static final int DRIVEN_SLICES = 1 << 16;

  private final ArrayDeque<Fiber> freeFibers = new ArrayDeque<>();

  /** The fiber that is mounted, or the free one that was mounted last. Observers look as well. */
  private @Nullable Fiber current;

  /** The first of the free fibers: enough for two that call each other. */
  private @Nullable Fiber spare;

  private int slotRun;
  private int picks;
  private boolean cutShort;
  private int random;
  private int spinsThatPaid = 1;
  private int paceTick;
  private int pacePicks;

  /** How long slices took lately. A guess at first; the ticker sees to it if that is wrong. */
  private int sliceNanos = 5_000;

  private long wheelTurnBegan;
  private int wheelTurnFrom;

  /** How long the wheel's last full turn took, in ns. */
  private volatile long wheelTurnNanos;

  Worker(Scheduler scheduler, int index, boolean spare) {
    this.scheduler = scheduler;
    this.isSpare = spare;
    this.index = index;
    this.random = 0x9E3779B9 * (index + 1);
  }

  // ---- queueing ------------------------------------------------------------------------------

  /**
   * Takes in a task that the code in hand has just woken: into the slot if that is free and the
   * task has credit. Returns whether somebody should be woken for it. Nothing is called after the
   * task is in a queue (see {@link Runner}).
   */
  boolean admit(Task task) {
    task.queuedAt(scheduler.tick.now());
    if (task.pinned) {
      Worker home = scheduler.homeOf(task);
      home.inbox.push(task);
      return home != this;
    }
    if (isSpare) {
      scheduler.injector.push(task); // it keeps nothing: what is in its own queues nobody takes
      return true;
    }
    if (!hasCredit(task)) {
      wheel.add(task, task.refillAt);
      return scheduler.idle.sleepers > 0;
    }
    if (longSlice == picks) {
      scheduler.injector.push(task); // the slot would wait for the end of a slice that is long
      return true;
    }
    if (slot != null) return offer(task);
    SLOT.setRelease(this, task); // empty, and only we fill it
    return false;
  }

  /**
   * Into the ring, or the injector where it is full; with a long line here and a short one at
   * another worker drawn at random, over there. Returns whether to wake a sleeper.
   */
  private boolean offer(Task task) {
    if (ring.size() >= LONG_LINE) {
      Worker other = another();
      if (other != this && other.inbox.isEmpty() && 2 * other.queued() < ring.size()) {
        task.home = (short) other.index; // rouse wakes it, should it sleep
        other.inbox.push(task);
        return scheduler.idle.sleepers > 0;
      }
    }
    boolean worthWaking = isLineLong(); // before: nothing is called after the push
    if (!ring.push(task)) scheduler.injector.push(task);
    return worthWaking && scheduler.idle.sleepers > 0;
  }

  /**
   * Queues a task whose slice ended by its number of messages after next to no time, and that sends
   * little itself. It is behind with its work and cheap, so it stays at hand, in the slot if that
   * is free: else those who send to it run more often than it does, and its mailbox grows.
   */
  void requeueAtHand(Task task) {
    if (isSpare || slot != null || task.pinned || scheduler.isStopped()) {
      requeue(task);
      return;
    }
    task.queuedAt(scheduler.tick.now());
    SLOT.setRelease(this, task);
  }

  /**
   * Moves a task that does little but send away from the worker that runs its receiver, if another
   * has a shorter line. One core then fills the mailbox while another empties it; where both do
   * both, they spend most of their time waiting for each other's cache.
   */
  boolean moveAway(Task task) {
    if (task.pinned || scheduler.isStopped()) return false;
    Worker other = another();
    if (other == this || other.ring.size() > ring.size() + 1) return false;
    task.queuedAt(scheduler.tick.now());
    task.home = (short) other.index;
    if (task.credit != Integer.MAX_VALUE)
      task.refillAt += other.wheel.position() - wheel.position();
    other.inbox.push(task);
    scheduler.wakeWorker(other);
    return true;
  }

  /** Queues a task whose slice ended with more to do, or whose fiber goes on after a yield. */
  void requeue(Task task) {
    task.queuedAt(scheduler.tick.now());
    cutShort = true;
    if (scheduler.isStopped()) scheduler.runAfterStop(task);
    else if (isSpare) scheduler.injector.push(task);
    else if (task.urgent) requeueUrgent(task);
    else if (task.pinned) requeuePinned(task);
    else if (task.brief) {
      if (offer(task)) scheduler.rouse(task);
    } else if (task.credit <= 0) requeueSpent(task);
    else requeueHeavy(task);
  }

  /** A turn that is to end: first of all, and not behind those that are busy. */
  private void requeueUrgent(Task task) {
    task.urgent = false;
    task.credit = Integer.MAX_VALUE; // or it would go to the wheel
    if (task.pinned) {
      requeuePinned(task);
    } else if (slot != null) {
      scheduler.injector.push(task);
    } else {
      slotRun = 0;
      cutShort = false;
      SLOT.setRelease(this, task);
    }
  }

  private void requeuePinned(Task task) {
    Worker home = scheduler.homeOf(task);
    if (home == this && task.credit <= 0) {
      wheel.add(task, wheel.position() + Wheel.SEGMENTS);
      return;
    }
    home.inbox.push(task);
    if (home != this) scheduler.wakeWorker(home);
  }

  /**
   * A task whose slice was long, with credit left, goes to the wheel's present segment: behind
   * those that are ready and those that come from outside, before those without credit.
   */
  private void requeueHeavy(Task task) {
    wheel.add(task, wheel.position());
    if (canSpare() && scheduler.idle.sleepers > 0) scheduler.wakeOne();
  }

  /** Whether the wheel has more than what this worker is about to run itself. Any thread. */
  boolean canSpare() {
    return wheel.movable() > 1 || (overdue && wheel.movable() > 0);
  }

  /**
   * A task that used its whole quantum goes one full turn of the wheel ahead, here or at a worker
   * drawn at random that has fewer such tasks. Now and then also at one that has as many: the
   * machine may run one worker's thread more than another's, and nobody is to stay behind for that.
   */
  private void requeueSpent(Task task) {
    Worker other = another();
    int here = wheel.size();
    int there = other.wheel.size();
    if (other != this && (there + 1 < here || (there <= here && nextRandom() % MIX == 0))) {
      task.home = (short) other.index;
      task.refillAt = other.wheel.position() + Wheel.SEGMENTS;
      other.inbox.push(task);
      scheduler.wakeWorker(other);
      return;
    }
    wheel.add(task, wheel.position() + Wheel.SEGMENTS);
    if (canSpare() && scheduler.idle.sleepers > 0) scheduler.wakeOne();
  }

  private Worker another() {
    return scheduler.worker(Math.floorMod(nextRandom(), scheduler.workerCount()));
  }

  /** Books time used against the task's credit. In whose hands the task is. */
  void book(Task task, int used) {
    int quantum = quantumOf(task);
    int owed = Math.min(task.takeOwed(scheduler.tick.now()), Integer.MAX_VALUE - used);
    int credit = Math.min(task.credit, quantum) - used - owed;
    task.credit = credit;
    Share share = task.share();
    if (share != null) share.charge(used);
    int fraction =
        (int) Math.min(Wheel.SEGMENTS, (long) Wheel.SEGMENTS * (quantum - credit) / quantum);
    task.refillAt = wheel.position() + Math.max(1, fraction);
  }

  /** Gives a woken task its credit back if its home's wheel has come round; says if it has any. */
  private boolean regainCredit(Task task) {
    Worker home = scheduler.homeOf(task);
    int ahead = task.refillAt - home.wheel.position();
    if (ahead <= 0) {
      task.credit = Integer.MAX_VALUE;
      return true;
    }
    if (home != this && !task.pinned) {
      task.refillAt = wheel.position() + Math.min(ahead, Wheel.SEGMENTS);
      task.home = (short) index;
    }
    return task.credit > 0;
  }

  /** Whether somebody with credit waits for this worker. From the fiber, between two messages. */
  boolean othersWait() {
    return slot != null || !ring.isEmpty() || !scheduler.injector.isEmpty() || !inbox.isEmpty();
  }

  // ---- picking -------------------------------------------------------------------------------

  @Nullable Task takeHanded() {
    Task task = handed;
    handed = null;
    return task;
  }

  /** The next task, or null when there is nothing in this worker's own queues and the injector. */
  @Nullable Task pick() {
    int pick = ++picks;
    if (isSpare) return pickAsSpare();
    if (scheduler.tick.now() != paceTick) keepPace();
    Task task = null;
    if (cutShort || pick % INJECTOR_TICK == 0) {
      cutShort = false;
      task = fromInjector();
    }
    if (task == null && (wheelDue || pick % WHEEL_ANYWAY == 0) && wheel.size() > 0) {
      wheelDue = false;
      task = fromWheel();
      if (task != null) dueSlice = pick;
    }
    if (task == null) task = fromSlot();
    if (task == null) task = (pick & 1) == 0 ? ring.pop() : fromInbox();
    if (task == null) task = (pick & 1) == 0 ? fromInbox() : ring.pop();
    if (task == null) task = fromInjector();
    if (task == null && slot != null) task = fromSlot(); // passed over for others that were gone
    if (task == null && scheduler.spins && wheel.size() > 0) task = lookOnceMore(pick);
    if (task == null) task = fromWheel();
    return task;
  }

  /**
   * Before a long turn goes on. It was stopped for others, and those are done; but whoever sent to
   * them may be about to send more, and that would have to wait until the long turn has gone on for
   * a while. So would what is in the injector while another worker takes from that, and what is in
   * another's ring.
   */
  private @Nullable Task lookOnceMore(int pick) {
    long now = 0;
    if (longSlice != NO_SLICE && longSlice != pick - 1) {
      longSlice = NO_SLICE;
      now = scheduler.tick.nanoTime();
      lookNanos = Math.min(MOST_LOOK_NANOS, (now - longSince) / LOOK_PART);
    }
    Task task = null;
    for (int i = 0; task == null && i < CLAIM_LOOKS && !scheduler.injector.isEmpty(); i++) {
      Thread.onSpinWait();
      task = fromInjector();
    }
    if (task == null) task = fromOtherRings();
    if (task != null || lookNanos <= 0) return task;
    long began = now == 0 ? scheduler.tick.nanoTime() : now;
    long spent;
    do {
      Thread.onSpinWait();
      task = fromInjector();
      if (task == null) task = fromOtherRings();
      spent = scheduler.tick.nanoTime() - began;
    } while (task == null && spent < lookNanos);
    lookNanos -= spent;
    return task;
  }

  /** What waits with credit at another worker, whose thread the machine may not be running. */
  private @Nullable Task fromOtherRings() {
    int n = scheduler.workerCount();
    for (int i = 0; i < n; i++) {
      Worker other = scheduler.worker(i);
      if (other == this || other.ring.isEmpty()) continue;
      int taken = other.ring.stealInto(ring);
      if (taken == 0) continue;
      counters.steals += taken;
      return ring.pop();
    }
    return null;
  }

  /** What is left of the time to look once more, since a long slice was last stopped. */
  private long lookNanos;

  /** At most once a tick: how long slices take here, on average. */
  private void keepPace() {
    int now = scheduler.tick.now();
    int slices = Math.max(1, picks - pacePicks);
    sliceNanos =
        (int)
            Math.min(Integer.MAX_VALUE, (long) (now - paceTick) * scheduler.tick.length() / slices);
    paceTick = now;
    pacePicks = picks;
    if (usedWheel) {
      usedWheel = false;
      ticksWithoutWheel = 0;
      wheelPick = picks;
    } else {
      wheelDue = ++ticksWithoutWheel >= WHEEL_TICKS && picks - wheelPick >= WHEEL_PICKS;
    }
  }

  /** Whether something came from the wheel since the tick last changed; and if not, since when. */
  private boolean usedWheel;

  private int ticksWithoutWheel;
  private int wheelPick;
  private boolean wheelDue;

  /** The slice that began because the wheel was due. */
  private int dueSlice = NO_SLICE;

  /** Whether it looks round so often that waking somebody else takes longer. Any thread. */
  boolean isQuick() {
    return sliceNanos < QUICK_NANOS;
  }

  /**
   * Whether to hand over what waits here would save so much time, given that each task costs the
   * other core some to fetch; or whether the line is long whatever that costs.
   */
  private boolean worth(int nanos) {
    long waiting = ring.size();
    return waiting * (sliceNanos - MOVE_NANOS) >= nanos || waiting * sliceNanos >= LONG_NANOS;
  }

  /** Whether what waits here is worth waking a sleeper for. */
  private boolean isLineLong() {
    return worth(WAKE_WORTH_NANOS);
  }

  private @Nullable Task fromSlot() {
    Task task = slot;
    if (task == null) {
      slotRun = 0;
      return null;
    }
    if (slotRun >= SLOT_LIMIT
        && !(ring.isEmpty() && scheduler.injector.isEmpty() && inbox.isEmpty())) {
      slotRun = 0;
      return null;
    }
    if (!SLOT.compareAndSet(this, task, null)) return null; // a thief was faster
    slotRun++;
    return task;
  }

  private @Nullable Task fromInbox() {
    Task task = inbox.tryPoll();
    if (task == null || hasCredit(task)) return task;
    wheel.add(task, task.refillAt);
    return null;
  }

  private @Nullable Task fromInjector() {
    TaskQueue injector = scheduler.injector;
    if (injector.isEmpty() || !injector.tryClaim()) return null;
    Task first;
    boolean more = false;
    try {
      first = injector.poll();
      // A batch, so that the claim is not taken for each; the rest can be stolen from the ring.
      for (int i = 1;
          first != null && i < INJECTOR_BATCH && ring.size() < ReadyRing.CAPACITY / 2;
          i++) {
        Task next = injector.poll();
        if (next == null) break;
        if (sentHome(next)) continue;
        if (hasCredit(next)) {
          ring.push(next);
          more = true;
        } else {
          wheel.add(next, next.refillAt);
        }
      }
    } finally {
      injector.release();
    }
    if (more && scheduler.idle.sleepers > 0 && isLineLong()) scheduler.wakeOne();
    if (first == null || sentHome(first)) return null;
    if (!hasCredit(first)) {
      wheel.add(first, first.refillAt);
      return null;
    }
    return first;
  }

  /** A pinned task comes this way when its worker was removed: on to the one that is now home. */
  private boolean sentHome(Task task) {
    if (!task.pinned) return false;
    Worker home = scheduler.homeOf(task);
    if (home == this) return false;
    home.inbox.push(task);
    scheduler.wakeWorker(home);
    return true;
  }

  private boolean hasCredit(Task task) {
    return task.credit == Integer.MAX_VALUE || regainCredit(task) || task.brief;
  }

  private @Nullable Task fromWheel() {
    // Somebody waits for a lock: whoever has it may be any of these, and must not wait for long.
    boolean anywhere = scheduler.isLockWanted() && (picks & 1) == 0;
    Task task = anywhere ? wheel.pollAnywhere() : wheel.poll();
    int others = wheel.size();
    while (task != null && (isPutOff(task) || waitsOneMoreTurn(task, others-- > 0)))
      task = wheel.poll();
    if (task != null) {
      usedWheel = true;
      // What it used too much, because nobody stops to the nanosecond, it has had already.
      if (task.credit <= 0)
        task.credit = Math.max(Seat.MIN_SLICE_NANOS, quantumOf(task) + task.credit);
      publishWheelTurn();
    }
    return task;
  }

  private boolean isPutOff(Task task) {
    Share share = task.share();
    if (share == null || !share.isSpent(scheduler)) return false;
    share.putOff(task);
    return true;
  }

  /**
   * A thread whose actor has many of them has only a small part of a quantum in each turn of the
   * wheel, and cannot be stopped after so short a time. What it used too much it pays for in the
   * next turns: else all of these together would get more than their actor's share.
   *
   * @param mayWait false if it is to run now in any case
   */
  private boolean waitsOneMoreTurn(Task task, boolean mayWait) {
    if (task.credit > 0 || !(task instanceof ForeignTask started)) return false;
    int part = quantumOf(task);
    started.unpaid = Math.max(0, started.unpaid - part);
    task.credit = part - started.unpaid;
    if (task.credit < 0 && mayWait && !scheduler.isLockWanted()) {
      wheel.add(task, wheel.position() + Wheel.SEGMENTS);
      return true;
    }
    task.credit = Math.max(Seat.MIN_SLICE_NANOS, task.credit);
    return false;
  }

  /**
   * A task's quantum, divided among its turns and its threads; or so that the shares that are busy
   * here get time by their weight, however many tasks each has: a round of the wheel is as long as
   * ever, and each share has its part of it.
   */
  private int quantumOf(Task task) {
    int quantum = task.quantum();
    if (!scheduler.hasShares()) {
      int sharers = task.sharers();
      return sharers == 1 ? quantum : Math.max(LEAST_PART_NANOS, quantum / sharers);
    }
    Share own = Share.of(task);
    long weights = 0;
    int tasks = 1;
    for (Share share : scheduler.shares()) {
      int count = wheel.count(share);
      tasks += count;
      if (count > 0 || share == own) weights += share.weight;
    }
    long part = (long) quantum * own.weight * tasks / (weights * (wheel.count(own) + 1));
    return (int) Math.max(4L * Seat.MIN_SLICE_NANOS, Math.min(part, 20L * quantum));
  }

  private void publishWheelTurn() {
    int moved = wheel.position() - wheelTurnFrom;
    if (moved < Wheel.SEGMENTS - 1) return;
    long now = scheduler.tick.nanoTime();
    if (wheelTurnBegan != 0) wheelTurnNanos = now - wheelTurnBegan;
    wheelTurnBegan = now;
    wheelTurnFrom = wheel.position();
  }

  long wheelTurnNanos() {
    return wheelTurnNanos;
  }

  int queued() {
    return ring.size() + wheel.size() + (slot == null ? 0 : 1);
  }

  // ---- the platform thread -------------------------------------------------------------------

  /** The life of the worker's platform thread. */
  void run() {
    if (isSpare) {
      runAsSpare();
      return;
    }
    while (!scheduler.isStopped() && !retiring) runForAWhile();
    giveAway();
  }

  /**
   * Returns now and then, so that the next call finds the newest compiled code. A frame that never
   * ends may sit in code that the compiler has replaced: then nobody corrects its calls any more,
   * and one that led to the interpreter at that moment does so for ever.
   */
  private void runForAWhile() {
    for (int i = 0; i < ROUNDS_AT_A_TIME; i++) {
      if (scheduler.isStopped() || retiring) return; // also while it has work: others take it over
      scheduler.faultPoint(FaultPoint.PICK);
      Task task = takeHanded();
      if (task == null) task = pick();
      if (task == null) {
        task = awaitWork();
        if (task == null) continue;
      }
      dispatch(task);
    }
  }

  /**
   * Runs what this worker has until it has nothing left, without waiting, or until that takes long:
   * whoever drives wants to look round now and then. Returns if it did any.
   */
  boolean runUntilIdle() {
    boolean any = false;
    driver = Thread.currentThread();
    long enough = counters.slices + DRIVEN_SLICES;
    while (counters.slices < enough) {
      Task task = takeHanded();
      if (task == null) task = pick();
      if (task == null) break;
      any = true;
      dispatch(task);
    }
    driver = null;
    return any;
  }

  /** In tests without threads: the one that runs it now. */
  volatile @Nullable Thread driver;

  final void dispatch(Task task) {
    if (task instanceof ForeignTask started) {
      runForeign(started);
      return;
    }
    Fiber fiber = fiberFor(task);
    try {
      fiber.mount(this);
      settle(fiber);
    } catch (Throwable broken) {
      current = null; // nobody knows what state it is in
      throw broken;
    }
    scheduler.faultPoint(FaultPoint.SETTLE);
  }

  private void runForeign(ForeignTask task) {
    counters.foreignSlices++;
    task.startedAt = scheduler.tick.nanoTime();
    if (task.credit == Integer.MAX_VALUE) task.unpaid = 0; // new, or forgiven: see regainCredit
    foreign = task;
    if (scheduler.isStopped()) askForeignToStop(); // it may have looked before we wrote
    else if (task.preempted) beginLong(task.startedAt);
    task.preempted = false;
    try {
      task.run();
    } finally {
      foreign = null;
      task.isOver();
      // It waits for something, or has ended: who starts or wakes next pays for it.
      if (!task.charged) {
        chargeForeign(task);
        if (task.unpaid >= Seat.BRIEF_NANOS) oweRest(task);
      }
    }
  }

  /** Books what a slice used. */
  private void chargeForeign(ForeignTask task) {
    task.charged = true;
    task.threads.ends();
    long used = scheduler.tick.nanoTime() - task.startedAt;
    task.brief = used < Seat.BRIEF_NANOS;
    bookForeign(task, used);
  }

  /**
   * The thread of the foreign slice in hand starts or wakes another of its actor's: that pays for
   * what was used so far. Else in a chain of them each would begin with nothing to pay.
   */
  void passOnDebt(ForeignTask task) {
    long now = scheduler.tick.nanoTime();
    long used = now - task.startedAt;
    if (task.unpaid + used < Seat.BRIEF_NANOS) return; // crumbs are for nothing, as with actors
    task.startedAt = now;
    bookForeign(task, used);
    oweRest(task);
    task.credit = Integer.MAX_VALUE;
  }

  private void bookForeign(ForeignTask task, long used) {
    task.threads.ran(used);
    // If nobody asked it to stop for so long, or nobody could, that is not held against it.
    int counted = (int) Math.min(used, 2L * task.quantum());
    task.unpaid = (int) Math.min(Integer.MAX_VALUE, (long) task.unpaid + counted);
    task.credit = quantumOf(task) - task.unpaid;
    task.refillAt = wheel.position() + Wheel.SEGMENTS;
    Share share = task.share();
    if (share != null) share.charge((int) Math.min(Integer.MAX_VALUE, used));
  }

  private void oweRest(ForeignTask task) {
    task.threads.owe(task.unpaid, scheduler.tick.now());
    task.unpaid = 0;
  }

  /** The platform thread, in the end of a foreign slice: its thread wants to go on. */
  void goOnLater(ForeignTask task, Runnable thread) {
    ForeignTask next = task.next(thread); // first: the JDK tries again if there is no memory for it
    chargeForeign(task);
    if (task.preempted) {
      counters.preemptions++;
      task.threads.preempted();
    }
    next.goesOnAfter(task);
    next.home = (short) index;
    requeue(next);
  }

  /** The thread of the foreign slice in hand, in a poll: lets others run. */
  void pauseForeign() {
    ForeignTask task = foreign;
    if (task == null) return;
    task.preempted = true;
    Thread.yield();
    task.preempted = false; // where it could not be unmounted; else this slice is over
  }

  /** The scheduler is stopped, and this worker is to end. Any thread. */
  void askForeignToStop() {
    if (foreign == null) return;
    longSince = scheduler.tick.nanoTime() - scheduler.tick.length();
    longSlice = picks;
    askToStop();
  }

  /** The fiber that holds the task's turn, or a free one. A task that gets none stays queued. */
  private Fiber fiberFor(Task task) {
    Fiber fiber;
    try {
      scheduler.faultPoint(FaultPoint.DISPATCH);
      fiber = task.suspended;
      if (fiber != null) keepFree();
      else fiber = freeFiber();
    } catch (Throwable broken) { // no memory for a fiber, say
      requeue(task);
      throw broken;
    }
    if (task.suspended == null) {
      handed = task;
    } else {
      if (!task.pinned) task.home = (short) index;
      fiber.moveTo(this);
      fiber.beginAgain(task);
    }
    if (current != fiber) current = fiber;
    return fiber;
  }

  /** After the fiber came back: it holds a task in the middle, is free, or has ended. */
  private void settle(Fiber fiber) {
    Task held = fiber.task;
    if (held != null) {
      counters.suspensions++;
      current = null; // before: afterwards the fiber may run elsewhere
      fiber.settleSuspended();
    } else if (fiber.isRetired()) {
      current = null;
    } else {
      fiber.settleFree();
    }
  }

  private void keepFree() {
    Fiber fiber = current;
    if (fiber == null) return;
    current = null;
    if (spare == null) spare = fiber;
    else freeFibers.push(fiber);
  }

  private Fiber freeFiber() {
    Fiber fiber = current;
    if (fiber == null) {
      fiber = spare;
      spare = null;
    }
    if (fiber == null) fiber = freeFibers.poll();
    if (fiber == null) fiber = new Fiber(scheduler, this);
    return fiber;
  }

  /** Asked by a fiber that is about to become free while another takes its place. */
  boolean hasEnoughFibers() {
    return freeFibers.size() >= FREE_FIBERS;
  }

  /** The fiber that runs this task here now, or null. Any thread; a look, no more. */
  @Nullable Fiber fiberOf(Task task) {
    Fiber fiber = current;
    return fiber != null && fiber.task == task ? fiber : null;
  }

  // ---- looking for work, and sleeping --------------------------------------------------------

  private @Nullable Task awaitWork() {
    scheduler.faultPoint(FaultPoint.AWAIT);
    IdleWorkers idle = scheduler.idle;
    idle.beginSearch();
    Task task = search();
    for (; ; ) {
      if (task != null) {
        // The last searcher that finds work wakes the next: others may have left theirs to it.
        if (idle.endSearch() && (isLineLong() || scheduler.hasWork() && !isQuick()))
          scheduler.wakeOne();
        return task;
      }
      idle.fallAsleep(index);
      idle.endSearch();
      if (seesWork() || retiring || scheduler.isStopped()) {
        if (idle.wakeSelf(index)) {
          task = pick();
          if (task == null) task = steal();
          return task;
        }
        // Claimed meanwhile: we are a searcher already.
      } else {
        counters.parks++;
        while (idle.isSleeping(index)) LockSupport.park(ParkReason.WAITING_FOR_WORK);
      }
      scheduler.awake();
      paceTick = scheduler.tick.now(); // the time asleep was nobody's slice
      pacePicks = picks;
      task = search();
      if (task == null && (retiring || scheduler.isStopped())) {
        idle.endSearch();
        return null;
      }
    }
  }

  /** Looks everywhere, and for a short while again and again if that has paid lately. */
  private @Nullable Task search() {
    int spins = scheduler.spins ? spinsThatPaid : 0;
    for (int i = 0; ; i++) {
      Task task = pick();
      if (task == null) task = steal();
      if (task != null) {
        if (i > 0) spinsThatPaid = Math.min(MAX_SPINS, spinsThatPaid * 2);
        return task;
      }
      if (i >= spins || retiring || scheduler.isStopped()) break;
      for (int j = 0; j < SPIN_PAUSES; j++) Thread.onSpinWait();
    }
    spinsThatPaid = Math.max(1, spinsThatPaid / 2);
    return null;
  }

  private @Nullable Task steal() {
    int workers = scheduler.workerCount();
    for (int round = 0; round < STEAL_ROUNDS; round++) {
      int start = nextRandom();
      for (int i = 0; i < workers; i++) {
        Worker victim = scheduler.worker(Math.floorMod(start + i, workers));
        if (victim == this) continue;
        Task task = stealFrom(victim);
        if (task != null) return task;
      }
    }
    return null;
  }

  private @Nullable Task stealFrom(Worker victim) {
    int taken = victim.isWorthStealing() ? victim.ring.stealInto(ring) : 0;
    if (taken == 0 && victim.canSpare()) {
      taken = victim.wheel.stealInto(wheel);
      if (taken > 0) {
        counters.steals += taken;
        return fromWheel();
      }
    }
    if (taken > 0) {
      counters.steals += taken;
      return ring.pop();
    }
    if (victim.overdue) {
      Task task = victim.slot;
      if (task == null || !SLOT.compareAndSet(victim, task, null)) task = stealInbox(victim);
      if (victim.inbox.isEmpty()) victim.overdue = false;
      if (task != null) {
        counters.steals++;
        return task;
      }
    }
    return null;
  }

  /**
   * Whether a thief may take from the ring. To move a task to another core costs more than to wait
   * a few microseconds for its own; so short lines stay, unless they do not move. Any thread.
   */
  boolean isWorthStealing() {
    return worth(STEAL_WORTH_NANOS) || (overdue && !ring.isEmpty());
  }

  /** A thief: takes what need not stay there from an inbox whose owner does not look. */
  private @Nullable Task stealInbox(Worker victim) {
    if (victim.inbox.isEmpty() || !victim.inbox.tryClaim()) return null;
    Task first = null;
    Task pinned = null;
    try {
      for (int i = 0; i < INBOX_BATCH && ring.size() < ReadyRing.CAPACITY / 2; i++) {
        Task task = victim.inbox.poll();
        if (task == null) break;
        if (task.pinned) {
          task.queueNext = pinned;
          pinned = task;
        } else if (first == null) {
          first = task;
        } else {
          ring.push(task);
          counters.steals++;
        }
      }
    } finally {
      victim.inbox.release();
    }
    boolean any = pinned != null;
    while (pinned != null) {
      Task next = pinned.queueNext;
      victim.inbox.push(pinned);
      pinned = next;
    }
    // It may have looked while they were gone, and have gone to sleep.
    if (any) scheduler.wakeWorker(victim);
    return first;
  }

  /** Whether something waits in the inbox that a thief may look through. Any thread. */
  boolean hasOverdueInbox() {
    return overdue && !inbox.isEmpty();
  }

  /** Any of the queues that this worker could take from. */
  private boolean seesWork() {
    return slot != null || !inbox.isEmpty() || wheel.size() > 0 || scheduler.hasWork();
  }

  private int nextRandom() {
    int r = random;
    r ^= r << 13;
    r ^= r >>> 17;
    r ^= r << 5;
    random = r;
    return r;
  }

  // ---- a spare -------------------------------------------------------------------------------

  /** It is to work. Written by the ticking thread, and taken back by its own. */
  private volatile boolean deputy;

  boolean isDeputy() {
    return deputy;
  }

  /** The ticking thread: workers are stuck. */
  void deputise() {
    deputy = true;
    LockSupport.unpark(thread);
  }

  private void runAsSpare() {
    while (!scheduler.isStopped()) {
      if (!deputy) {
        LockSupport.park(ParkReason.WAITING_FOR_WORK);
        continue;
      }
      Task task = takeHanded();
      if (task == null) task = pick();
      if (task != null) {
        dispatch(task);
      } else if (scheduler.isAnyStuck()) {
        LockSupport.parkNanos(ParkReason.WAITING_FOR_WORK, SPARE_NAP_NANOS);
      } else {
        deputy = false;
        if (scheduler.isAnyStuck()) deputy = true; // became so before it could see that we rest
      }
    }
    giveAway();
  }

  /**
   * From the injector, or from behind a worker that is stuck; pinned tasks as well. Each first in
   * its turn: what a spare thread itself puts into the injector would be all it ever takes.
   */
  private @Nullable Task pickAsSpare() {
    Task task = null;
    if (deputy && (picks & 1) == 0) task = fromBehind();
    if (task == null) task = scheduler.injector.tryPoll();
    if (task == null && deputy) task = fromBehind();
    return task;
  }

  private @Nullable Task fromBehind() {
    Task task;
    int n = scheduler.workerCount();
    for (int i = 0; i < n; i++) {
      Worker victim = scheduler.worker(i);
      if (!victim.stuck) continue;
      task = victim.slot;
      if (task != null && SLOT.compareAndSet(victim, task, null)) return task;
      task = victim.inbox.tryPoll();
      if (task != null) return task;
      int taken = victim.ring.stealInto(ring);
      if (taken == 0) {
        taken = victim.wheel.stealInto(wheel);
        task = wheel.poll();
        for (Task more = wheel.poll(); more != null; more = wheel.poll())
          scheduler.injector.push(more);
      } else {
        task = ring.pop();
        for (Task more = ring.pop(); more != null; more = ring.pop()) scheduler.injector.push(more);
      }
      counters.steals += taken;
      if (task != null) return task;
    }
    return null;
  }

  /** Its slice was asked to stop and has not; tasks wait. Written by the ticking thread. */
  private volatile boolean stuck;

  /** When that was found. Written before {@code stuck}. */
  private int stuckTick;

  /** The slice in hand, if it is one of a virtual thread that a handler started. */
  private volatile @Nullable ForeignTask foreign;

  @Nullable ForeignTask foreignInHand() {
    return foreign;
  }

  boolean isStuck() {
    return stuck;
  }

  /**
   * Whether the turn in hand is the one that was found stuck: not a later one of the same slice.
   * Any thread; a look, no more.
   */
  boolean isStuckIn(Seat seat) {
    return stuck && picks == picksLastSeen && seat.turnTick() - stuckTick < 0;
  }

  // ---- slices that are long, and are to stop -------------------------------------------------
  //
  // A slice is named by the number of picks before it, which does not change while it lasts. Who
  // names an old one does no harm: nobody looks at it any more.

  /** The slice that is known to be long, and since when. Its owner, or the ticking thread. */
  private volatile int longSlice = NO_SLICE;

  private volatile long longSince;

  /** The slice that is to stop at its next poll. Written by anybody. */
  private volatile int stopSlice = NO_SLICE;

  /** What the ticking thread saw when it last looked. Its own; observers look. */
  private int picksLastSeen;

  private final Account account = new Account();
  private @Nullable Thread sampledThread;

  /** Ticks since somebody with credit was seen waiting. */
  private int calmTicks;

  private int ticksUnanswered;
  private final Responsiveness asked = new Responsiveness();

  /**
   * The owner goes on with a turn that was stopped in the middle. If somebody waits already, it is
   * to stop again soon; who comes later asks. (Who queues something does that first and looks for a
   * long slice second; here it is the other way round: one of the two sees the other.)
   */
  void beginLong(long now) {
    longSince = dueSlice == picks ? now + DUE_LONG_NANOS - LEAST_LONG_NANOS : now;
    longSlice = picks;
    if (othersWait()) askToStop();
  }

  /** Whether its slice is known to be long. Any thread; a look, no more. */
  boolean isInLongSlice() {
    return longSlice == picks;
  }

  long longSince() {
    return longSince;
  }

  /** Any thread: the long slice is to stop, once it is old enough to have been worth beginning. */
  void askToStop() {
    stopSlice = longSlice;
    Preemption.ask();
  }

  /** Whether its slice was asked to stop and has not yet. Any thread. */
  boolean hasOpenRequest() {
    return stopSlice == picks;
  }

  /** The same for a poll that leads to nothing but a look. */
  boolean isAskedToStop() {
    return mustStop();
  }

  /** The task whose slice runs here. By its own thread. */
  final @Nullable Task inHand() {
    if (foreign != null) return foreign;
    Fiber fiber = current;
    return fiber == null ? null : fiber.task;
  }

  /** The owner, in a poll. */
  boolean mustStop() {
    return stopSlice == picks && scheduler.tick.nanoTime() - longSince >= LEAST_LONG_NANOS;
  }

  void answerStop() {
    stopSlice = NO_SLICE;
    Preemption.settle();
  }

  /** The ticking thread, once a tick: does something wait behind a slice that does not end? */
  boolean noticeOverdue(long now) {
    int slice = picks;
    boolean unmoved = slice == picksLastSeen;
    picksLastSeen = slice;
    sample();
    boolean waits = slot != null || !ring.isEmpty() || !inbox.isEmpty() || wheel.movable() > 0;
    overdue = unmoved && waits;
    if (unmoved) {
      watch(slice, now);
    } else {
      ticksUnanswered = 0;
      stuck = false;
      if (stopSlice != NO_SLICE && stopSlice != picks) answerStop(); // it has ended by itself
    }
    return overdue;
  }

  /** The ticking thread: somebody's slice runs, or nobody's. */
  private void sample() {
    if (foreign != null) {
      account.ranTicks++; // its actor's part is measured
      return;
    }
    Fiber fiber = current;
    Task task = fiber == null ? null : fiber.task;
    if (fiber == null || task == null) return;
    account.ranTicks++;
    // Brief tasks have no account until one of these ticks hits them.
    if (!fiber.isTimed() || task.accountIfAny() == null) task.account().ranTicks++;
  }

  /** The ticking thread, for one worker after another: what its thread has used since last time. */
  void sampleThread() {
    Thread own = thread;
    if (own == null) return;
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
    ForeignTask started = foreign;
    if (started != null) return started.threads.owner();
    Fiber fiber = current;
    return fiber == null ? null : fiber.task;
  }

  Account account() {
    account.preemptions = counters.preemptions;
    return account;
  }

  /** The ticking thread: a slice has lasted a whole tick, unless the worker sleeps. */
  private void watch(int slice, long now) {
    Fiber fiber = current;
    Task task = foreign;
    if (task == null && fiber != null) task = fiber.task;
    if (task == null) return;
    if (!task.isPreemptible() && !retiring) {
      watchUnasked();
      return;
    }
    if (longSlice != slice) {
      longSince = now - scheduler.tick.length();
      longSlice = slice;
    }
    if (stopSlice == slice) {
      // Where it cannot stop, everybody else would look at the flag for nothing: rest a while.
      int ticks = ++ticksUnanswered % ASK_AGAIN;
      if (ticks == 1) asked.watch(thread);
      if (ticks == TICKS_TO_ANSWER) {
        if (asked.hadItsChance()) becomeStuck();
        else ticksUnanswered--; // the machine has not run it: look again at the next tick
      }
      if (ticks == TICKS_TO_REST) answerStop();
    } else if (ticksUnanswered > 0) {
      if (++ticksUnanswered % ASK_AGAIN == 0) askToStop();
    } else if (someoneWaits()
        || retiring
        || Share.of(task).isSpentWith(scheduler, now - longSince)
        || (isSpare && (scheduler.isAnyOverdue() || !scheduler.isAnyStuck()))
        || (wheel.size() > 0 && now - longSince >= left(task))) {
      askToStop();
    }
    if (!stuck) return;
    scheduler.relieve();
    if (ticksUnanswered == TICKS_TO_REPORT) {
      Thread code = task instanceof ForeignTask || fiber == null ? thread : fiber.thread();
      if (code != null) scheduler.sayStuck(this, task, code);
    }
  }

  /** A slice that nobody may stop: who waits behind it is helped as if it could not be stopped. */
  private void watchUnasked() {
    if (stuck) {
      scheduler.relieve();
    } else if (ticksUnanswered > 0 || someoneWaits() || wheel.size() > 0) {
      if (++ticksUnanswered == 1) asked.watch(thread);
      if (ticksUnanswered < TICKS_TO_ANSWER) return;
      if (asked.hadItsChance()) becomeStuck();
      else ticksUnanswered--;
    }
  }

  private void becomeStuck() {
    if (!stuck) stuckTick = scheduler.tick.now();
    stuck = true;
    scheduler.relieve();
  }

  /** Whether something waits that no other worker may run. */
  boolean hasPinnedWaiting() {
    return !inbox.isEmpty() || wheel.size() > wheel.movable();
  }

  private boolean someoneWaits() {
    boolean waits = othersWait();
    calmTicks = waits ? 0 : Math.min(CALM, calmTicks + 1);
    return waits;
  }

  /**
   * What the slice in hand may still use: twice as much while only those wait that use their whole
   * quantum as well, because nobody gains from switching between them; and hardly anything while a
   * fiber waits for a lock that one of those may have. The ticking thread reads another's field: a
   * guess.
   */
  private int left(Task task) {
    int left = Math.max(Seat.MIN_SLICE_NANOS, Math.min(task.credit, quantumOf(task)));
    if (scheduler.isLockWanted()) return Math.min(left, scheduler.tick.length());
    return calmTicks < CALM ? left : 2 * left;
  }

  /** A removed worker leaves its tasks to the others. */
  private void giveAway() {
    for (; ; ) {
      Task task = takeHanded();
      if (task == null) task = slot;
      if (task != null && task == slot && !SLOT.compareAndSet(this, task, null)) task = null;
      if (task == null) task = ring.pop();
      if (task == null) task = inbox.tryPoll();
      if (task == null) task = wheel.poll();
      if (task == null) break;
      if (scheduler.isStopped()) scheduler.runAfterStop(task);
      else scheduler.injector.push(task);
    }
    scheduler.wakeOne();
    endFreeFibers();
  }

  /**
   * Each is mounted once more and finds itself retired. Else the JDK, which keeps a list of all
   * virtual threads, would keep it, and it the whole system. On a platform thread.
   */
  final void endFreeFibers() {
    keepFree();
    Fiber fiber = spare;
    spare = null;
    if (fiber != null) freeFibers.push(fiber);
    while ((fiber = freeFibers.poll()) != null) {
      fiber.retire();
      fiber.mount(this);
    }
  }
}
