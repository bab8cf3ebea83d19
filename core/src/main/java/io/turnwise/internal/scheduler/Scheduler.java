package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.JdkDoor;
import io.turnwise.observation.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** A set of workers, the injector before them, and the list of those that sleep. */
public final class Scheduler implements Runner {
  private static final int DRIVEN_ROUNDS = 16;

  /** How a scheduler comes to its workers. */
  @FunctionalInterface
  interface WorkerMaker {
    Worker make(Scheduler scheduler, int index);
  }

  /** Where a test injects the death of a worker's thread. */
  @FunctionalInterface
  interface Faults {
    void at(FaultPoint point);
  }

  private static final System.Logger LOG = System.getLogger("io.turnwise");

  final TaskQueue injector = new TaskQueue();
  final IdleWorkers idle;
  final OpenRequests openRequests;
  final Wheels wheels = new Wheels();
  final Tick tick;
  final @Nullable ClassLoader contextLoader;

  /** Who decides what comes next, in a simulation; else null. */
  final @Nullable Director director;

  /** A single core gains nothing from a worker that looks again and again. */
  final boolean spins;

  /** Of threads that none of our handlers started, but whose maker was one. */
  final ForeignThreads nobodys = new ForeignThreads(null);

  final ForeignOwners foreignOwners = new ForeignOwners();

  /** Where those come in that handlers started. */
  final ForeignArrivals arrivals = new ForeignArrivals(this);

  /** What the first of its idle workers looks out for, if anything. */
  volatile @Nullable Lookout lookout;

  /** A worker that is at that now: for how long, nobody knows. Or -1. */
  volatile int ringing = -1;

  private final String name;
  private final boolean threaded;
  private final Runnable onAwake;
  private final WorkerMaker maker;
  private final AtomicReferenceArray<Worker> workers;
  private final AtomicLong fibersMade = new AtomicLong();
  private final AtomicLong workersReplaced = new AtomicLong();
  private final ReentrantLock resizing = new ReentrantLock();

  /**
   * An inbox for each place that a worker has had. It outlives the worker: whoever read the old
   * number of workers may push to it at any later time. Then the ticking thread finds it there, or
   * the next worker that has this place.
   */
  private final AtomicReferenceArray<TaskQueue> inboxes;

  private final Spares spares;

  /** Workers that are being removed, until they have given everything away. */
  private final List<Worker> leaving = new CopyOnWriteArrayList<>();

  /**
   * What removed workers have counted. Its monitor is held while a worker passes from those that
   * work to those that leave, from there to here, or back: so that each is counted once.
   */
  private final Counters removed = new Counters();

  private volatile int count;
  private volatile boolean stopped;
  private volatile @Nullable Faults faults;

  /**
   * @param threaded false for tests, which drive the workers by {@link #runUntilIdle}
   * @param onAwake called by a worker that was asleep: somebody may have to tick again
   * @param report says what a person must know; must not block
   */
  public Scheduler(
      String name,
      int count,
      int maximum,
      Tick tick,
      boolean threaded,
      Runnable onAwake,
      Consumer<String> report) {
    this(
        name,
        count,
        maximum,
        tick,
        threaded,
        threaded && Runtime.getRuntime().availableProcessors() > 1,
        null,
        (scheduler, index) -> new Worker(scheduler, index, false),
        onAwake,
        report);
  }

  /** For a system that runs on its director's thread. */
  public Scheduler(
      String name,
      int count,
      int maximum,
      Tick tick,
      Director director,
      Runnable onAwake,
      Consumer<String> report) {
    this(
        name,
        count,
        maximum,
        tick,
        false,
        false,
        director,
        (scheduler, index) -> new DirectedWorker(scheduler, index, director),
        onAwake,
        report);
  }

  /** For workers without threads that look for work as if there were many processors. */
  Scheduler(
      String name,
      int count,
      int maximum,
      Tick tick,
      WorkerMaker maker,
      Runnable onAwake,
      Consumer<String> report) {
    this(name, count, maximum, tick, false, true, null, maker, onAwake, report);
  }

