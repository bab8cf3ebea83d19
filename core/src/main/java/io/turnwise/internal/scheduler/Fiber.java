package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.JdkDoor;
import io.turnwise.internal.door.LentThread;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A virtual thread of ours, lent to one task after another.
 *
 * <p>It runs slice after slice by plain method calls and picks the next task itself. It gives the
 * worker's platform thread back (it unmounts) in three cases: there is nothing to pick, or what was
 * picked must be run by the platform thread (then it is <i>free</i>: its body has returned, and it
 * has neither a task nor a stack); or the code of a slice blocks or gives way (then it stays with
 * its task, <i>suspended</i>).
 *
 * <p>The JDK calls {@link #execute} when a virtual thread that waited may go on. It may do so
 * before its slice has returned to the worker, from any thread, and more often than needed. So a
 * resume is an idempotent move of {@code state}:
 *
 * <pre>
 *            mount                 slice returned, still holding its task
 *   QUEUED ─────────► RUNNING ────────────────────────────────► SUSPENDED
 *     ▲                  │ resume                                   │ resume
 *     │  slice returned  ▼                                          │ (queues the task)
 *     ├───────────── RESUMED                                        │
 *     └─────────────────────────────────────────────────────────────┘
 *   FREE: holds no task; a resume does nothing.
 *   HELD: suspended, and somebody who wants the turn to end has it for a moment; HELD_RESUMED: a
 *   resume came meanwhile, and is done by who holds it.
 * </pre>
 *
 * Exactly one move leads into QUEUED for each suspension, and whoever makes it queues the task.
 * After the move to SUSPENDED the worker touches neither fiber nor task again.
 *
 * <p>A mount may turn out empty: while somebody takes the thread's stack trace, the JDK runs
 * nothing and resubmits later. The fiber then still holds its task and is suspended again. For
 * waits of our own ({@link #await}) the resubmission is not needed and ignored: the worker itself
 * looks, after each suspension, whether the wait is over.
 */
public final class Fiber extends Seat implements Executor {
  private static final System.Logger LOG = System.getLogger("io.turnwise");
  private static final int RUNNING = 0;
  private static final int SUSPENDED = 1;
  private static final int RESUMED = 2;
  private static final int QUEUED = 3;
  private static final int FREE = 4;
  private static final int HELD = 5;
  private static final int HELD_RESUMED = 6;
  private static final int SLICES = 1 << 16;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Fiber.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Something a fiber waits for. Once over, it stays over. */
  public interface Wait {
    boolean isOver();
  }

  private final Scheduler scheduler;
  private final LentThread lent;
  private final Thread thread;

  /** The function by which the JDK lets it go on: known by that from those of other threads. */
  private @Nullable Runnable continuation;

  private volatile int state = FREE;

  /** The worker that has it mounted. Stale after anything that may suspend: read it again. */
  Worker worker;

  /** That worker's: at hand, because each slice asks it for the next. */
  RunQueue queue;

  /** Set around a wait of ours. Written by the fiber; read on its carrier and by strays. */
  private @Nullable Wait wait;

  /**
   * Tasks that the code in hand woke when its stack had no room to queue them, linked. Written on
   * this thread by field accesses alone; emptied as soon as the slice ends or is suspended.
   */
  public @Nullable Task stranded;

  /** It is suspended so that its turn can end. By whose hand it is in. */
  boolean isUrgent;

  /** It is suspended because another has a lock. By whose hand it is in. */
  private boolean waitsForLock;

  /** Link of the worker's list of those that no task has. The worker's. */
  @Nullable Fiber nextFree;

  private int mounts;

  /** Written and read by who holds it. */
  private int mountsWhenRoused;

  private boolean retired;

  Fiber(Scheduler scheduler, Worker worker) {
    super(worker.counters, scheduler.tick);
    this.scheduler = scheduler;
    this.worker = worker;
    this.queue = worker.queue;
    Director director = scheduler.director;
    Executor runsIt = director == null ? this : new FiberPool(this, director);
    this.lent = new LentThread(runsIt, scheduler.fiberName(), scheduler.contextLoader, this::live);
    this.thread = lent.thread();
    thread.start(); // calls execute with the continuation, which is kept
  }

  /** The fiber that the current thread is, or null: also for threads that a handler started. */
  public static @Nullable Fiber current() {
    Thread thread = Thread.currentThread();
    Fiber maker = makerOf(thread);
    return maker != null && maker.thread == thread ? maker : null;
  }

  /** The fiber that a thread is, or whose code started it, or null. */
  static @Nullable Fiber makerOf(Thread thread) {
    Executor runsIt = JdkDoor.schedulerOf(thread);
    if (runsIt instanceof Fiber fiber) return fiber;
    return runsIt instanceof FiberPool pool ? pool.fiber : null;
  }

  public Thread thread() {
    return thread;
  }

  /** What a suspended turn of ours waits for, if it is something of ours. For observers. */
  public @Nullable Wait waitsFor() {
    return wait;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  /**
   * Waits, suspended, for something of ours. On the fiber's own thread, inside a slice. Returns as
   * soon as the wait is over, however it was woken. Whoever ends the wait calls {@link #resume}.
   */
  public void await(Wait wait) {
    while (!wait.isOver()) {
      int before = mounts;
      this.wait = wait;
      letOthersRun();
      this.wait = null;
      Task held = task;
      // Not where it could not be unmounted: an error through a class initialiser poisons the
      // class.
      if (before != mounts && held != null && !wait.isOver() && held.isCancelDue(this))
        held.cancel(this);
      // Native frames and class initialisers cannot be unmounted: there the worker waits as well.
      if (before == mounts && !wait.isOver()) LockSupport.parkNanos(this, 100_000);
    }
  }

  /**
   * A poll in the handler in hand found the flag up. Stops the slice here, if it was asked to: the
   * turn goes on where it is when the task is next picked, maybe on another worker. Or ends the
   * turn, if that was asked for; only where the fiber can be unmounted, so never in a class
   * initialiser.
   *
   * @param mayEnd false in code that must not be left half done
   */
  void poll(boolean mayEnd) {
    Task held = task;
    if (held == null) return;
    boolean cancel = mayEnd && Preemption.isToEndHere(held, this);
    Worker on = worker;
    boolean asked = on.mustStop();
    if (!cancel && !asked && !Preemption.yieldsAnyway()) return;
    if (asked) on.answerStop();
    if (cancel) {
      isUrgent = true;
    } else {
      held.preempted = true;
      on.lastStopped = held;
    }
    int before = mounts;
    boolean tried = letOthersRun();
    if (before == mounts) {
      held.preempted = false;
      isUrgent = false;
      if (asked) on.refuseStop();
      // Its end may be what brings memory back.
      if (cancel && !tried && Preemption.mayThrowHere()) cancelNow();
      return;
    }
    if (cancel) {
      cancelNow();
    } else {
      worker.counters.preemptions++;
      Account account = held.accountIfPossible();
      if (account != null) account.preemptions++;
    }
  }

  /** A task that has not run yet, made by the code in hand: it is at home where its maker is. */
  public void isHomeOf(Task fresh) {
    if (!fresh.pinned && fresh.runner() == scheduler) fresh.home = (short) worker.index;
  }

  @Override
  boolean isToStop() {
    return worker.isAskedToStop() || super.isToStop() || Preemption.isEveryPoll();
  }

  private void cancelNow() {
    Task held = task;
    if (held == null) return;
    held.cancel(this);
    if (held instanceof AbandonedTask) abandonHere(); // has been told often enough
  }

  /** Leaves the turn for good, on its own thread: it is not run any more. */
  @Override
  public void abandonHere() {
    for (; ; ) {
      if (task instanceof AbandonedTask rest) rest.dropped = true;
      letOthersRun();
    }
  }

  /**
   * Wakes a suspended turn of this task so that it sees that it is to end: by an interrupt, unless
   * it waits for something of ours. From any thread. While it is held, nobody runs the fiber: the
   * interrupt cannot hit another turn. Returns whether it was roused.
   */
  public boolean rouseToCancel(Task expected, BooleanSupplier mayInterrupt) {
    if (!STATE.compareAndSet(this, SUSPENDED, HELD)) return false;
    boolean roused = false;
    try { // who fails for want of memory must not keep it
      // In its handler, or it is suspended in code of ours, which must go on.
      if (task == expected && isInHandler()) {
        mountsWhenRoused = mounts;
        if (wait != null) {
          roused = true;
          STATE.compareAndSet(this, HELD, HELD_RESUMED);
        } else if (mayInterrupt.getAsBoolean()) {
          roused = true;
          thread.interrupt();
        }
      }
    } finally {
      letGo();
    }
    return roused;
  }

  /**
   * Takes a suspended turn away from its task, which is the caller's afterwards. From any thread,
   * save the ticking one: a deep stack takes its time. Returns where the turn is, or null when it
   * was not suspended, or has not had the chance to end since it was roused.
   *
   * @param still asked while the turn cannot go on or end
   */
  public @Nullable AbandonedTurn abandonSuspended(Task expected, BooleanSupplier still) {
    var rest = new AbandonedTask(scheduler, this, expected); // may fail: so, before it is held
    if (!STATE.compareAndSet(this, SUSPENDED, HELD)) return null;
    AbandonedTurn found = null;
    try { // who fails for want of memory or stack must not keep it
      if (task == expected
          && isInHandler()
          && (mounts != mountsWhenRoused || thread.getState() == Thread.State.BLOCKED)
          && still.getAsBoolean()) {
        found = AbandonedTurn.of(thread);
        task = rest;
        expected.suspended = null;
        abandonTurn();
      }
    } finally {
      letGo();
    }
    return found;
  }

  /**
   * Takes a turn that runs, in code without polls, away from its task, which is the caller's
   * afterwards. From any thread. Returns where the turn is, or null if it could not.
   */
  @Nullable AbandonedTurn abandonRunning(Task expected, BooleanSupplier still) {
    Thread carrier = worker.thread;
    int before = mounts;
    if (state != RUNNING || carrier == null) return null;
    return abandonRunning(
        expected,
        thread,
        carrier,
        new AbandonedTask(scheduler, this, expected),
        () -> state == RUNNING && mounts == before && still.getAsBoolean());
  }

  /** It is not dropped yet: it still has to see to its actor, may block at that, and goes on. */
  @Override
  public boolean claimHere() {
    var rest = new AbandonedTask(scheduler, this, task); // may fail: so, before it is claimed
    rest.credit = Integer.MAX_VALUE; // and not behind everybody
    if (!super.claimHere()) return false;
    task = rest;
    return true;
  }

  /** If that is our innermost frame, the JDK runs the fiber. */
  private static final String RUNS_FIBERS = "io.turnwise.internal.door.LentThread";

  @Override
  boolean isRunningFiber(Thread carrier) {
    for (StackTraceElement frame : carrier.getStackTrace()) {
      if (!frame.getClassName().startsWith("io.turnwise.internal.")) continue;
      return frame.getClassName().equals(RUNS_FIBERS) && frame.getMethodName().equals("run");
    }
    return false;
  }

  private void letGo() {
    if (STATE.compareAndSet(this, HELD, SUSPENDED)) return;
    state = QUEUED; // resumed meanwhile: the queueing was left to us
    Task held = task;
    if (held != null) scheduler.wakeSafely(held);
  }

  /** Lets the suspended turn go on. From any thread, any number of times. Never blocks. */
  public void resume() {
    for (; ; ) {
      switch (state) {
        case RUNNING -> {
          if (STATE.compareAndSet(this, RUNNING, RESUMED)) return;
        }
        case HELD -> {
          if (STATE.compareAndSet(this, HELD, HELD_RESUMED)) return;
        }
        case SUSPENDED -> {
          if (STATE.compareAndSet(this, SUSPENDED, QUEUED)) {
            // Read now, not before: whoever makes this move has the fiber, and what it holds.
            Task held = task;
            if (held != null) scheduler.wakeSafely(held);
            return;
          }
        }
        default -> {
          return;
        }
      }
    }
  }

  /**
   * The JDK wants this thread, or one that a handler started, to go on. Runs on callers' fibers and
   * on threads the whole JVM depends on: it enqueues and wakes, and never throws.
   */
  @Override
  public void execute(Runnable slice) {
    Runnable own = continuation;
    if (own == null) continuation = slice; // from start()
    else if (slice != own) scheduler.arrivals.run(slice);
    else if (task != null && wait == null) resume();
  }

  /** A store of a reference into an old object is dear: only where it changes. */
  void moveTo(Worker on) {
    if (worker == on) return;
    worker = on;
    queue = on.queue;
    counters = on.counters;
  }

  /** The worker's platform thread: runs the fiber until it yields, blocks or ends. */
  void mount(Worker on) {
    moveTo(on);
    // A suspended thread's own state is read next, by the JDK: an unpark must not fall between the
    // two, or it would be taken for one that came before this mount. A free one is not unparked.
    if (task != null) state = RUNNING;
    else STATE.setRelease(this, RUNNING);
    mounts++;
    came = lent.run();
  }

  /** What became of it when it was last run. Its worker's. */
  LentThread.Came came = LentThread.Came.BACK;

  /**
   * The worker's platform thread, after {@link #mount}: leaves a suspended fiber to whoever resumes
   * it.
   */
  void settleSuspended() {
    keepTurn();
    Task held = task;
    if (held == null) return;
    Wait waitingFor = wait; // before the move: afterwards the fiber may be running elsewhere
    try {
      if (stranded != null) rescue();
      if (held.preempted) noteLost();
      charge(held);
      if (waitingFor == null && !held.preempted && LockWait.isLockWaitOf(thread)) {
        waitsForLock = true;
        scheduler.beginLockWait();
      }
    } catch (OutOfMemoryError e) {
      // What it used is not booked. Whoever resumes it must find it suspended all the same.
    } catch (Throwable broken) { // a defect of ours
      say(broken);
    }
    lostNanos = 0; // also if nothing was booked
    held.suspended = this;
    held.phase = Task.Phase.SUSPENDED_CODE;
    boolean goesOn = came == LentThread.Came.YIELDED && waitingFor == null;
    if (!goesOn && STATE.compareAndSet(this, RUNNING, SUSPENDED)) {
      if (waitingFor != null && waitingFor.isOver()) resume();
    } else if (held instanceof AbandonedTask rest && rest.dropped) {
      retired = true; // nobody has it any more
      counters.abandonedEnded++;
      rest.suspended = null; // queues may still have a place with the task in it
      lent.end();
    } else {
      state = QUEUED; // it gave way, or was resumed meanwhile: the queueing was left to us
      queue.requeue(held);
    }
  }

  /** The platform thread, of a slice that was stopped in the middle. */
  private void noteLost() {
    if (!isTimed() && !queue.longSlice.is(queue.slice())) return; // nobody knows since when it runs
    long now = scheduler.tick.nanoTime();
    long slice = isTimed() ? now - startedAt() : guess(Integer.MAX_VALUE);
    lostNanos = worker.lostOf(slice, now);
  }

  /** Of the slice that is about to be charged, what the machine kept from it. */
  private int lostNanos;

  /** The worker's platform thread: a fiber without a task. */
  void settleFree() {
    STATE.setRelease(this, FREE);
  }

  /** No task is to have it any more. */
  boolean isRetired() {
    return retired;
  }

  /** Ends its thread. On a platform thread, of a fiber without a task. */
  void end() {
    retired = true;
    lent.end();
  }

  /** What its thread does whenever it is mounted without a turn in the middle. */
  private void live() {
    boolean broken = true;
    try {
      runSlices();
      broken = false;
    } finally {
      if (broken) retired = true; // nobody knows in what state it is
    }
  }

  /**
   * Slice after slice, until the platform thread is needed for the next. Returns after so many: a
   * frame that never does may sit in code that the compiler has replaced, where nobody corrects its
   * calls any more, and one that led to the interpreter at that moment does so for ever. Seen as
   * programs that became five times slower, for good. The next begins in the newest code.
   */
  private void runSlices() {
    Worker on = worker;
    Task next = on.takeHanded();
    for (int left = SLICES; left > 0 && next != null && runsHere(next); left--) {
      on = runOne(next, on);
      if (retired || scheduler.isStopped()) return;
      next = on.retiring ? null : queue.pick();
    }
    on.handed = next;
    if (next != null && on.hasEnoughFibers()) retired = true;
  }

  /** Whether it is run by method calls here, and not by the platform thread. */
  private static boolean runsHere(Task task) {
    return task.suspended == null && !(task instanceof ForeignTask);
  }

  /** Returns the worker it ended on. */
  private Worker runOne(Task next, Worker on) {
    next.phase = Task.Phase.RUNNING_CODE;
    if (!next.pinned) next.home = (short) on.index;
    task = next;
    begin(next);
    boolean more;
    try {
      more = next.runSlice(this);
    } catch (Abandonment over) { // its task is another's: this thread has nothing left to do
      task = null;
      retired = true;
      counters.abandonedEnded++;
      if (stranded != null) rescue();
      return worker;
    } catch (OutOfMemoryError e) { // it is tried again, and the log needs memory as well
      more = true;
    } catch (Throwable broken) { // a defect of ours: say so, and lose neither worker nor task
      say(broken);
      more = true;
    }
    task = null;
    Worker after = worker;
    if (stranded != null) rescue();
    if (more) queue.requeueAfter(this, next);
    return after;
  }

  private static void say(Throwable broken) {
    try {
      LOG.log(System.Logger.Level.ERROR, "A slice broke its promise not to throw", broken);
    } catch (Throwable unsaid) {
      // No memory or no stack to say it with: the task must go on all the same.
    }
  }

  private void rescue() {
    Task left = stranded;
    stranded = null;
    StrandedTasks.queueAll(left, this);
  }

  /** After a suspension, when the worker has mounted the fiber again. */
  void beginAgain(Task held) {
    held.suspended = null;
    if (waitsForLock) {
      waitsForLock = false;
      scheduler.endLockWait();
    }
    held.phase = Task.Phase.RUNNING_CODE;
    goOn(held);
    if (held.preempted) {
      held.preempted = false;
      time(held);
      worker.beginLong(startedAt());
    }
  }

  /** Only where the sender can run meanwhile, and nobody waits for this worker. */
  @Override
  public boolean mayLinger() {
    return scheduler.spins && scheduler.workerCount() > 1 && !queue.othersWait();
  }

  @Override
  protected boolean othersWait() {
    return queue.othersWait();
  }

  @Override
  boolean isHere(Task receiver) {
    return receiver.runner() == scheduler;
  }

  /**
   * Who was stopped in the middle ran when the tick changed, as all have that are stopped: to
   * charge it by the tick would be too much for each. When the slice was first seen is known; it
   * began within the tick before.
   */
  @Override
  long guess(long byTicks) {
    Task held = task;
    if (held == null || !held.preempted || !queue.longSlice.is(queue.slice())) return byTicks;
    Tick tick = scheduler.tick;
    long seen = tick.nanoTime() - queue.longSlice.since();
    return Math.min(byTicks, seen + tick.length() / 2);
  }

  @Override
  protected void book(Task task, int used) {
    queue.book(task, used, Math.min(used, lostNanos));
  }

  /** It ends with the slice. */
  @Override
  public void spoil() {
    super.spoil();
    retired = true;
  }

  /** Interrupt flag, thread-locals and context loader end with the turn that set them. */
  @Override
  public void scrub() {
    Thread own = thread; // read once: some of what follows is volatile
    ClassLoader loader = scheduler.contextLoader;
    if (JdkDoor.isInterrupted(own)) Thread.interrupted();
    if (JdkDoor.hasThreadLocals(own)) JdkDoor.dropThreadLocals(own);
    if (JdkDoor.contextLoader(own) != loader) own.setContextClassLoader(loader);
    if (JdkDoor.hasOpenScopes(own)) {
      JdkDoor.dropScopes(own); // a thread that ends waits for what was started in them
      spoil();
    }
  }
}
