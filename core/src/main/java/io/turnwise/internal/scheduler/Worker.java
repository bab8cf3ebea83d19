package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.LentThread;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One platform thread: takes from its {@link RunQueue}, lends fibers to what it took, looks for
 * work elsewhere when there is none, and sleeps.
 *
 * <p>Everything here is done by the worker's own thread, be it the platform thread or the fiber it
 * has mounted, unless a method says otherwise. Code of the runtime does not block, so the fiber
 * cannot move to another worker in the middle of it.
 */
class Worker {
  private static final int SPARE_NAP_NANOS = 200_000;
  private static final int FREE_FIBERS = 24;
  private static final int NOBODY = -1;
  private static final int MAX_SPINS = 256;
  private static final int SPIN_PAUSES = 16;
  private static final int ROUNDS_AT_A_TIME = 1 << 18;

  /** In tests without threads: a fiber runs about as many at a time as well. */
  private static final int DRIVEN_SLICES = 1 << 16;

  final Scheduler scheduler;
  final int index;
  final RunQueue queue;
  final Counters counters;

  /** Those of virtual threads that handlers started. */
  final ForeignSlices foreign;

  /** What the ticking thread sees of it. */
  final SliceWatch watch;

  /** What the fiber leaves to the platform thread, or the platform thread to the fiber. */
  @Nullable Task handed;

  /** The task whose turn was stopped last, or an older one. By its owner; others look. */
  @Nullable Task lastStopped;

  /** The thread that runs it now; another one after it died. */
  volatile @Nullable Thread thread;

  /** Being removed: gives everything away and ends, unless it is wanted again before that. */
  volatile boolean retiring;

  /** It has begun to give everything away, and does not come back. Under its monitor. */
  private boolean gone;

  /** The last that became free, linked by {@link Fiber#nextFree}: a list that takes no memory. */
  private @Nullable Fiber lastFree;

  private int freeFibers;

  /** The fiber that is mounted, or the free one that was mounted last. Observers look as well. */
  private @Nullable Fiber current;

  /** The first of the free fibers: enough for two that call each other. */
  private @Nullable Fiber spare;

  /** What the machine kept from it. */
  private final LostTime lostTime = new LostTime();

  private int spinsThatPaid = 1;
  private final BooleanSupplier asleep = this::isAsleep;

  /** Its thread has looked out for a deadline before. */
  private boolean isPrepared;

  Worker(Scheduler scheduler, int index, boolean spare) {
    this(new RunQueue(scheduler, index, spare));
  }

  Worker(RunQueue queue) {
    this.queue = queue;
    this.scheduler = queue.scheduler;
    this.index = queue.index;
    this.counters = queue.counters;
    this.foreign = new ForeignSlices(this);
    this.watch = new SliceWatch(this);
  }

  // ---- the platform thread --------------------------------------------------------------------

  /** The life of the worker's platform thread. */
  void run() {
    if (queue.isSpare()) {
      runAsSpare();
      return;
    }
    do {
      while (!scheduler.isStopped() && !retiring) runForAWhile();
    } while (!scheduler.isStopped() && !mayEnd());
    giveAway();
  }

  /**
   * Whether it is still to be removed. It is gone then. By its own thread, or where it has none.
   */
  synchronized boolean mayEnd() {
    if (!retiring) return false;
    if (!gone) answerStop(); // nobody else will; and while its place is not another's
    gone = true;
    return true;
  }

  /** No thread could be had for it. */
  synchronized void neverRan() {
    gone = true;
  }