  Scheduler(
      String name,
      int count,
      int maximum,
      Tick tick,
      boolean threaded,
      boolean spins,
      @Nullable Director director,
      WorkerMaker maker,
      Runnable onAwake,
      Consumer<String> report) {
    this.name = name;
    this.director = director;
    this.tick = tick;
    this.threaded = threaded;
    this.spins = spins;
    this.maker = maker;
    this.onAwake = onAwake;
    this.spares = new Spares(this, report);
    this.idle = new IdleWorkers(maximum);
    this.openRequests = new OpenRequests(maximum);
    this.workers = new AtomicReferenceArray<>(maximum);
    this.inboxes = new AtomicReferenceArray<>(maximum);
    this.contextLoader = Thread.currentThread().getContextClassLoader();
    try {
      grow(count);
      if (threaded) spares.prepareNext();
      Preemption.join(this);
      new ForeignTask(() -> {}, this).queueNext = null; // looked up here: see StrandedTasks
    } catch (Throwable broken) { // nobody else knows the workers that have begun
      stop();
      letGo();
      throw broken;
    }
    synchronized (StrandedTasks.LOCK) {
      Task first = StrandedTasks.first;
      StrandedTasks.first = first;
    }
  }

  public String name() {
    return name;
  }

  /** Whether its workers have threads of their own. */
  boolean isThreaded() {
    return threaded;
  }

  /** From now on one of its idle workers looks out for this. */
  public void lookOutFor(Lookout lookout) {
    this.lookout = lookout;
  }

  // ---- waking --------------------------------------------------------------------------------

  @Override
  public boolean enqueue(Task task, @Nullable Fiber here) {
    RunQueue from = null;
    if (here == null) from = queueOfThisThread();
    else if (here.scheduler() == this) from = here.queue;
    return enqueueFrom(from, task, here != null && here.isInStream());
  }

  /** The same from the worker that runs the caller, or from no worker of this scheduler. */
  boolean enqueueFrom(@Nullable RunQueue from, Task task, boolean streams) {
    if (from != null && !(streams && staysHome(task, from))) return from.admit(task, streams);
    task.queuedAt(tick.now());
    (task.pinned || from != null ? homeOf(task).inbox : injector).push(task);
    return true;
  }

  /** The receiver of a stream goes back to where it ran, so that it is emptied there. */
  private boolean staysHome(Task task, RunQueue from) {
    return task.home != from.index && task.home < count && !task.pinned;
  }

  @Override
  public void rouse(Task task) {
    Worker home = homeWorkerOf(task);
    if (!home.queue.inbox.isEmpty()) wake(home.queue);
    if (task.pinned) {
      if (task.home >= count) awake(); // it may be in the inbox of one that has gone: see the tick
      home.watch.noticeLasting();
      if (home.mayBeAsked()) home.askToStop();
    } else if (idle.sleepers > 0) {
      if (!someoneIsQuick()) wakeOne();
    } else {
      preemptOldest();
    }
  }

  /**
   * Something waits and nobody is free: two are to look for it. Two, because one of them may be
   * where the machine is not running it: who asks runs on a core as well. A worker whose slice is
   * not known to be long is one of these, as it is about to look by itself; unless that slice is
   * the beginning of a long one, so it is not enough. Those of the others whose slices are the
   * oldest are to stop.
   *
   * <p>Of many workers, some are looked at, others the next time: who sends pays for the looks. The
   * oldest of those is old as well; and should none of them be long, they look by themselves.
   */
  private void preemptOldest() {
    int n = count;
    int looks = Math.min(n, MOST_LOOKS);
    int from = firstLook(n);
    int between = 0;
    int asked = 0;
    for (int i = 0; i < looks; i++) {
      Worker worker = worker((from + i) % n);
      if (!worker.isInLongSlice()) worker.watch.noticeLasting();
      if (!worker.isInLongSlice()) between++;
      else if (worker.hasOpenRequest()) asked++;
    }
    Worker own = null;
    if (between > 0 && isInjectorMoving()) {
      asked += between;
      if (asked < Math.min(2, n)) own = workerUnderThisThread(); // not for what it sends itself
    }
    for (; asked < Math.min(2, n); asked++) {
      Worker oldest = null;
      for (int i = 0; i < looks; i++) {
        Worker worker = worker((from + i) % n);
        if (worker == own || !worker.mayBeAsked()) continue;
        if (oldest == null || worker.queue.longSlice.since() - oldest.queue.longSlice.since() < 0)
          oldest = worker;
      }
      if (oldest == null) return;
      oldest.askToStop();
    }
  }

