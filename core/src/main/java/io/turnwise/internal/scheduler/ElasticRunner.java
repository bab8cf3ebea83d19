package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.JdkDoor;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Platform threads that come and go with demand, for actors whose code holds its thread: native
 * calls above all. A task keeps its thread until it is idle.
 */
public final class ElasticRunner implements Runner {
  /** More than this many at once wait for a thread. */
  private static final int MAX_THREADS = 1024;

  private static final int IDLE_SECONDS = 10;

  /** Between two reports that there is no thread left. */
  private static final int REPORT_TICKS = 60_000;

  private final TaskQueue waiting = new TaskQueue();
  private final ReentrantLock polling = new ReentrantLock();

  /** Those who run now, each with what it runs and counts. */
  private final Set<SharedSeat> seats = ConcurrentHashMap.newKeySet();

  /** What threads that are done have counted. Under its own lock. */
  private final Counters counted = new Counters();

  private final ThreadPoolExecutor threads;
  private final int most;
  private final Tick tick;
  private final Consumer<String> report;
  private final @Nullable ClassLoader contextLoader;

  /** When that was last said, if it was. The ticking thread's own. */
  private @Nullable Integer saidFull;

  public ElasticRunner(String system, Tick tick, Consumer<String> report) {
    this(system, tick, report, MAX_THREADS);
  }

  ElasticRunner(String system, Tick tick, Consumer<String> report, int most) {
    this.tick = tick;
    this.report = report;
    this.most = most;
    this.contextLoader = Thread.currentThread().getContextClassLoader();
    var made = new AtomicLong();
    this.threads =
        new ThreadPoolExecutor(
            0,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            body ->
                new SeatThread(
                    "turnwise-" + system + "-blocking-" + made.getAndIncrement(),
                    body,
                    contextLoader));
  }

  @Override
  public boolean enqueue(Task task, @Nullable Fiber here) {
    task.queuedAt(tick.fresh());
    waiting.push(task);
    return true;
  }

  @Override
  public void rouse(Task task) {
    isRoused();
  }

  /**
   * If not, all threads are busy, or it is stopped: the next one to be done takes it, or nobody.
   */
  private boolean isRoused() {
    try {
      threads.execute(this::runWaiting);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Whatever needs memory comes before a task is taken: one that is in hand must be run. */
  private void runWaiting() {
    var seat = new SharedSeat();
    seats.add(seat);
    if (Thread.currentThread() instanceof SeatThread own) own.seat = seat;
    try {
      runWaiting(seat);
    } finally {
      synchronized (counted) {
        seats.remove(seat);
        counted.add(seat.counters);
      }
    }
    if (seat.isSpoiled()) endThread();
  }

  private void runWaiting(SharedSeat seat) {
    Task task;
    while (!seat.isSpoiled() && (task = poll()) != null) {
      seat.task = task;
      boolean more;
      try {
        do {
          more = seat.run(task);
        } while (more && !seat.isSpoiled());
      } catch (Abandonment over) {
        seat.counters.abandonedEnded++;
        seat.spoil(); // its task went on without it, and this thread may be in any state
        break;
      }
      seat.letGo();
      Thread.interrupted(); // one that was meant for this task
      if (more) enqueue(task, null);
    }
  }

  /** The pool lets go of a thread whose task throws, and of no other. Does not return. */
  private void endThread() {
    Task first = waiting.first();
    if (first != null) rouse(first); // who waits would have been this thread's next
    Thread.currentThread().setUncaughtExceptionHandler((_, _) -> {}); // nothing has happened
    throw Abandonment.OVER;
  }

  /** On a thread that other actors use afterwards. */
  private final class SharedSeat extends ThreadSeat {
    private final Object interrupting = new Object();

    SharedSeat() {
      super(Thread.currentThread(), tick);
      lookAtMeters(); // what it has used so far was for others
    }

    /** Afterwards nobody interrupts this thread for its sake any more. */
    void letGo() {
      synchronized (interrupting) {
        task = null;
      }
    }

    void interrupt(Task meant, BooleanSupplier mayInterrupt) {
      synchronized (interrupting) {
        if (task == meant && mayInterrupt.getAsBoolean()) thread.interrupt();
      }
    }

    @Override
    public void scrub() {
      super.scrub();
      if (JdkDoor.hasThreadLocals(thread)) JdkDoor.dropThreadLocals(thread);
      if (JdkDoor.contextLoader(thread) != contextLoader)
        thread.setContextClassLoader(contextLoader);
      if (JdkDoor.hasOpenScopes(thread)) {
        JdkDoor.dropScopes(thread);
        spoil();
      }
    }
  }

  @Override
  public @Nullable Thread threadOf(Task task) {
    SharedSeat seat = sharedSeatOf(task);
    return seat == null ? null : seat.thread;
  }

  @Override
  public @Nullable Thread carrierOf(Task task) {
    return threadOf(task);
  }

  @Override
  public @Nullable Seat seatOf(Task task) {
    return sharedSeatOf(task);
  }

  /**
   * A thread lets go of a task a moment after that went idle, and by then another may have it. The
   * one that is in a handler is the one that runs it.
   */
  private @Nullable SharedSeat sharedSeatOf(Task task) {
    SharedSeat found = null;
    for (SharedSeat seat : seats) {
      if (seat.task != task) continue;
      if (seat.isInHandler()) return seat;
      found = seat;
    }
    return found;
  }

  @Override
  public void interrupt(Task task, BooleanSupplier mayInterrupt) {
    SharedSeat seat = sharedSeatOf(task);
    if (seat != null) seat.interrupt(task, mayInterrupt);
  }

  @Override
  public @Nullable AbandonedTurn abandonRunning(Task task, BooleanSupplier still) {
    SharedSeat seat = sharedSeatOf(task);
    return seat == null ? null : seat.abandonRunning(task, seat.thread, seat.thread, null, still);
  }

  @Override
  public boolean isMasked(Task task) {
    SharedSeat seat = sharedSeatOf(task);
    return seat != null && seat.isMasked();
  }

  private @Nullable Task poll() {
    polling.lock();
    try {
      return waiting.poll();
    } finally {
      polling.unlock();
    }
  }

  /** Once a tick: looks whether somebody waits without a thread. */
  public void tick() {
    Task first = waiting.first();
    if (first == null) return;
    try {
      if (!isRoused() && !threads.isShutdown()) sayFull();
    } catch (OutOfMemoryError e) {
      // At the next tick, then.
    }
  }

  private void sayFull() {
    int now = tick.now();
    if (saidFull != null && now - saidFull < REPORT_TICKS) return;
    saidFull = now;
    int leftBehind = 0;
    for (SharedSeat seat : seats) if (seat.isAbandoned()) leftBehind++;
    report.accept(
        "All "
            + most
            + " threads for actors with Backend.BLOCKING are in use, "
            + leftBehind
            + " of them by handlers that were left behind. Who is to run there, to be stopped and to be"
            + " killed included, waits until one is done. [NO-THREAD-LEFT]\n"
            + "  next:  use Backend.ASYNC for actors that only wait; [HANDLER-ABANDONED] says where"
            + " the others are");
  }

  public void addCounters(Counters sum) {
    synchronized (counted) {
      for (SharedSeat seat : seats) sum.add(seat.counters);
      sum.add(counted);
    }
  }

  /** Without a lock, and without memory: the ticking thread asks at each beat. */
  public boolean isBusy() {
    return !seats.isEmpty() || waiting.first() != null;
  }

  public void stop() {
    threads.shutdown();
  }
}