  /** A worker that was to be removed is wanted again. Returns false if it has gone. */
  synchronized boolean stays() {
    if (gone) return false;
    retiring = false;
    return true;
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
      if (task == null) task = queue.pick();
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
      if (task == null) task = queue.pick();
      if (task == null) break;
      any = true;
      dispatch(task);
    }
    driver = null;
    return any;
  }

  /** In tests without threads: the one that runs it now. */
  volatile @Nullable Thread driver;

  @Nullable Task takeHanded() {
    Task task = handed;
    handed = null;
    return task;
  }

  final void dispatch(Task task) {
    if (task instanceof ForeignTask started) {
      foreign.run(started);
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

  /** The fiber that holds the task's turn, or a free one. A task that gets none stays queued. */
  private Fiber fiberFor(Task task) {
    Fiber fiber;
    try {
      scheduler.faultPoint(FaultPoint.DISPATCH);
      fiber = task.suspended;
      if (fiber != null) keepFree();
      else fiber = freeFiber();
    } catch (Throwable broken) { // no memory for a fiber, say
      queue.requeue(task);
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
    } else if (fiber.came != LentThread.Came.BACK) {
      current = null; // it waits in code of the JDK's, after its turn: it ends there, or never
    } else if (fiber.isRetired() || scheduler.isStopped()) {
      current = null;
      fiber.end();
    } else {
      fiber.settleFree();
    }
  }

  /** Of a slice that took so long and ends now, what the machine kept from it. */
  int lostOf(long slice, long now) {
    return scheduler.isThreaded() ? lostTime.of(slice, now) : 0;
  }

  private void keepFree() {
    Fiber fiber = current;
    if (fiber == null) return;
    current = null;
    if (spare == null) spare = fiber;
    else push(fiber);
  }

  private void push(Fiber free) {
    free.nextFree = lastFree;
    lastFree = free;
    freeFibers++;
  }

  private @Nullable Fiber pollFree() {
    Fiber free = lastFree;
    if (free == null) return null;
    lastFree = free.nextFree;
    free.nextFree = null;
    freeFibers--;
    return free;
  }

  private Fiber freeFiber() {
    Fiber fiber = current;
    if (fiber == null) {
      fiber = spare;
      spare = null;
    }
    if (fiber == null) fiber = pollFree();
    if (fiber == null) fiber = new Fiber(scheduler, this);
    return fiber;
  }

  /** Shows those that no task has. Where nobody runs. */
  void eachFreeFiber(Consumer<Fiber> looker) {
    if (current != null) looker.accept(current);
    if (spare != null) looker.accept(spare);
    for (Fiber free = lastFree; free != null; free = free.nextFree) looker.accept(free);
  }

  /** Asked by a fiber that is about to become free while another takes its place. */
  boolean hasEnoughFibers() {
    return freeFibers >= FREE_FIBERS;
  }

  /** The fiber that runs this task here now, or null. Any thread; a look, no more. */
  @Nullable Fiber fiberOf(Task task) {
    Fiber fiber = current;
    return fiber != null && fiber.task == task ? fiber : null;
  }

  /** The task whose slice runs here, or null. By its own thread. */
  final @Nullable Task inHand() {
    return seenInHand();
  }

  /** The same for another thread, which sees it a moment late. */
  @Nullable Task seenInHand() {
    ForeignTask started = foreign.inHand();
    if (started != null) return started;
    Fiber fiber = current;
    return fiber == null ? null : fiber.task;
  }

  /**
   * Whether it has nothing to do, and so is about to look at the injector. For who knows that it
   * does not sleep. Any thread; a look, no more. The queues first: what is taken from there is in
   * hand a moment later.
   */
  boolean looksNext() {
    return !queue.hasWaiting() && seenInHand() == null;
  }

  /** The fiber that is mounted, or was mounted last. Any thread; a look, no more. */
  @Nullable Fiber seenFiber() {
    return current;
  }

  // ---- looking for work, and sleeping ---------------------------------------------------------

  private @Nullable Task awaitWork() {
    scheduler.faultPoint(FaultPoint.AWAIT);
    prepareLookout(); // before it counts as anything: what is thrown there leaves no trace
    beginSearch();
    Task task = search();
    for (; ; ) {
      if (task != null) {
        endSearch();
        return task;
      }
      Rest rest = lieDown();
      if (rest == Rest.WORK_CAME) return lookEverywhere();
      while (rest == Rest.ASLEEP && isAsleep()) {
        if (sleep() && wakesToRing()) return ring();
      }
      rise();
      task = search();
      if (task == null && isToEnd()) {
        scheduler.idle.endSearch();
        return null;
      }
    }
  }

  /** Looks everywhere, and for a short while again and again if that has paid lately. */
  private @Nullable Task search() {
    for (int i = 0; ; i++) {
      Task task = lookEverywhere();
      if (task != null) {
        searchPaid(i);
        return task;
      }
      if (!looksAgain(i)) return null;
      for (int j = 0; j < SPIN_PAUSES; j++) Thread.onSpinWait();
    }
  }

  /**
   * Until somebody claims it, or for no reason. One of those that sleep looks out for the next
   * deadline; returns true when that has come.
   */
  private boolean sleep() {
    Lookout lookout = scheduler.lookout;
    if (lookout == null || !lookout.isNeeded() || !scheduler.idle.beginWatch(index)) {
      LockSupport.park(ParkReason.WAITING_FOR_WORK);
      return false;
    }
    try {
      return lookout.sleep(ParkReason.WAITING_FOR_WORK, asleep);
    } finally {
      scheduler.idle.endWatch();
    }
  }

  private void prepareLookout() {
    Lookout lookout = scheduler.lookout;
    if (isPrepared || lookout == null) return;
    isPrepared = true;
    lookout.prepare();
  }

  /** Says first what it will be doing: who sees it awake must not wait for it to look. */
  private boolean wakesToRing() {
    scheduler.ringing = index;
    if (scheduler.idle.wakeSelf(index)) return true;
    endRinging();
    return false;
  }

  private void endRinging() {
    if (scheduler.ringing == index) scheduler.ringing = NOBODY; // another may have begun meanwhile
  }

  /** Awake, and no searcher. What fires comes into the own queue. */
  private @Nullable Task ring() {
    try {
      rise();
      Lookout lookout = scheduler.lookout;
      if (lookout != null) lookout.ring();
    } finally {
      endRinging();
    }
    return lookEverywhere();
  }

  /** What became of a worker that found nothing and lay down. */
  enum Rest {
    /** It sleeps until somebody claims it. */
    ASLEEP,
    /** Somebody has claimed it already: it is a searcher. */
    CLAIMED,
    /** It saw work, and is awake again: no searcher. */
    WORK_CAME
  }

  final void beginSearch() {
    scheduler.idle.beginSearch();
  }

  /** The last searcher that finds work wakes the next: others may have left theirs to it. */
  final void endSearch() {
    if (scheduler.idle.endSearch()
        && (queue.isLineLong() || scheduler.hasWork() && !queue.isQuick())) scheduler.wakeOne();
  }

  final @Nullable Task lookEverywhere() {
    Task task = queue.pick();
    return task != null ? task : queue.steal();
  }

  /** It found something, after so many looks in vain. */
  final void searchPaid(int looks) {
    if (looks > 0) spinsThatPaid = Math.min(MAX_SPINS, spinsThatPaid * 2);
  }

  /** Whether to look once more, after so many looks in vain and this one. */
  final boolean looksAgain(int looks) {
    if (looks < (scheduler.spins ? spinsThatPaid : 0) && !isToEnd()) return true;
    spinsThatPaid = Math.max(1, spinsThatPaid / 2);
    return false;
  }

  /** A searcher that found nothing says that it sleeps, and looks once more: see IdleWorkers. */
  final Rest lieDown() {
    queue.line.tidy();
    IdleWorkers idle = scheduler.idle;
    idle.fallAsleep(index);
    idle.endSearch();
    if (queue.seesWork() || isToEnd()) return idle.wakeSelf(index) ? Rest.WORK_CAME : Rest.CLAIMED;
    counters.parks++;
    lostTime.forget();
    return Rest.ASLEEP;
  }

  final boolean isAsleep() {
    return scheduler.idle.isSleeping(index);
  }

  /** It was claimed, and is awake. */
  final void rise() {
    scheduler.awake();
    queue.beginPace(); // the time asleep was nobody's slice
  }

  /** Whoever has claimed it: it is to rise. Any thread. */
  void unpark() {
    LockSupport.unpark(thread);
  }

  private boolean isToEnd() {
    return retiring || scheduler.isStopped();
  }

  // ---- a spare --------------------------------------------------------------------------------

  boolean isDeputy() {
    return queue.deputy;
  }

  /** The ticking thread: workers are stuck. */
  void deputise() {
    queue.deputy = true;
    unpark();
  }

  private void runAsSpare() {
    while (!scheduler.isStopped()) {
      if (!queue.deputy) {
        lostTime.forget();
        LockSupport.park(ParkReason.WAITING_FOR_WORK);
        continue;
      }
      Task task = takeHanded();
      if (task == null) task = queue.pick();
      if (task != null) {
        dispatch(task);
      } else if (scheduler.spares().areNeeded()) {
        lostTime.forget();
        LockSupport.parkNanos(ParkReason.WAITING_FOR_WORK, SPARE_NAP_NANOS);
      } else {
        queue.deputy = false;
        if (scheduler.spares().areNeeded())
          queue.deputy = true; // became so before it could see that we rest
      }
    }
    giveAway();
  }

  // ---- slices that are long, and are to stop --------------------------------------------------

  /**
   * The owner goes on with a turn that was stopped in the middle. If somebody waits already, it is
   * to stop again soon; who comes later asks. (Who queues something does that first and looks for a
   * long slice second; here it is the other way round: one of the two sees the other.)
   */
  void beginLong(long now) {
    long since = queue.isDueSlice() ? now + LongSlice.DUE_NANOS - LongSlice.LEAST_NANOS : now;
    queue.longSlice.begin(queue.slice(), since);
    if (queue.othersWait()) askToStop();
  }

  /** Whether its slice is known to be long. Any thread; a look, no more. */
  boolean isInLongSlice() {
    return queue.longSlice.is(queue.slice());
  }

  /** Any thread: the long slice is to stop, once it is old enough to have been worth beginning. */
  void askToStop() {
    queue.longSlice.askToStop();
  }

  /** Whether to ask would help: its slice is long, was not asked yet, and can stop. Any thread. */
  boolean mayBeAsked() {
    return isInLongSlice() && !hasOpenRequest() && !queue.longSlice.isRefused(queue.slice());
  }

  /** The owner, in a poll: its slice was to stop, and cannot where it is. */
  void refuseStop() {
    queue.longSlice.refuse(queue.slice());
  }

  /** Whether its slice was asked to stop and has not yet. Any thread. */
  boolean hasOpenRequest() {
    return queue.longSlice.isAsked(queue.slice());
  }

  /** The same for a poll that leads to nothing but a look. */
  boolean isAskedToStop() {
    return mustStop();
  }

  /** The owner, in a poll. */
  boolean mustStop() {
    return queue.longSlice.mustStop(queue.slice(), scheduler.tick);
  }

  void answerStop() {
    queue.longSlice.answer();
  }

  // ---- the end --------------------------------------------------------------------------------

  /** A removed worker leaves its tasks to the others. */
  private void giveAway() {
    for (; ; ) {
      Task task = takeHanded();
      if (task == null) task = queue.takeAny();
      if (task == null) break;
      if (scheduler.isStopped()) scheduler.runAfterStop(task);
      else scheduler.injector.push(task);
    }
    scheduler.wakeOne();
    endFreeFibers();
  }

  /**
   * Else the JDK, which keeps a list of all virtual threads, would keep them, and they the whole
   * system. On a platform thread.
   */
  final void endFreeFibers() {
    keepFree();
    Fiber fiber = spare;
    spare = null;
    if (fiber != null) push(fiber);
    while ((fiber = pollFree()) != null) fiber.end();
  }
}