  /**
   * Whether somebody took from the injector while the last few came. Senders write these fields as
   * they please: who guesses wrong asks once too often, or leaves it to the next tick.
   */
  private boolean isInjectorMoving() {
    int taken = injector.taken();
    if (taken != takenWhenSeen) {
      takenWhenSeen = taken;
      seenStanding = 0;
    } else {
      seenStanding++;
    }
    return seenStanding < STANDS;
  }

  private static final int STANDS = 4;
  private static final int MOST_LOOKS = 16;

  /** Where the next sender that looks round begins. Senders write it as they please. */
  private int looksFrom;

  private int firstLook(int n) {
    if (n <= MOST_LOOKS) return 0;
    int from = looksFrom;
    looksFrom = (from + MOST_LOOKS) % n;
    return from % n; // there may be fewer now
  }

  private int takenWhenSeen;
  private int seenStanding;

  /** How many suspended fibers wait for a lock that somebody has. */
  private final AtomicInteger lockWaiters = new AtomicInteger();

  /** When the last of them began to. Each writes it as it pleases: they differ by little. */
  private volatile int lockWaitBegan;

  /**
   * After so long without a new one, whoever has the lock has had many turns, and is not going to
   * give it back soon, if ever: what others lose for its sake would be lost for nothing.
   */
  private static final int LOCK_WAIT_TICKS = 1_000;

  boolean isLockWanted() {
    return lockWaiters.get() > 0 && tick.now() - lockWaitBegan < LOCK_WAIT_TICKS;
  }

  /**
   * A fiber is about to be suspended for want of a lock. Whoever was stopped last may well have it:
   * often it was stopped for the very task that now waits. So it goes on before all others.
   */
  void beginLockWait() {
    lockWaitBegan = tick.now();
    lockWaiters.incrementAndGet();
    int n = count;
    for (int i = 0; i < n; i++) {
      Task stopped = worker(i).lastStopped;
      if (stopped != null && stopped.preempted && stopped.phase == Task.Phase.QUEUED_CODE)
        advance(stopped, Seat.MIN_SLICE_NANOS);
    }
  }

  void endLockWait() {
    lockWaiters.decrementAndGet();
  }

  /** A field: asked where there may be no memory for another. */
  private final IntPredicate hasOpenRequest = i -> i < workerCount() && worker(i).hasOpenRequest();

  boolean hasOpenRequest() {
    if (openRequests.isAny(hasOpenRequest)) return true;
    for (int i = 0; i < spares.count(); i++) if (spares.get(i).hasOpenRequest()) return true;
    if (leaving.isEmpty()) return false;
    for (Worker leaving : leaving) if (leaving.hasOpenRequest()) return true;
    return false;
  }

  /**
   * Whether a worker that is awake will have looked at the injector before a sleeper could be up.
   * If it turns out otherwise, the next tick wakes one. Of many workers, some are looked at.
   */
  private boolean someoneIsQuick() {
    int n = count;
    int looks = Math.min(n, MOST_LOOKS);
    int from = firstLook(n);
    for (int i = 0; i < looks; i++) {
      int worker = (from + i) % n;
      if (idle.isSleeping(worker) || worker == ringing) continue;
      if (queue(worker).isQuick() || worker(worker).looksNext()) return true;
    }
    return false;
  }

  /**
   * Runs a suspended turn on after the workers have ended: it may hold or wait for something that
   * others need. Turns that have not begun are left.
   */
  void runAfterStop(Task task) {
    Fiber fiber = task.suspended;
    if (task instanceof ForeignTask foreign) {
      startAfterStop(foreign::runAfterStop);
    } else if (fiber != null) {
      startAfterStop(
          () -> {
            fiber.beginAgain(task);
            fiber.mount(fiber.worker);
            if (fiber.task != null) fiber.settleSuspended();
            else fiber.end();
          });
    }
  }

