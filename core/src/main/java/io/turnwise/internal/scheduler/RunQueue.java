package io.turnwise.internal.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What waits at one worker, and what of it comes next: here it is decided who runs, where, and
 * when. Knows nothing of threads; those are {@link Worker}'s.
 *
 * <p>It is picked in this order: wake-up slot, ready line or inbox (by turns), injector, wheel. So
 * that nobody waits for ever behind a source that never runs dry:
 *
 * <ul>
 *   <li>the slot gives at most {@link #SLOT_LIMIT} tasks in a row while anything else waits; then
 *       one of the others goes first;
 *   <li>every {@link #INJECTOR_TICK}th pick, and every pick after a slice that was cut short, looks
 *       at the injector first;
 *   <li>the wheel goes first when nothing came from it during {@link #WHEEL_TICKS} ticks and {@link
 *       #WHEEL_PICKS} picks; a long turn that goes on like this runs for at least {@link
 *       LongSlice#DUE_NANOS};
 *   <li>a task in the line uses up its credit and then goes to the wheel, behind everybody.
 * </ul>
 *
 * <p>Everything here is done by the worker's own thread, be it the platform thread or the fiber it
 * has mounted, unless a method says otherwise. Code of the runtime does not block, so the fiber
 * cannot move to another worker in the middle of it.
 */
class RunQueue {
  static final int SLOT_LIMIT = 3;
  static final int INJECTOR_TICK = 61;

  /** So many ticks and so many picks nothing came from the wheel: then something does. */
  private static final int WHEEL_TICKS = 2;

  private static final int WHEEL_PICKS = 127;

  /** Or so many picks, if time does not pass. */
  private static final int WHEEL_ANYWAY = 1 << 13;

  /** Of the time since a long slice began, this part may be spent on {@link #lookOnceMore}. */
  private static final int LOOK_PART = 8;

  private static final int MOST_LOOK_NANOS = 30_000;

  /** So often a look is repeated while another worker takes from the injector. */
  private static final int CLAIM_LOOKS = 100;

  private static final int LEAST_PART_NANOS = 1_000;

  /** More than that is forgiven: it would not make a difference, until it were a credit again. */
  static final long MOST_DEBT_NANOS = 1_000_000_000;

  /** So many rounds one pick lets pass in which nobody need run. */
  private static final int MOST_WAITS = 3;

  /** Nobody has more to its credit, so that no sum of them wraps. */
  private static final long MOST_CREDIT_NANOS = 1_000_000_000;

  /** A worker that is so many rounds behind is not about to run what waits in its wheel. */
  private static final int FAR_BEHIND = 2;

  /** A task that shares by weight has at most so many times its quantum. */
  static final int MOST_QUANTA = 20;

  /**
   * Of a stream out of a long slice one in so many looks round for who could take it, while nobody
   * sleeps: to look at the other workers costs more than all the rest of a send. Those who were
   * asked for the ones before take the others as well; if not, the next tick asks.
   */
  private static final int STREAM_LOOKS = 16;

  /** A stream out of a long slice that is so far ahead of those who run it has to wait. */
  static final int FAR_AHEAD = 1_000;

  private static final int INJECTOR_BATCH = 16;
  private static final int INBOX_BATCH = 64;
  private static final int LONG_LINE = 64;
  private static final int VERY_LONG_LINE = ReadyLine.CAPACITY;

  /** A line that takes less than this to serve is served before a sleeper is up. */
  private static final int WAKE_WORTH_NANOS = 50_000;

  /** A line that takes less than this is served before a thief would have brought it over. */
  private static final int STEAL_WORTH_NANOS = 15_000;

  /**
   * With so many spent tasks more than another it gives half of that away; and of brief ones that
   * have more to do, one by one, with so many of them, and this part of them more.
   */
  private static final int CROWD = 8;

  private static final int QUICK_NANOS = 2_000;

  /** No share. */
  private static final int NONE = -1;

  private static final int STEAL_ROUNDS = 2;
  private static final VarHandle SLOT;

  static {
    try {
      SLOT = MethodHandles.lookup().findVarHandle(RunQueue.class, "slot", Task.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final Scheduler scheduler;
  final int index;

  /** Keeps nothing in queues of its own. */
  private final boolean isSpare;

  /** Of its slices, the one that is long and the one that is to stop. */
  final LongSlice longSlice;

  final Counters counters = new Counters();
  final ReadyLine line = new ReadyLine();

  /** That of its place: it stays when the worker is removed. */
  final TaskQueue inbox;

  final Wheel wheel;

  /** Set by the ticking thread when what waits here has waited for a whole tick. */
  volatile boolean overdue;

  /** Its slice was asked to stop and has not; tasks wait. Written by the ticking thread. */
  volatile boolean stuck;

  /** Of a spare: it is to work. Written by the ticking thread, and taken back by its own. */
  volatile boolean deputy;

  /** Just woken by the task in hand. The owner fills it; owner or thief empties it by CAS. */
  private volatile @Nullable Task slot;

  /** How many streamed out of the long slice that has this number. */
  private int streamed;

  private int streamsIn;

  /** How many had been taken from the injector when the first of them came. */
  private int takenBefore;

  private int slotRun;
  private int picks;
  private boolean cutShort;
  private int random;
  private int paceTick;
  private int pacePicks;

  /** How long slices took lately. A guess at first; the ticker sees to it if that is wrong. */
  private int sliceNanos = 5_000;

  /** Whether a turn of the wheel is being measured, since when, and from where. */
  private boolean wheelTurns;

  private long wheelTurnBegan;
  private int wheelTurnFrom;

  /** How long the wheel's last full turn took, in ns; 0 while nobody is busy here. */
  private volatile long wheelTurnNanos;

  RunQueue(Scheduler scheduler, int index, boolean spare) {
    this.scheduler = scheduler;
    this.index = index;
    this.isSpare = spare;
    this.inbox = spare ? new TaskQueue() : scheduler.inboxOf(index);
    this.longSlice = new LongSlice(scheduler.openRequests, index);
    this.wheel = new Wheel(scheduler.wheels);
    this.random = 0x9E3779B9 * (index + 1);
  }

  /** The number of the slice in hand: a slice is named by the picks before it. */
  int slice() {
    return picks;
  }

  /** Whether it keeps nothing, and takes from behind workers that are stuck. */
  boolean isSpare() {
    return isSpare;
  }

  // ---- queueing -------------------------------------------------------------------------------

  /**
   * Takes in a task that the code in hand has just woken: into the slot if that is free and the
   * task has credit. Returns whether somebody should be woken for it. Nothing is called after the
   * task is in a queue (see {@link Runner}).
   *
   * @param streams the code in hand does little but send
   */
  boolean admit(Task task, boolean streams) {
    task.queuedAt(scheduler.tick.now());
    if (task.pinned) {
      RunQueue home = scheduler.homeOf(task);
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
    if (longSlice.is(picks)) return admitBehindLong(task, streams);
    if (slot != null || gathers()) return offer(task);
    SLOT.setRelease(this, task); // empty, and only we fill it
    return false;
  }

  /** The slice in hand is known to be long: the slot would wait for its end. */
  private boolean admitBehindLong(Task task, boolean streams) {
    if (streamsIn != picks) { // the first of a slice always looks
      streamsIn = picks;
      streamed = 0;
      takenBefore = scheduler.injector.taken();
    }
    boolean looks = !streams || streamed++ % STREAM_LOOKS == 0;
    if (streams && looks && isFarAhead()) longSlice.askToStop();
    scheduler.injector.push(task);
    return looks || scheduler.idle.sleepers > 0; // read after the push: see IdleWorkers
  }

  /**
   * Whether so many of a stream wait that the long slice is to stop and help, though others take
   * from it as well: else what it made is out of every cache by the time it is run. A guess: what
   * was taken may have been somebody else's, and the next tick asks anyway.
   */
  private boolean isFarAhead() {
    return streamed - (scheduler.injector.taken() - takenBefore) > FAR_AHEAD
        && !longSlice.isAsked(picks)
        && !longSlice.isRefused(picks);
  }

  /**
   * Whether a task that was just woken is to wait for those in the line: while that takes next to
   * no time, more of its messages gather meanwhile, and it has them all in one slice.
   */
  private boolean gathers() {
    int waiting = line.size();
    return waiting > 0 && (long) waiting * sliceNanos < GATHER_NANOS;
  }

  private static final int GATHER_NANOS = 10_000;

  /**
   * Into the line; with a long one here and a short one at another worker drawn at random, over
   * there. Returns whether to wake a sleeper.
   */
  private boolean offer(Task task) {
    int waiting = line.size();
    if (waiting >= LONG_LINE && !(isFresh(task) && isQuick()) && giveAway(task, waiting / 2))
      return scheduler.idle.sleepers > 0;
    return keep(task);
  }

  /**
   * The same for one that has more to do: where many are never done, their lines are to be as long
   * everywhere, or those in the longest would have the fewest turns. In a short line one is much;
   * there it is looked at seldom, as those that are about to be done need not move.
   */
  private boolean offerAgain(Task task) {
    int waiting = line.size();
    boolean looks = waiting >= CROWD || waiting > 1 && nextRandom() % FEW_LOOKS == 0;
    if (looks && giveAway(task, waiting - Math.max(1, waiting / CROWD)))
      return scheduler.idle.sleepers > 0;
    return keep(task);
  }

  private static final int FEW_LOOKS = 16;

  /** To another worker, if that has fewer. Then rouse wakes it, should it sleep. */
  private boolean giveAway(Task task, int fewer) {
    RunQueue other = another();
    if (other == this || !other.inbox.isEmpty() || !other.isMoving()) return false;
    if (other.queued() >= fewer) return false;
    settle(task, other);
    other.inbox.push(task);
    return true;
  }

  private boolean keep(Task task) {
    boolean worthWaking = isLineLong(); // before: nothing is called after the push
    if (worthWaking && line.size() >= VERY_LONG_LINE && scheduler.idle.sleepers > 0)
      scheduler.wakeOne(); // rouse would trust whoever is quick to look, and nobody sees this line
    if (!(worthWaking ? line.push(task) : line.pushQuietly(task))) scheduler.injector.push(task);
    return worthWaking && scheduler.idle.sleepers > 0;
  }

  /**
   * Whether it has not run yet: all that it will read was written here just now. Others who have
   * nothing to do come for half of the line.
   */
  private static boolean isFresh(Task task) {
    return task.credit == Integer.MAX_VALUE && task.refillAt == 0 && !task.brief;
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
   * Moves a task that pours away from the worker that runs its receiver, if another has a shorter
   * line, or has few that pour already: they are better off together. One core then fills the
   * mailbox while another empties it; where both do both, they spend most of their time waiting for
   * each other's cache. One that hands on as many messages as it handles stays: beside its receiver
   * each of them is still in the cache, and far from it none is.
   */
  boolean moveAway(Task task) {
    if (task.pinned || scheduler.isStopped()) return false;
    int n = scheduler.workerCount();
    if (n == 1) return false;
    RunQueue other = scheduler.queue((index + 1 + Math.floorMod(nextRandom(), n - 1)) % n);
    boolean together = other.sliceNanos < POUR_NANOS && other.isMoving();
    int most = together ? MOST_TOGETHER : line.size() + 1;
    if (other.line.size() > most) return false;
    task.queuedAt(scheduler.tick.now());
    settle(task, other);
    other.inbox.push(task);
    scheduler.wake(other);
    return true;
  }

  /** It is at home there from now on; its credit comes back when it would have come back here. */
  private void settle(Task task, RunQueue other) {
    task.home = (short) other.index;
    if (task.credit != Integer.MAX_VALUE)
      task.refillAt += other.wheel.position() - wheel.position();
  }

  private static final int MOST_TOGETHER = ReadyLine.CAPACITY / 2;

  /** Slices in which a hundred messages are sent take that long if nothing else is done there. */
  private static final int POUR_NANOS = 10_000;

  private static final int LONGEST_POUR_NANOS = 250_000;

  /** How many slices poured since the tick last changed. */
  private int poured;

  /** Most of what ran here before that did. Others look. */
  private boolean pours;

  /**
   * Whether those that wait here do little but send, all of them together: to fetch some of them
   * would only bring the contention back for which they were brought here. Any thread; a look.
   */
  private boolean isPouring() {
    return pours && sliceNanos < POUR_NANOS && (long) line.size() * sliceNanos < LONGEST_POUR_NANOS;
  }

  /** Whether it goes from one slice to the next. Any thread; a look, no more. */
  private boolean isMoving() {
    return !overdue && !stuck && !longSlice.is(picks);
  }

  /** Queues a task whose slice, on this seat, ended with more to do. */
  void requeueAfter(Seat seat, Task task) {
    task.streams = seat.isStreaming();
    int to = task.streams ? seat.sentTo() : NONE;
    // It handled one message, or the slice were timed, and sent a hundred, all to one worker.
    boolean itPours = to >= 0 && !seat.isTimed();
    if (itPours) poured++;
    if (task.brief && !task.streams) requeueAtHand(task);
    else if (!itPours || !task.brief || to != index || !moveAway(task))
      requeue(task, itPours || to >= 0 && to != index);
  }

  /** Queues a task whose slice ended with more to do, or whose fiber goes on after a yield. */
  final void requeue(Task task) {
    requeue(task, false);
  }

  /**
   * @param apart it streams to another worker, or pours: it is better off here, away from whom it
   *     sends to, or where others pour, than where the line is a little shorter
   */
  void requeue(Task task, boolean apart) {
    task.queuedAt(scheduler.tick.now());
    cutShort = true;
    if (scheduler.isStopped()) scheduler.runAfterStop(task);
    else if (isSpare) requeueFromSpare(task);
    else if (task.isUrgent()) requeueUrgent(task);
    else if (task.pinned) requeuePinned(task);
    else if (task.brief) {
      if (apart ? offer(task) : offerAgain(task)) scheduler.rouse(task);
    } else if (task.credit <= 0) requeueSpent(task);
    else requeueHeavy(task);
  }

  /**
   * A spare keeps nothing. Who has spent its quantum goes to the wheel of a worker that is well; in
   * the injector it would pass for one that was just woken, and whoever runs would be stopped for
   * it, again and again.
   */
  private void requeueFromSpare(Task task) {
    RunQueue other = another();
    boolean spent = !task.brief && !task.isUrgent() && task.credit <= 0;
    if (spent && !task.pinned && !other.stuck) {
      giveTo(other, task);
      scheduler.wake(other);
    } else {
      scheduler.injector.push(task);
    }
  }

  /** A turn that is to end: first of all, and not behind those that are busy. */
  private void requeueUrgent(Task task) {
    task.endUrgency();
    task.credit = Integer.MAX_VALUE; // or it would go to the wheel
    if (task.pinned) {
      sendHome(task);
    } else if (slot != null) {
      scheduler.injector.push(task);
    } else {
      slotRun = 0;
      cutShort = false;
      SLOT.setRelease(this, task);
    }
  }

  private void requeuePinned(Task task) {
    boolean mayHaveLock = task.preempted && scheduler.isLockWanted(); // then as in requeueHeavy
    if (scheduler.homeOf(task) == this && (task.credit <= 0 || mayHaveLock))
      wheel.add(task, wheel.position() + Wheel.SEGMENTS);
    else sendHome(task);
  }

  private void sendHome(Task pinned) {
    RunQueue home = scheduler.homeOf(pinned);
    home.inbox.push(pinned);
    if (home != this) scheduler.wake(home);
  }

  /**
   * A task whose slice was long, with credit left, goes to the wheel's present segment: behind
   * those that are ready and those that come from outside, before those without credit. While
   * somebody waits for a lock it goes behind all: whoever has that may be any of them.
   */
  private void requeueHeavy(Task task) {
    wheel.add(task, wheel.position() + (scheduler.isLockWanted() ? Wheel.SEGMENTS : 0));
    if (hasMore() && scheduler.idle.sleepers > 0) scheduler.wakeOne();
  }

  /** Whether the wheel has more than what this worker is about to run itself. The owner. */
  private boolean hasMore() {
    return wheel.movable() > 1 || (overdue && wheel.movable() > 0);
  }

  /** The same for a thief, which may see that the owner is not about to run anything else. */
  boolean canSpare() {
    return hasMore() || (wheel.movable() > 0 && longSlice.is(picks) && !cutShort);
  }

  /**
   * A task that used its whole quantum goes one full turn of the wheel ahead, here or at a worker
   * drawn at random that has fewer such tasks.
   */
  private void requeueSpent(Task task) {
    RunQueue other = another();
    int here = wheel.size();
    int there = other.wheel.size();
    // In another round it would be due too soon there, or too late.
    if (other != this && there + 1 < here && other.wheel.round() == wheel.round()) {
      giveTo(other, task);
      if (here - there >= CROWD) giveHalf(other, (here - there) / 2);
      scheduler.wake(other);
      return;
    }
    wheel.add(task, wheel.position() + Wheel.SEGMENTS);
    if (hasMore() && scheduler.idle.sleepers > 0) scheduler.wakeOne();
  }

  /** A crowd that went one by one, each after its quantum, would take seconds to leave. */
  private void giveHalf(RunQueue other, int many) {
    for (int i = 1; i < many; i++) {
      Task last = wheel.takeFarthest();
      if (last == null) return;
      giveTo(other, last);
    }
  }

  private static void giveTo(RunQueue other, Task spent) {
    spent.home = (short) other.index;
    spent.refillAt = other.wheel.position() + Wheel.SEGMENTS;
    other.inbox.push(spent);
  }

  private RunQueue another() {
    return scheduler.queue(Math.floorMod(nextRandom(), scheduler.workerCount()));
  }

  /**
   * Books time used against the task's credit. In whose hands the task is.
   *
   * @param lost how much of it the machine has kept from the task: a group's ceiling is a part of
   *     the time that passes, and that has passed
   */
  void book(Task task, int used, int lost) {
    int quantum = quantumOf(task);
    long owed = task.takeOwed(scheduler.tick.now());
    long before =
        task.credit == Integer.MAX_VALUE ? quantum : Math.min(task.credit, mostCredit(task));
    long credit = Math.max(-MOST_DEBT_NANOS, before - (used - lost) - owed);
    task.credit = (int) credit;
    if (!task.brief) noteLateStop(task, quantum);
    Share share = task.share();
    if (share != null) share.charge(used);
    int fraction = (int) Math.min(Wheel.SEGMENTS, Wheel.SEGMENTS * (quantum - credit) / quantum);
    task.refillAt = wheel.position() + Math.max(1, fraction);
  }

  /** Gives a woken task its credit back if its home's wheel has come round; says if it has any. */
  private boolean regainCredit(Task task) {
    RunQueue home = scheduler.homeOf(task);
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

  /** Whether something waits here that need not. Any thread; a look, no more. */
  boolean hasWaiting() {
    return slot != null || !line.isEmpty() || !inbox.isEmpty() || wheel.movable() > 0;
  }

  /** Whether something waits that no other worker may run. */
  boolean hasPinnedWaiting() {
    return !inbox.isEmpty() || wheel.size() > wheel.movable();
  }

  /** Whether somebody with credit waits for this worker. From the fiber, between two messages. */
  boolean othersWait() {
    return slot != null || !line.isEmpty() || !scheduler.injector.isEmpty() || !inbox.isEmpty();
  }

  // ---- picking --------------------------------------------------------------------------------

  /** The next task, or null when there is nothing in this worker's own queues and the injector. */
  @Nullable Task pick() {
    int pick = ++picks;
    if (isSpare) return pickAsSpare();
    letGo();
    if (scheduler.tick.now() != paceTick) keepPace();
    Task task = null;
    if (cutShort || pick % INJECTOR_TICK == 0) {
      cutShort = false;
      task = fromInjector();
    }
    if (task == null && (wheelDue || pick % WHEEL_ANYWAY == 0) && wheel.size() > 0) {
      wheelDue = false;
      task = fromWheel(false);
      if (task != null) dueSlice = pick;
    }
    if (task == null) task = fromSlot();
    if (task == null) task = fromLineOrInbox();
    if (task == null) task = fromInjector();
    if (task == null && slot != null) task = fromSlot(); // passed over for others that were gone
    if (task == null && scheduler.spins && wheel.size() > 0) task = lookOnceMore(pick);
    if (task == null) task = fromWheel(true);
    return task;
  }

  /** One first, then the other, by turns of their own: the slot's come round in fours. */
  private @Nullable Task fromLineOrInbox() {
    boolean inboxFirst = lineWasFirst;
    lineWasFirst = !inboxFirst;
    Task task = inboxFirst ? fromInbox() : line.pop();
    if (task == null) task = inboxFirst ? line.pop() : fromInbox();
    return task;
  }

  private boolean lineWasFirst;

  /**
   * Before a long turn goes on. It was stopped for others, and those are done; but whoever sent to
   * them may be about to send more, and that would have to wait until the long turn has gone on for
   * a while. So would what is in the injector while another worker takes from that, and what is in
   * another's line.
   */
  private @Nullable Task lookOnceMore(int pick) {
    long now = 0;
    if (longSlice.isAnyBut(pick - 1)) {
      boolean forItsOwn = longSlice.is(streamsIn) && streamed > 0; // nobody else sends more now
      longSlice.forget();
      now = scheduler.tick.nanoTime();
      lookNanos = forItsOwn ? 0 : Math.min(MOST_LOOK_NANOS, (now - longSlice.since()) / LOOK_PART);
    }
    Task task = null;
    for (int i = 0; task == null && i < CLAIM_LOOKS && !scheduler.injector.isEmpty(); i++) {
      pause();
      task = fromInjector();
    }
    if (task == null) task = fromOtherLines();
    if (task != null || lookNanos <= 0) return task;
    long began = now == 0 ? scheduler.tick.nanoTime() : now;
    long spent;
    do {
      pause();
      task = fromInjector();
      if (task == null) task = fromOtherLines();
      spent = scheduler.tick.nanoTime() - began;
    } while (task == null && spent < lookNanos);
    lookNanos -= spent;
    return task;
  }

  /** Between two looks. */
  void pause() {
    Thread.onSpinWait();
  }

  /** What waits with credit at another worker, whose thread the machine may not be running. */
  private @Nullable Task fromOtherLines() {
    int n = scheduler.workerCount();
    for (int i = 0; i < n; i++) {
      RunQueue other = scheduler.queue(i);
      if (other == this || other.line.isEmpty()) continue;
      if (other.isPouring() && !other.overdue) continue;
      int taken = other.line.stealInto(line);
      if (taken == 0) continue;
      counters.steals += taken;
      return line.pop();
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
        Math.clamp(
            (long) (now - paceTick) * scheduler.tick.length() / slices, 1, Integer.MAX_VALUE);
    pours = 2 * poured > slices;
    poured = 0;
    paceTick = now;
    pacePicks = picks;
    line.tidy();
    if (wheel.size() == 0) endWheelTurn(); // others may keep it from looking there
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
  private int dueSlice = LongSlice.NONE;

  boolean isDueSlice() {
    return dueSlice == picks;
  }

  /** What comes now is measured from here. */
  void beginPace() {
    paceTick = scheduler.tick.now();
    pacePicks = picks;
    pours = false;
    poured = 0;
  }

  /** Whether it looks round so often that waking somebody else takes longer. Any thread. */
  boolean isQuick() {
    return sliceNanos < QUICK_NANOS;
  }

  /** Whether what waits here takes so much time that others are to have a part of it. */
  private boolean worth(int nanos) {
    return !isPouring() && (long) line.size() * sliceNanos >= nanos;
  }

  /** Whether what waits here is worth waking a sleeper for. */
  boolean isLineLong() {
    return worth(WAKE_WORTH_NANOS);
  }

  private @Nullable Task fromSlot() {
    Task task = slot;
    if (task == null) {
      slotRun = 0;
      return null;
    }
    if (slotRun >= SLOT_LIMIT
        && !(line.isEmpty() && scheduler.injector.isEmpty() && inbox.isEmpty())) {
      slotRun = 0;
      // Behind those that wait in the line: else two that talk would have three turns of four.
      if (!line.isEmpty() && SLOT.compareAndSet(this, task, null) && offerAgain(task))
        scheduler.rouse(task);
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
      // A batch, so that the claim is not taken for each; the rest can be stolen from the line.
      for (int i = 1;
          first != null && i < INJECTOR_BATCH && line.size() < ReadyLine.CAPACITY / 2;
          i++) {
        Task next = injector.poll();
        if (next == null) break;
        if (sentHome(next)) continue;
        if (hasCredit(next)) {
          line.push(next);
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
    RunQueue home = scheduler.homeOf(task);
    if (home == this) return false;
    home.inbox.push(task);
    scheduler.wake(home);
    return true;
  }

  private boolean hasCredit(Task task) {
    return task.credit == Integer.MAX_VALUE || regainCredit(task) || task.brief;
  }

  /**
   * @param helps whether to look first for those that are behind elsewhere
   */
  private @Nullable Task fromWheel(boolean helps) {
    Task task = nextOfRound(helps);
    // Where all must wait, rounds pass, until one has paid; alone it need not pay anybody.
    int waits = MOST_WAITS * wheel.size();
    while (task != null && (isPutOff(task) || waitsOneMoreTurn(task, waits-- > 0)))
      task = nextOfRound(helps);
    if (task != null) {
      if (helpedAt != picks) usedWheel = true;
      hold(task);
      publishWheelTurn();
    } else {
      endWheelTurn();
    }
    return task;
  }

  /**
   * The next one in the wheel. A round is over when every busy task, wherever it waits, has had its
   * quantum: so before this worker begins its next one, it runs what is left of this round, and of
   * earlier ones, at others. That makes parts equal, or as the weights say, however many tasks each
   * worker has, and however much of its time the machine gives to its thread.
   */
  private @Nullable Task nextOfRound(boolean helps) {
    Task task = wheel.pollDue();
    if (task != null || wheel.size() == 0) return task;
    if (helps) task = fromWhoIsBehind();
    return task == null ? wheel.pollNext() : task;
  }

  /**
   * What is due in this round or an earlier one at another worker, of those the farthest behind.
   */
  private @Nullable Task fromWhoIsBehind() {
    int round = wheel.round();
    int workers = scheduler.workerCount();
    int start = nextRandom();
    Wheel farthest = null;
    int due = round + 1;
    for (int i = 0; i < workers; i++) {
      RunQueue other = scheduler.queue(Math.floorMod(start + i, workers));
      if (other == this || other.wheel.movable() == 0) continue;
      int first = other.wheel.firstRound();
      if (first - due >= 0 || !(other.canSpare() || round - first >= FAR_BEHIND)) continue;
      farthest = other.wheel;
      due = first;
    }
    Task task = farthest == null ? null : farthest.takeDueIn(due);
    if (task == null) return null;
    counters.steals++;
    helpedAt = picks;
    // From here on it counts with our rounds: what it is owed of those before, it gets now.
    int behind = Math.min(Wheel.MOST_BEHIND, round - due);
    if (behind > 0 && task.credit <= 0) payRounds(task, behind);
    return task;
  }

  /** The pick that ran what was due elsewhere. */
  private int helpedAt;

  private void payRounds(Task task, int behind) {
    long quantum = quantumOf(task);
    if (task instanceof ForeignTask started) {
      started.unpaid = (int) Math.max(0, started.unpaid - behind * quantum);
      return;
    }
    long credit = task.credit + behind * quantum;
    if (credit > 0) credit += quantum; // that of this round, which it would not get besides
    task.credit = (int) Math.min(credit, mostCredit(task));
  }

  /** Nobody has more than that, whatever it is owed. */
  static int mostCredit(Task task) {
    return (int)
        Math.min(
            MOST_CREDIT_NANOS, Math.max(Seat.MIN_SLICE_NANOS, MOST_QUANTA * (long) task.quantum()));
  }

  private boolean isPutOff(Task task) {
    Share share = task.share();
    if (share == null || !share.isSpent(scheduler)) return false;
    if (scheduler.isLockWanted()) return false; // by somebody of another group, maybe from this one
    share.putOff(task);
    return true;
  }

  /**
   * Gives it the quantum of this round. What it used too much, because nobody stops to the
   * nanosecond and a calm worker lets everybody have two quanta at a time, it has had already; and
   * if that was more than a quantum, it waits for another round, or two. A thread whose actor has
   * many of them has only a small part of a quantum in each, and waits for several: else all of
   * these together would get more than their actor's share.
   *
   * @param mayWait false if it is to run now in any case
   */
  private boolean waitsOneMoreTurn(Task task, boolean mayWait) {
    if (task.credit > 0) return false;
    int part = quantumOf(task);
    if (task instanceof ForeignTask started) {
      started.unpaid = Math.max(0, started.unpaid - part);
      task.credit = part - started.unpaid;
    } else {
      // If nobody asked it to stop for longer, or nobody could, that is not held against it.
      long most = mostDebt(task, part);
      task.credit = (int) Math.max(task.credit, -most) + part;
    }
    if (task.credit < 0 && mayWait && !scheduler.isLockWanted()) {
      wheel.add(task, wheel.position() + Wheel.SEGMENTS);
      return true;
    }
    task.credit = Math.max(Seat.MIN_SLICE_NANOS, task.credit);
    return false;
  }

  /**
   * In a crowd a round is much to each. Who was stopped far too late there is forgiven more, as the
   * machine is the likely cause: unless it was late the time before as well.
   */
  private long mostDebt(Task task, int part) {
    int tick = scheduler.tick.length();
    long usual = Math.max(part, tick);
    if (!isCrowdedFor(task)) return usual + tick;
    Account account = task.accountIfAny();
    return account != null && account.lateStops > 1 ? 2 * usual : usual;
  }

  /** A slice was booked. Those that hold a worker have an account. */
  private void noteLateStop(Task task, int quantum) {
    Account account = task.accountIfAny();
    if (account == null) return;
    boolean late = task.credit < -Math.max(quantum, scheduler.tick.length());
    account.lateStops = late ? account.lateStops + 1 : 0;
  }

  /**
   * Whether so many wait in the wheel that a round, if all have quanta like this one's, is so long
   * that they notice each that is added. Any thread; a look, no more.
   */
  boolean isCrowdedFor(Task task) {
    return (long) wheel.size() * task.quantum() > LONG_ROUND_NANOS;
  }

  private static final int LONG_ROUND_NANOS = 200_000_000;

  /**
   * A task's quantum, divided among its turns and its threads; or so that the shares that are busy
   * get time by their weight, however many tasks each has: a round of the wheels is as long as
   * ever, and each share has its part of it.
   */
  int quantumOf(Task task) {
    int quantum = task.quantum();
    if (!scheduler.hasShares()) {
      int sharers = task.sharers();
      return sharers == 1 ? quantum : Math.max(LEAST_PART_NANOS, quantum / sharers);
    }
    Share own = Share.of(task);
    Wheels wheels = scheduler.wheels;
    long weights = 0;
    int itself = held == own.index ? 0 : 1;
    int ofOwn = Math.max(1, wheels.busy(own) + itself);
    int tasks = 0;
    for (Share share : scheduler.shares()) {
      int count = share == own ? ofOwn : wheels.busy(share);
      tasks += count;
      if (count > 0) weights += share.weight;
    }
    long part = (long) quantum * own.weight * tasks / (weights * ofOwn);
    return (int) Math.max(4L * Seat.MIN_SLICE_NANOS, Math.min(part, mostCredit(task)));
  }

  /** The share of the task in hand that came out of the wheel, or none did. Observers look. */
  private int held = NONE;

  /** It is in hand, and as busy as those in the wheel. */
  private void hold(Task task) {
    letGo();
    int share = Share.of(task).index;
    scheduler.wheels.isBusy(share);
    held = share;
  }

  /** What was in hand is not any more. The owner, or where it has ended. */
  void letGo() {
    if (held == NONE) return;
    scheduler.wheels.isNotBusy(held);
    held = NONE;
  }

  private void publishWheelTurn() {
    int position = wheel.position();
    if (wheelTurns && position - wheelTurnFrom < Wheel.SEGMENTS - 1) return;
    long now = scheduler.tick.nanoTime();
    if (wheelTurns) wheelTurnNanos = now - wheelTurnBegan;
    wheelTurns = true;
    wheelTurnBegan = now;
    wheelTurnFrom = position;
  }

  /** Nobody is busy here. An empty wheel turns by itself: that is nobody's turn. */
  private void endWheelTurn() {
    if (!wheelTurns) return;
    wheelTurns = false;
    wheelTurnNanos = 0;
  }

  long wheelTurnNanos() {
    return wheelTurnNanos;
  }

  /** Shows what lies in the queues that are this worker's alone. Where nobody runs. */
  void eachQueued(BiConsumer<Task, String> looker) {
    Task woken = slot;
    if (woken != null) looker.accept(woken, "the slot");
    line.forEach(task -> looker.accept(task, "the line"));
    wheel.forEach(task -> looker.accept(task, "the wheel"));
  }

  /** Adds those that are busy here, by share. Where nobody runs. */
  void countBusy(int[] counts) {
    wheel.forEach(task -> counts[Share.of(task).index]++);
    if (held != NONE) counts[held]++;
  }

  /** How many wait here, for observers. Any thread; a look, no more. */
  int waiting() {
    return queued() + inbox.count();
  }

  /** The same without the inbox. */
  int queued() {
    return line.size() + wheel.size() + (slot == null ? 0 : 1);
  }

  // ---- stealing -------------------------------------------------------------------------------

  @Nullable Task steal() {
    int workers = scheduler.workerCount();
    for (int round = 0; round < STEAL_ROUNDS; round++) {
      int start = nextRandom();
      for (int i = 0; i < workers; i++) {
        RunQueue victim = scheduler.queue(Math.floorMod(start + i, workers));
        if (victim == this) continue;
        Task task = stealFrom(victim);
        if (task != null) return task;
      }
    }
    return null;
  }

  private @Nullable Task stealFrom(RunQueue victim) {
    int taken = victim.isWorthStealing() ? victim.line.stealInto(line) : 0;
    if (taken == 0 && victim.canSpare()) {
      taken = victim.wheel.stealInto(wheel);
      if (taken > 0) {
        counters.steals += taken;
        return fromWheel(false);
      }
    }
    if (taken > 0) {
      counters.steals += taken;
      return line.pop();
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
   * Whether a thief may take from the line. To move a task to another core costs more than to wait
   * a few microseconds for its own; so short lines stay, unless they do not move. Any thread.
   */
  boolean isWorthStealing() {
    return worth(STEAL_WORTH_NANOS) || (overdue && !line.isEmpty());
  }

  /** A thief: takes what need not stay there from an inbox whose owner does not look. */
  private @Nullable Task stealInbox(RunQueue victim) {
    if (victim.inbox.isEmpty() || !victim.inbox.tryClaim()) return null;
    Task first = null;
    Task pinned = null;
    try {
      for (int i = 0; i < INBOX_BATCH && line.size() < ReadyLine.CAPACITY / 2; i++) {
        Task task = victim.inbox.poll();
        if (task == null) break;
        if (task.pinned) {
          task.queueNext = pinned;
          pinned = task;
        } else if (first == null) {
          first = task;
        } else {
          line.push(task);
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
    if (any) scheduler.wake(victim);
    return first;
  }

  /** Whether something waits in the inbox that a thief may look through. Any thread. */
  boolean hasOverdueInbox() {
    return overdue && !inbox.isEmpty();
  }

  /** Any of the queues that this worker could take from. */
  boolean seesWork() {
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

  // ---- a spare --------------------------------------------------------------------------------

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
      RunQueue victim = scheduler.queue(i);
      if (!victim.stuck) continue;
      task = victim.slot;
      if (task != null && SLOT.compareAndSet(victim, task, null)) return task;
      task = victim.inbox.tryPoll();
      if (task != null) return task;
      int taken = victim.line.stealInto(line);
      if (taken == 0) {
        taken = victim.wheel.stealInto(wheel);
        task = wheel.poll();
        for (Task more = wheel.poll(); more != null; more = wheel.poll())
          scheduler.injector.push(more);
        if (task == null) task = victim.wheel.poll(); // pinned
      } else {
        task = line.pop();
        for (Task more = line.pop(); more != null; more = line.pop()) scheduler.injector.push(more);
      }
      counters.steals += taken;
      if (task != null) return task;
    }
    return null;
  }

  // ---- the end --------------------------------------------------------------------------------

  /** Takes out anything that lies here, whatever it is due for; null when there is nothing. */
  @Nullable Task takeAny() {
    letGo();
    Task task = slot;
    if (task != null && !SLOT.compareAndSet(this, task, null)) task = null;
    if (task == null) task = line.pop();
    if (task == null) task = inbox.tryPoll();
    if (task == null) task = wheel.poll();
    return task;
  }

  /** Any thread, for a worker that is being removed and does not come to it: gives all away. */
  void handOver() {
    TaskQueue to = scheduler.injector;
    Task task = slot;
    if (task != null && SLOT.compareAndSet(this, task, null)) to.push(task);
    while ((task = inbox.tryPoll()) != null) to.push(task);
    while ((task = wheel.poll()) != null) to.push(task);
    if (line.isEmpty()) return;
    var taken = new ReadyLine();
    while (line.stealInto(taken) > 0) while ((task = taken.pop()) != null) to.push(task);
  }
}