  private void startAfterStop(Runnable slice) {
    Thread.ofPlatform().daemon().name("turnwise-" + name + "-after-close").start(slice);
  }

  /** What was queued while the workers ended. By who stopped them, and by who queued too late. */
  private void drainAfterStop() {
    Task task;
    while ((task = injector.tryPoll()) != null) runAfterStop(task);
    for (Share share : shares) while ((task = share.next()) != null) runAfterStop(task);
    for (int i = 0; i < inboxes.length(); i++) {
      TaskQueue inbox = inboxes.get(i);
      if (inbox == null) return; // nor do those behind it have any
      while ((task = inbox.tryPoll()) != null) runAfterStop(task);
    }
  }

  /** For callers that must not see an exception. */
  void wakeSafely(Task task) {
    if (stopped) {
      runAfterStop(task);
      return;
    }
    boolean rouse;
    Fiber here = null;
    try {
      here = Fiber.current();
      rouse = enqueue(task, here);
    } catch (Throwable e) {
      if (here != null) {
        task.queueNext = here.stranded;
        here.stranded = task;
      } else {
        synchronized (StrandedTasks.LOCK) {
          task.queueNext = StrandedTasks.first;
          StrandedTasks.first = task;
        }
      }
      return;
    }
    try {
      if (rouse) rouse(task);
    } catch (Throwable e) {
      // It is queued: the next tick wakes somebody for it.
    }
    if (stopped) drainAfterStop();
  }

  /** The worker under the current thread, if that is a virtual thread that a handler started. */
  static @Nullable Worker workerOfForeignThread() {
    Fiber maker = Fiber.makerOf(Thread.currentThread());
    if (maker == null) return null;
    Worker under = maker.scheduler().workerUnderThisThread();
    return under == null || under.foreign.inHand() == null ? null : under;
  }

  /** The worker whose platform thread carries the current thread, of whatever scheduler. */
  @Nullable Worker workerUnderThisThread() {
    Thread carrier = JdkDoor.currentCarrier();
    if (carrier instanceof WorkerThread own) return own.worker;
    if (threaded) return null;
    int n = count;
    for (int i = 0; i < n; i++) if (worker(i).driver == carrier) return worker(i);
    return null;
  }

  /**
   * Wakes a sleeper to search, unless somebody searches already. Whoever calls may be at the end of
   * its stack, and one that counts as a searcher and still sleeps would be left to search for ever.
   */
  void wakeOne() {
    if (idle.sleepers == 0 || idle.searching() > 0) return;
    StackProbe.forWait();
    int worker = idle.claimSearcher();
    if (worker >= 0) worker(worker).unpark();
  }

  /** Wakes this one: something came that only it may run. */
  void wake(RunQueue queue) {
    if (!idle.isSleeping(queue.index)) return;
    StackProbe.forWait();
    if (idle.claimAsSearcher(queue.index)) worker(queue.index).unpark();
    else if (hasWork()) wakeOne(); // it may have been left to the searcher that this was
  }

  void awake() {
    onAwake.run();
  }

  /** Of the worker whose platform thread this is, or null. */
  private @Nullable RunQueue queueOfThisThread() {
    if (director != null && director.isHere()) return queue(0);
    return Thread.currentThread() instanceof WorkerThread own && own.worker.scheduler == this
        ? own.worker.queue
        : null;
  }

  /** Whether any queue that every worker may take from has something in it. */
  boolean hasWork() {
    if (!injector.isEmpty()) return true;
    int n = count;
    for (int i = 0; i < n; i++) {
      RunQueue queue = queue(i);
      if (queue.isWorthStealing() || queue.canSpare() || queue.hasOverdueInbox()) return true;
    }
    return false;
  }

  // ---- workers -------------------------------------------------------------------------------

  RunQueue homeOf(Task task) {
    return homeWorkerOf(task).queue;
  }

  private Worker homeWorkerOf(Task task) {
    int n = count;
    return worker(task.home < n ? task.home : task.home % n);
  }

  RunQueue queue(int index) {
    return worker(index).queue;
  }

  Worker worker(int index) {
    return workers.get(index);
  }

  public int workerCount() {
    return count;
  }

  /** Changes the number of workers while they run. */
  public void resize(int wanted) {
    resizing.lock();
    try {
      if (stopped)
        throw new IllegalStateException(
            "The dispatcher "
                + name
                + " is closed, and cannot be resized. [DISPATCHER-CLOSED]\n"
                + "  next:  resize it before close, or open another system");
      if (wanted > workers.length())
        throw new IllegalArgumentException(
            "workers is " + wanted + "; use at most " + workers.length());
      if (wanted > count) grow(wanted);
      else shrink(wanted);
    } finally {
      resizing.unlock();
    }
  }

  private void grow(int wanted) {
    List<Worker> back = new ArrayList<>();
    for (int i = count; i < wanted; i++) {
      Worker before = workers.get(i);
      if (before != null && before.stays()) {
        back.add(before);
        continue;
      }
      try {
        addWorker(i);
      } catch (Throwable noThread) { // those before it work; whoever grows next begins here
        count(i, back);
        throw noThread;
      }
    }
    count(wanted, back);
  }

  private void addWorker(int place) {
    Worker worker = maker.make(this, place);
    workers.set(place, worker);
    try {
      if (threaded) startThread(worker);
    } catch (Throwable noThread) {
      worker.neverRan();
      throw noThread;
    }
  }

  private void count(int wanted, List<Worker> back) {
    synchronized (removed) {
      leaving.removeAll(back);
      count = wanted;
    }
  }

  /**
   * Nobody waits for those that leave: a handler may hold one for ever. Meanwhile the ticking
   * thread gives away what lies there.
   */
  private void shrink(int wanted) {
    List<Worker> going = new ArrayList<>();
    for (int i = wanted; i < count; i++) going.add(worker(i));
    synchronized (removed) {
      leaving.addAll(going);
      count = wanted;
    }
    for (Worker worker : going) {
      worker.retiring = true;
      if (threaded) {
        wake(worker.queue);
      } else if (worker.mayEnd()) {
        worker.queue.handOver();
        worker.queue.letGo();
        hasLeft(worker);
      }
    }
    wakeOne();
  }

  /** It has given everything away. By its own thread; also for one that ends with the system. */
  private void hasLeft(Worker worker) {
    synchronized (removed) {
      if (leaving.remove(worker)) removed.add(worker.counters);
    }
  }

  /** Makes it for the first worker at this place. While nobody else resizes. */
  TaskQueue inboxOf(int place) {
    TaskQueue inbox = inboxes.get(place);
    if (inbox == null) inboxes.set(place, inbox = new TaskQueue());
    return inbox;
  }

  private void startThread(Worker worker) {
    makeThread(worker).start();
  }

  Thread makeThread(Worker worker) {
    var thread = new WorkerThread(worker);
    worker.thread = thread;
    return thread;
  }

  private String threadName(Worker worker) {
    return isSpare(worker)
        ? "turnwise-" + name + "-spare-" + (worker.index - workers.length())
        : "turnwise-" + name + "-worker-" + worker.index;
  }

  int mostWorkers() {
    return workers.length();
  }

  /** Their numbers go on after those that workers may have. */
  private boolean isSpare(Worker worker) {
    return worker.index >= workers.length();
  }

  /** For people, who know of workers by their number and of spares not at all. */
  String nameOf(Worker worker) {
    return isSpare(worker) ? "A spare thread" : "Worker " + worker.index;
  }

  private final class WorkerThread extends Thread {
    private final Worker worker;

    WorkerThread(Worker worker) {
      super(null, null, threadName(worker), 0, false);
      this.worker = worker;
      setDaemon(true);
      setContextClassLoader(contextLoader);
    }

    @Override
    public void run() {
      for (; ; ) {
        try {
          worker.run();
          hasLeft(worker);
          return;
        } catch (Throwable e) {
          afterDeath(worker, e);
        }
      }
    }
  }

  /**
   * An error left the worker's loop. The loop begins anew on the same thread: a new one might not
   * be had when memory is what is missing.
   */
  private void afterDeath(Worker worker, Throwable cause) {
    workersReplaced.incrementAndGet();
    try {
      LOG.log(
          System.Logger.Level.ERROR,
          nameOf(worker) + " of dispatcher " + name + ": its loop died, and begins anew",
          cause);
    } catch (Throwable unsaid) {
      LockSupport.parkNanos(ParkReason.WAITING_FOR_WORK, 1_000_000); // let memory come back
    }
  }

  public long workersReplaced() {
    return workersReplaced.get();
  }

  String fiberName() {
    return "turnwise-" + name + "-fiber-" + fibersMade.incrementAndGet();
  }

  void injectFaults(@Nullable Faults faults) {
    this.faults = faults;
  }

  void faultPoint(FaultPoint point) {
    Faults now = faults;
    if (now != null) now.at(point);
  }

  // ---- looking from outside ------------------------------------------------------------------

  /** What the ticking thread saw when it last looked. Its own field. */
  private @Nullable Task injectorLastSeen;

  /** Whose thread was sampled last: one a tick, so that many workers cost no more than few. */
  private int sampled;

  /**
   * Between two ticks, if {@link #wantsLook}: slices that had just begun at the last one, and that
   * others wait for, may turn out to be long.
   */
  public void lookAgain() {
    long now = tick.nanoTime();
    int n = count;
    for (int i = 0; i < n; i++) worker(i).watch.lookAgain(now);
  }

  /** Whether to {@link #lookAgain} before the next tick. By who ticks. */
  public boolean wantsLook() {
    int n = count;
    for (int i = 0; i < n; i++) if (worker(i).watch.wantsLook()) return true;
    return false;
  }

  /** Once a tick: finds tasks that wait since the last tick while workers sleep. */
  public void tick() {
    StrandedTasks.rescue();
    if (director == null) lookAtWorkers();
    for (Share share : shares) share.tick(this);
    if (++ticksSinceTidy >= TICKS_TO_TIDY) { // not by the clock: virtual time jumps
      ticksSinceTidy = 0;
      foreignOwners.tidy();
    }
  }

  /** Whether busy tasks waited at the last tick that any worker could run. Its own field. */
  private boolean mayHelp;

  /**
   * Whether a worker that has nothing else to run than what is in hand could help others with what
   * is left of their round. The ticking thread.
   */
  boolean mayHelp() {
    return mayHelp;
  }

  private void lookAtWorkers() {
    rescueLate();
    int n = count;
    mayHelp = false;
    for (int i = 0; i < n && !mayHelp; i++) mayHelp = queue(i).wheel.movable() > 0;
    boolean overdue = false;
    long now = tick.nanoTime();
    for (int i = 0; i < n; i++) {
      Worker worker = worker(i);
      overdue |= worker.watch.noticeOverdue(now);
      if (!worker.queue.inbox.isEmpty()) wake(worker.queue); // if it sleeps: it alone may run these
    }
    for (int i = 0; i < spares.count(); i++) spares.get(i).watch.noticeOverdue(now);
    if (!leaving.isEmpty()) handOverOfLeaving(now); // an iterator takes memory
    sampled = (sampled + 1) % n;
    worker(sampled).watch.sampleThread();
    Task first = injector.first();
    overdue |= first != null && first == injectorLastSeen;
    injectorLastSeen = first;
    if (overdue && idle.sleepers > 0) wakeOne();
  }

  private void handOverOfLeaving(long now) {
    for (Worker worker : leaving) {
      worker.watch.noticeOverdue(now);
      worker.queue.handOver();
    }
  }

  private static final int TICKS_TO_TIDY = 1_000;

  /** The ticking thread's own. */
  private int ticksSinceTidy;

  // ---- shares ----------------------------------------------------------------------------------

  private volatile Share[] shares = {Share.OTHERS};

  boolean hasShares() {
    return shares.length > 1;
  }

  Share[] shares() {
    return shares;
  }

  /** Adds a share. */
  public Share newShare(int weight, double ceiling) {
    resizing.lock();
    try {
      Share[] now = shares;
      if (now.length >= Share.MOST)
        throw new IllegalStateException(
            "The dispatcher " + name + " has " + (Share.MOST - 1) + " share groups already");
      var share = new Share(now.length, weight, ceiling);
      Share[] more = java.util.Arrays.copyOf(now, now.length + 1);
      more[now.length] = share;
      shares = more;
      return share;
    } finally {
      resizing.unlock();
    }
  }

  /** A task that had to wait for its share's next window. */
  void putBack(Task task) {
    injector.push(task);
    wakeOne();
  }

  public long workersRelieved() {
    return spares.relieved();
  }

  /** The ticking thread: a worker is stuck. Somebody takes over, where there are threads. */
  void relieve() {
    if (threaded) spares.relieve();
  }

  Spares spares() {
    return spares;
  }

  /** Whoever read the old number of workers may push to the inbox of one that has gone. */
  private void rescueLate() {
    for (int i = count; i < inboxes.length(); i++) {
      TaskQueue inbox = inboxes.get(i);
      if (inbox == null) return; // nor do those behind it have any
      Task late;
      while ((late = inbox.tryPoll()) != null) {
        injector.push(late);
        wakeOne();
      }
    }
  }

  /** The thread of the turn that this task has under way, or null. */
  public @Nullable Thread threadOf(Task task) {
    Fiber fiber = fiberWith(task);
    return fiber == null ? null : fiber.thread();
  }

  /** Where the turn that this task has under way runs or is suspended, or null. */
  public @Nullable Seat seatOf(Task task) {
    return fiberWith(task);
  }

  private @Nullable Fiber fiberWith(Task task) {
    Fiber fiber = task.suspended;
    return fiber != null ? fiber : fiberOf(task);
  }

  /** Whether this task holds a worker that was found stuck. Any thread; a look, no more. */
  public boolean isStuckIn(Task task) {
    Fiber fiber = fiberOf(task);
    return fiber != null && fiber.worker.watch.isStuckIn(fiber);
  }

  /** The platform thread on which this task runs now, or null. Any thread; a look, no more. */
  public @Nullable Thread carrierOf(Task task) {
    Fiber fiber = fiberOf(task);
    return fiber == null ? null : fiber.worker.thread;
  }

  /** See {@link Fiber#abandonRunning}. */
  public @Nullable AbandonedTurn abandonRunning(Task task, BooleanSupplier still) {
    Fiber fiber = fiberOf(task);
    return fiber == null ? null : fiber.abandonRunning(task, still);
  }

  /** Whether the turn that this task has under way is not to be cancelled now. */
  public boolean isMasked(Task task) {
    Fiber fiber = fiberWith(task);
    return fiber != null && fiber.isMasked();
  }

  /** A turn that is to end waits behind all that are busy: let it be next. */
  public void hurry(Task task) {
    advance(task, Integer.MAX_VALUE);
  }

  /**
   * Lets a task be next that lies in a wheel, or waits for its group's next window. With less
   * credit it would go back there.
   */
  private void advance(Task task, int leastCredit) {
    if (!isRemoved(task)) return;
    task.credit = Math.max(task.credit, leastCredit);
    injector.push(task);
    rouse(task);
  }

  private boolean isRemoved(Task task) {
    int n = count;
    for (int i = 0; i < n; i++) if (queue(i).wheel.remove(task)) return true;
    Share share = task.share();
    return share != null && share.remove(task);
  }

  /** The fiber that runs this task now, or null. Any thread; a look, no more. */
  private @Nullable Fiber fiberOf(Task task) {
    int n = count;
    for (int i = 0; i < n; i++) {
      Fiber fiber = worker(i).fiberOf(task);
      if (fiber != null) return fiber;
    }
    for (int i = 0; i < spares.count(); i++) {
      Fiber fiber = spares.get(i).fiberOf(task);
      if (fiber != null) return fiber;
    }
    for (Worker leaving : leaving) {
      Fiber fiber = leaving.fiberOf(task);
      if (fiber != null) return fiber;
    }
    return null;
  }

  /** Whether some worker is not asleep, or is being removed. */
  public boolean isBusy() {
    return idle.sleepers < count || !leaving.isEmpty();
  }

  public void addCounters(Counters sum) {
    synchronized (removed) {
      for (int i = 0; i < count; i++) sum.add(worker(i).counters);
      for (Worker worker : leaving) sum.add(worker.counters);
      sum.add(removed);
    }
    for (int i = 0; i < spares.count(); i++) sum.add(spares.get(i).counters);
  }

  /**
   * Takes what each worker publishes of its load: index, queued, turn of the wheel in ns, asleep.
   */
  public void eachLoad(LoadReader reader) {
    int n = count;
    for (int i = 0; i < n; i++) {
      Worker worker = worker(i);
      reader.read(
          i,
          worker.queue.waiting(),
          worker.queue.wheelTurnNanos(),
          idle.isSleeping(i),
          worker.watch.account().usage(tick, 0));
    }
  }

  /** Receives the load of one worker. */
  @FunctionalInterface
  public interface LoadReader {
    void read(int worker, int queued, long wheelTurnNanos, boolean asleep, Usage usage);
  }

  // ---- the end -------------------------------------------------------------------------------

  public boolean isStopped() {
    return stopped;
  }

  /** Ends the workers after the slices in hand. What is queued is left where it is. */
  public void stop() {
    stopped = true;
    for (int i = 0; i < spares.count(); i++) spares.get(i).foreign.askToStop();
    for (int i = 0; i < count; i++) {
      Worker worker = worker(i);
      worker.foreign.askToStop();
      wake(worker.queue);
      worker.unpark();
    }
    for (int i = 0; i < spares.count(); i++) spares.get(i).unpark();
    for (Worker worker : leaving) {
      worker.foreign.askToStop();
      worker.unpark();
    }
    if (threaded) return;
    // Nobody else does it where there are no threads.
    if (Thread.currentThread().isVirtual()) startAfterStop(this::endFreeFibers);
    else endFreeFibers();
  }

  private void endFreeFibers() {
    for (int i = 0; i < count; i++) worker(i).endFreeFibers();
    Fiber first = usher;
    usher = null;
    if (first != null) first.end();
  }

  /** After {@link #awaitStopped}: who has not stopped by now is not asked any more. */
  public void letGo() {
    Preemption.leave(this);
  }

  /** Waits for the workers' threads, no longer than that. Returns false if one still runs then. */
  public boolean awaitStopped(long nanos) throws InterruptedException {
    long deadline = System.nanoTime() + nanos;
    List<Worker> all = new ArrayList<>(leaving);
    for (int i = 0; i < count; i++) all.add(worker(i));
    boolean ended = true;
    for (Worker worker : all) {
      Thread thread = worker.thread;
      if (thread == null) continue;
      long left = deadline - System.nanoTime();
      if (left > 0) thread.join(Duration.ofNanos(left));
      ended &= !thread.isAlive();
    }
    drainAfterStop(); // also if one has not: what others left is not its own
    return ended;
  }

  /** The director's thread: runs one slice of a task that the director has chosen. */
  void runDirected(Task task) {
    Worker worker = worker(0);
    worker.driver = Thread.currentThread();
    worker.dispatch(task);
    worker.driver = null;
  }

  /** The director's thread: starts a virtual thread whose slices the director is to choose. */
  public void startDirected(Runnable code, Director by) {
    Fiber first = usher;
    if (first == null) usher = first = new Fiber(this, worker(0));
    JdkDoor.newFiberThread(new FiberPool(first, by), name + "-errand", code).start();
  }

  /** Threads of virtual time are known by a fiber; this one has no other use. */
  private @Nullable Fiber usher;

  /** Whether something came from threads that are no workers. */
  public boolean hasArrivals() {
    return !injector.isEmpty();
  }

  /** The director's thread: gives it what came from threads that are no workers. */
  public void takeIn(Director by) {
    Task task;
    while ((task = injector.tryPoll()) != null) by.ready(task);
    for (int i = 0; i < count; i++)
      while ((task = queue(i).inbox.tryPoll()) != null) by.ready(task);
  }

  /** Tests only: runs the workers in turn on the calling thread until none has anything to do. */
  public void runUntilIdle(Consumer<? super String> trace) {
    boolean any;
    int rounds = 0;
    do {
      any = false;
      for (int i = 0; i < count; i++) {
        if (worker(i).runUntilIdle()) {
          any = true;
          trace.accept("worker " + i);
        }
      }
      // Or until that takes long: whoever drives wants to look round, and calls it again.
    } while (any && ++rounds < DRIVEN_ROUNDS);
  }
}
