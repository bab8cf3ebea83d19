package io.turnwise.internal.cell;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Dispatcher;
import io.turnwise.RootFailure;
import io.turnwise.StopReason;
import io.turnwise.SystemConfig;
import io.turnwise.internal.door.DumpBean;
import io.turnwise.internal.door.JdkDoor;
import io.turnwise.internal.mailbox.WaitGraph;
import io.turnwise.internal.name.Names;
import io.turnwise.internal.scheduler.Counters;
import io.turnwise.internal.scheduler.Director;
import io.turnwise.internal.scheduler.ElasticRunner;
import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.ParkReason;
import io.turnwise.internal.scheduler.Runner;
import io.turnwise.internal.scheduler.Scheduler;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.scheduler.Task;
import io.turnwise.internal.scheduler.ThreadRunner;
import io.turnwise.internal.scheduler.Tick;
import io.turnwise.internal.supervisor.Child;
import io.turnwise.internal.timer.Pulse;
import io.turnwise.internal.timer.Ticker;
import io.turnwise.internal.timer.WheelTimers;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.CloseReport;
import io.turnwise.observation.DeadLetter;
import io.turnwise.observation.MailboxGrowth;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.Placement;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.PoisonMessage;
import io.turnwise.supervision.SupervisorGaveUpException;
import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A system in this JVM: the tree's top, the dispatchers, the ticker, and the way in and out. */
public final class LocalActorSystem implements ActorSystem {
  private static final System.Logger LOG = System.getLogger("io.turnwise");
  private static final String INTERNAL = "internal";
  private static final int FEW_THREADS = 4;

  /** So many callbacks may block at once before others have to wait for them. */
  static final int MOST_CALLBACK_THREADS = 256;

  private static final long SECOND_NANOS = 1_000_000_000;

  final Tick tick;
  final Ticker ticker;
  final WheelTimers timers;
  final WaitGraph waits = new WaitGraph();
  final DeadLetterOffice deadLetters = new DeadLetterOffice(this);
  final Reporter reporter = new Reporter(this);
  final Registry registry = new Registry();

  /** For strangers' code. */
  final Executor callbacks;

  /** For what the runtime itself looks at, which takes a while: stacks, and mailboxes. */
  final Executor looks;

  /** For the ending of handlers that do not end, which waits behind none of these. */
  final Executor endings;

  final LateCalls lateCalls;
  final long callTimeoutNanos;
  final AnswerSpins answerSpins = new AnswerSpins(Runtime.getRuntime().availableProcessors());

  /** Moves a system without threads on, for a plain thread that waits in it; see drivesHere. */
  volatile @Nullable BooleanSupplier driver;

  /** Where there is a driver, strangers' code runs on its thread. */
  private final CallbackQueue driversCallbacks = new CallbackQueue();

  private final CallbackThreads callbackThreads;
  private final CallbackThreads lookThreads;
  private final CallbackThreads endingThreads;
  volatile @Nullable Witness witness;

  private final String name;
  private final SystemConfig config;
  private final boolean threaded;
  private final @Nullable Director director;

  /** Of a simulation; else null. */
  final @Nullable TurnWitness turnWitness;

  /** How many messages actors have accepted: see {@link Kind#counts}. */
  final AtomicLong accepted = new AtomicLong();

  private final Map<String, WorkerDispatcher> dispatchers = new LinkedHashMap<>();

  /** The same, for the ticking thread: an iterator takes memory, and there may be none. */
  private final WorkerDispatcher[] beaten;

  private final Scheduler internal;

  /** That one, and those of the dispatchers. */
  private final Scheduler[] allSchedulers;

  final ElasticRunner elastic;
  private final Set<ThreadRunner> threads = ConcurrentHashMap.newKeySet();
  private final Counters endedThreads = new Counters();
  private final Kinds kinds;
  private final Children top = new Children();
  private final Children internalTop = new Children();
  private final AtomicLong ids = new AtomicLong();
  private final LongAdder spawnedOutside = new LongAdder();
  private final LongAdder listenerFailures = new LongAdder();
  private final GrowthWatch growth;

  /** How often actors were started again. */
  final LongAdder restarts = new LongAdder();

  /** Handlers that were left behind. */
  final LongAdder handlersAbandoned = new LongAdder();

  /** Of these, the ones that had a message in hand: it has failed. */
  final LongAdder messagesAbandoned = new LongAdder();

  private final Closing closing = new Closing(this, top);
  private final DumpBean bean;
  private @Nullable Thread shutdownHook;

  /** Called by name from {@code ActorSystem.open}. */
  public static ActorSystem open(String name, SystemConfig config) {
    return open(name, config, System::nanoTime, true);
  }

  /** Tests drive a system without threads by {@link #runUntilIdle} and a clock of their own. */
  static LocalActorSystem open(
      String name, SystemConfig config, Tick.Source clock, boolean threaded) {
    return open(name, config, clock, threaded, null, null);
  }

  /** A system in which a director decides what comes next, on its own thread and clock. */
  static LocalActorSystem open(
      String name, SystemConfig config, Tick.Source clock, Director director, TurnWitness witness) {
    return open(name, config, clock, false, director, witness);
  }

  private static LocalActorSystem open(
      String name,
      SystemConfig config,
      Tick.Source clock,
      boolean threaded,
      @Nullable Director director,
      @Nullable TurnWitness witness) {
    Names.checkOf("The name of a system, ", name);
    Objects.requireNonNull(
        config,
        "The settings of system " + name + " are null; return the ones that were given, changed");
    for (String dispatcher : config.dispatchers().keySet()) {
      Names.checkOf("The name of a dispatcher, ", dispatcher);
      if (dispatcher.equals(INTERNAL))
        throw new IllegalArgumentException(
            "The dispatcher "
                + INTERNAL
                + " is the system's own. [BAD-NAME]\n  next:  choose another name");
    }
    JdkDoor.open();
    Preload.all();
    try {
      var system = new LocalActorSystem(name, config, clock, threaded, director, witness);
      system.begin();
      return system;
    } catch (OutOfMemoryError noThread) { // so the JDK says both
      throw new IllegalStateException(cannotOpen(name, config, noThread), noThread);
    }
  }

  private static String cannotOpen(String name, SystemConfig config, OutOfMemoryError noThread) {
    int workers = config.workers();
    for (int more : config.dispatchers().values()) workers += more;
    return "System "
        + name
        + " cannot be opened: a thread could not be started, or memory ran out ("
        + noThread.getMessage()
        + "). It asks for "
        + workers
        + " workers in all, each a thread, and a few threads beside them. What had begun has been"
        + " stopped. [NO-THREADS]\n"
        + "  next:  set fewer workers in its SystemConfig, or let the process have more threads"
        + " (ulimit -u, pids.max of its container) or more memory";
  }

  private LocalActorSystem(
      String name,
      SystemConfig config,
      Tick.Source clock,
      boolean threaded,
      @Nullable Director director,
      @Nullable TurnWitness witness) {
    this.name = name;
    this.director = director;
    this.turnWitness = witness;
    this.config = config;
    this.threaded = threaded;
    this.callTimeoutNanos = ActorCell.nanos(config.callTimeout());
    this.tick = new Tick(clock);
    this.ticker =
        new Ticker(
            name,
            tick::nanoTime,
            new Heart(),
            this::stoodStill,
            ParkReason.WAITING_FOR_NEXT_DEADLINE);
    String threadName = "turnwise-" + name;
    this.callbackThreads =
        new CallbackThreads(threadName + "-callback-", FEW_THREADS, MOST_CALLBACK_THREADS);
    this.lookThreads = new CallbackThreads(threadName + "-look-", FEW_THREADS, FEW_THREADS);
    this.endingThreads = new CallbackThreads(threadName + "-ending-", FEW_THREADS, FEW_THREADS);
    this.callbacks = on(callbackThreads);
    this.looks = on(lookThreads);
    this.endings = on(endingThreads);
    this.lateCalls = new LateCalls(threaded ? looks : Runnable::run);
    this.elastic = new ElasticRunner(name, tick, reporter::say);
    this.internal = newScheduler(INTERNAL, 1);
    try {
      addDispatcher(ActorSpec.DEFAULT_DISPATCHER, config.workers());
      config.dispatchers().forEach(this::addDispatcher);
      this.beaten = dispatchers.values().toArray(WorkerDispatcher[]::new);
      this.allSchedulers =
          Stream.concat(Stream.of(internal), dispatchers.values().stream().map(d -> d.scheduler))
              .toArray(Scheduler[]::new);
      WorkerDispatcher main = dispatcher(ActorSpec.DEFAULT_DISPATCHER);
      if (threaded) main.scheduler.lookOutFor(new NextDeadline(ticker.idleWatch()));
      this.timers =
          new WheelTimers(
              ticker,
              callback -> CallbackTask.run(main, callback),
              this::timerFailed,
              config.maxPendingTimers(),
              "System " + name,
              openedAt());
      this.kinds = new Kinds(this, main, internal);
      this.bean = new DumpBean(name, this::dump);
      this.growth =
          new GrowthWatch(
              GrowthWatch::heapUsed, tick::nanoTime, looks, this::leftActors, reporter::grows);
    } catch (Throwable broken) { // nobody else knows the threads that have begun
      stopThreads(SECOND_NANOS);
      throw broken;
    }
  }

  /** On the thread of its callback, which may have left anything there. */
  private void timerFailed(TimerHandle timer, Throwable cause) {
    Seat here = Seat.current();
    if (here != null) here.spoil();
    reporter.timerFailed(timer, cause);
  }

  /** What the calendar shows: in tests, where the calendars that they see begin. */
  private Instant openedAt() {
    if (threaded) return Instant.now();
    return Instant.parse(director == null ? "2000-01-01T00:00:00Z" : "2026-01-01T00:00:00Z");
  }

  private void addDispatcher(String dispatcher, int workers) {
    dispatchers.put(
        dispatcher,
        new WorkerDispatcher(dispatcher, newScheduler(dispatcher, workers), config.scheduling()));
  }

  private Scheduler newScheduler(String dispatcher, int workers) {
    String full = name + "-" + dispatcher;
    int most = SystemConfig.MAX_WORKERS;
    return director == null
        ? new Scheduler(full, workers, most, tick, threaded, this::awake, reporter::say)
        : new Scheduler(full, workers, most, tick, director, this::awake, reporter::say);
  }

  /** In tests, where somebody drives or directs, these threads have nothing to do. */
  private Executor on(CallbackThreads own) {
    if (director != null) return director::errand;
    return code -> {
      if (driver != null) {
        driversCallbacks.execute(code);
        return;
      }
      own.execute(code);
      if (own.isBehind()) ticker.awake();
    };
  }

  /** By a worker that was asleep: the time that nobody counted is not its first slice's. */
  private void awake() {
    if (ticker.isDozing()) tick.resume();
    ticker.awake();
  }

  private void begin() {
    try {
      beginThreads();
    } catch (Throwable broken) { // nobody has it, to close it
      stopThreads(SECOND_NANOS);
      forgetProcess();
      throw broken;
    }
  }

  private void beginThreads() {
    reporter.open();
    if (!threaded) return;
    ticker.start();
    Rehearsal.begin(this);
    bean.register();
    if (config.closeOnShutdown()) {
      Thread hook = new Thread(this::closeAtShutdown, "turnwise-" + name + "-shutdown");
      try {
        Runtime.getRuntime().addShutdownHook(hook);
        shutdownHook = hook;
      } catch (IllegalStateException e) {
        // The JVM is going down already: there is nobody left to close for.
      }
    }
  }

  /**
   * The JDK's own logger is closed by another hook, at the same time as this one runs: what is to
   * be said now goes to where that log would have gone as well.
   */
  private void closeAtShutdown() {
    shutdownHook = null;
    CloseReport done = closeAndSay();
    if (isUndone(done)) System.err.println(describeUndone(done));
  }

  /** What the ticking thread does for the workers. */
  private final class Heart implements Pulse {
    /** Nobody was busy at the last beat. */
    private boolean isQuiet;

    @Override
    public boolean beat() {
      if (isQuiet && threaded) tick.resume();
      else tick.advanceTo();
      boolean busy = internal.isBusy() || elastic.isBusy();
      internal.tick();
      for (WorkerDispatcher dispatcher : beaten) {
        dispatcher.scheduler.tick();
        busy |= dispatcher.isBusy();
      }
      elastic.tick();
      if (threaded) growth.beat();
      busy |= beatCallbacks();
      isQuiet = !busy;
      return busy;
    }

    /** Returns whether something waits for one of these threads. */
    private boolean beatCallbacks() {
      callbackThreads.beat(endingThreads);
      lookThreads.beat(endingThreads);
      endingThreads.beat(endingThreads);
      return callbackThreads.isBehind() || lookThreads.isBehind() || endingThreads.isBehind();
    }

    @Override
    public void fired() {
      lateCalls.tell();
    }

    @Override
    public boolean wantsLook() {
      boolean any = false;
      for (WorkerDispatcher dispatcher : beaten) any |= dispatcher.scheduler.wantsLook();
      return any;
    }

    @Override
    public void look() {
      for (WorkerDispatcher dispatcher : beaten) dispatcher.scheduler.lookAgain();
    }
  }

  /** The ticking thread: the process has not run for so long. */
  private void stoodStill(long nanos) {
    if (nanos >= SECOND_NANOS) reporter.stoodStill(nanos);
  }

  @Override
  public TimerService timers() {
    return timers;
  }

  @Override
  public String name() {
    return name;
  }

  SystemConfig config() {
    return config;
  }

  // ---- spawning ------------------------------------------------------------------------------

  @Override
  public <M> ActorRef<M> spawn(Supplier<? extends Actor<M>> factory) {
    return spawnUnder(null, null, factory);
  }

  @Override
  public <M> ActorRef<M> spawn(String name, Supplier<? extends Actor<M>> factory) {
    return spawnUnder(null, Names.check(name), factory);
  }

  @Override
  public <M> ActorRef<M> spawn(ActorSpec<M> spec) {
    return spawnUnder(null, null, spec);
  }

  @Override
  public <M> ActorRef<M> spawn(String name, ActorSpec<M> spec) {
    return spawnUnder(null, Names.check(name), spec);
  }

  <M> ActorRef<M> spawnInternal(String name, Supplier<? extends Actor<M>> factory) {
    return start(new ActorCell<M>(kinds.internal, null, name, factory), null);
  }

  <M> ActorRef<M> spawnUnder(
      @Nullable ActorCell<?> parent, @Nullable String name, Supplier<? extends Actor<M>> factory) {
    Objects.requireNonNull(factory, "spawn: the factory is null; pass a constructor, Counter::new");
    return start(new ActorCell<M>(kinds.plain, parent, name, factory), parent);
  }

  <M> ActorRef<M> spawnUnder(
      @Nullable ActorCell<?> parent, @Nullable String name, ActorSpec<M> spec) {
    Objects.requireNonNull(spec, "spawn: the spec is null; use ActorSpec.of(Counter::new)");
    return make(parent, name, spec, _ -> {});
  }

  /** Makes the place of a supervised child, which is down until its supervisor starts it. */
  <M> ActorCell<M> adopt(
      ActorCell<?> supervisor,
      ChildSpec<M> spec,
      @Nullable Consumer<? super PoisonMessage> poisonListener,
      Child child) {
    return make(
        supervisor,
        spec.name(),
        spec.actor(),
        cell -> cell.superviseBy(new Supervised(cell, spec, poisonListener, child, newNumber())));
  }

  /**
   * @param prepare what else is to be done before anybody knows it
   */
  <M> ActorCell<M> make(
      @Nullable ActorCell<?> parent,
      @Nullable String name,
      ActorSpec<M> spec,
      Consumer<ActorCell<M>> prepare) {
    if (threaded && spec.backend() == Backend.THREAD)
      return makeWithThread(parent, name, spec, prepare);
    var cell = new ActorCell<M>(kinds.of(spec), parent, name, spec.factory());
    place(cell, spec);
    prepare.accept(cell);
    return start(cell, parent);
  }

  private <M> ActorCell<M> makeWithThread(
      @Nullable ActorCell<?> parent,
      @Nullable String name,
      ActorSpec<M> spec,
      Consumer<ActorCell<M>> prepare) {
    var holder = new LateRunner();
    var kind = kinds.make(spec, holder);
    var cell = new ActorCell<M>(kind, parent, name, spec.factory());
    String threadName = "turnwise" + cell.path().replace('/', '-');
    var own = new ThreadRunner(threadName, cell, tick, this::threadEnded);
    cell.kind = kinds.make(spec, own);
    prepare.accept(cell);
    try {
      threads.add(own);
      own.start();
      add(cell, parent);
    } catch (Throwable refused) { // also where no thread can be had, or the stack ends
      threads.remove(own);
      own.end();
      throw refused;
    }
    return launch(cell); // its siblings have it now: it ends as they do, and its thread with it
  }

  /** Stands in until the actor's own thread is made, which needs the actor. */
  private static final class LateRunner implements Runner {
    @Override
    public boolean enqueue(Task task, @Nullable Fiber here) {
      throw new AssertionError("scheduled before its thread was made");
    }

    @Override
    public void rouse(Task task) {}
  }

  /** By the actor at its end, or by the thread at its own, if that was left behind. */
  void threadEnded(ThreadRunner own) {
    // In one step for who sums up: it is in the one or in the other.
    synchronized (endedThreads) {
      if (threads.remove(own)) endedThreads.add(own.counters());
    }
  }

  /** For an actor without a name, when somebody asks what it is called. */
  Long newNumber() {
    return ids.incrementAndGet();
  }

  private static <M> void place(ActorCell<M> cell, ActorSpec<M> spec) {
    switch (spec.placement()) {
      case Placement.Anywhere _ -> {
        // wherever it is woken
      }
      case Placement.Pinned(int worker) -> cell.pinTo(worker);
      case Placement.Grouped(String group) -> cell.pinTo(group.hashCode() & Short.MAX_VALUE);
    }
  }

  Children siblingsOf(ActorCell<?> cell) {
    return cell.kind.internal ? internalTop : childrenOf(cell.parent);
  }

  private <M> ActorCell<M> start(ActorCell<M> cell, @Nullable ActorCell<?> parent) {
    add(cell, parent);
    return launch(cell);
  }

  private <M> ActorCell<M> launch(ActorCell<M> cell) {
    if (!cell.kind.internal) countSpawn();
    cell.launch();
    return cell;
  }

  /** Adds it to its siblings, or throws. */
  private void add(ActorCell<?> cell, @Nullable ActorCell<?> parent) {
    Children siblings = siblingsOf(cell);
    boolean tooLate = parent != null && parent.isStopping(); // its children may be listed already
    switch (tooLate ? Children.Added.PARENT_STOPPING : siblings.add(cell)) {
      case YES -> {}
      case NAME_TAKEN ->
          throw new IllegalArgumentException(
              "An actor "
                  + cell.path()
                  + " lives already. [NAME-TAKEN]\n"
                  + "  next:  choose another name, spawn without one, or wait for its end");
      case PARENT_STOPPING ->
          throw new IllegalStateException(
              (parent == null
                      ? "System " + name + " is closed"
                      : "Actor " + parent.path() + " is stopping")
                  + " and takes no more children. [PARENT-STOPPING]\n  next:  "
                  + (parent == null ? "open another system" : "spawn under an actor that lives"));
    }
  }

  private void countSpawn() {
    Fiber fiber = Fiber.current();
    if (fiber != null && fiber.task() != null) fiber.counters.spawned++;
    else spawnedOutside.increment();
  }

  Children childrenOf(@Nullable ActorCell<?> parent) {
    return parent == null ? top : parent.children();
  }

  /** Begins to count a call's time. Once nobody counts any more, the call fails at once. */
  void startTimer(PendingCall<?> call) {
    ticker.schedule(call);
    if (ticker.isStopped()) call.abandon();
  }

  /** For delays that are to be spread: the same each time where a test drives or directs. */
  SplittableRandom newRandom() {
    return threaded ? new SplittableRandom() : new SplittableRandom(name.hashCode());
  }

  /** A supervisor at the top has ended, not by an order, and there is nobody above it. */
  void rootFailed(ActorCell<?> supervisor, StopReason why) {
    if (closing.hasBegun()) return;
    boolean close = config.rootFailure() == RootFailure.CLOSE;
    try {
      sayRootFailed(supervisor, why, close);
    } catch (OutOfMemoryError unsaid) {
      // The more reason to do what follows: that may be what the supervisor has failed for.
    }
    if (!close) return;
    if (threaded) closeElsewhere();
    else
      for (ActorCell<?> cell : top.snapshot())
        cell.stop(new StopReason.ShutDown("system " + name + ", whose supervisor failed"));
  }

  private void sayRootFailed(ActorCell<?> supervisor, StopReason why, boolean close) {
    reporter.announce(
        "Supervisor "
            + supervisor.path()
            + howItFailed(why)
            + ". [ROOT-FAILED]\n  next:  "
            + (close
                ? "the system closes; with RootFailure.GO_ON in its SystemConfig the rest goes on"
                : "the rest of the system goes on"));
  }

  private static String howItFailed(StopReason why) {
    return switch (why) {
      case StopReason.Crashed(SupervisorGaveUpException gaveUp) ->
          " gave up: " + gaveUp.getMessage();
      case StopReason.Crashed(Throwable cause) -> " crashed with " + cause.getClass().getName();
      case StopReason.Killed(String by) -> " was killed by " + by;
      case StopReason.Finished _, StopReason.ShutDown _ -> throw new AssertionError(why);
    };
  }

  /**
   * Not on a daemon, as workers and fibers are: who waits for the end is told before the JVM ends.
   */
  private void closeElsewhere() {
    Thread.ofPlatform().daemon(false).name("turnwise-" + name + "-close").start(this::close);
  }

  /** Whether actors that stop now let their children handle what is queued. */
  boolean isDraining() {
    return closing.isDraining();
  }

  /** Whether it is closed, and nobody ticks any more. */
  boolean hasEnded() {
    return closing.isOver();
  }

  // ---- looking -------------------------------------------------------------------------------

  @Override
  public Optional<ActorRef<?>> find(String path) {
    Objects.requireNonNull(
        path,
        "ActorSystem.find: the path is null. [NULL-PATH]\n"
            + "  next:  pass one such as /shop/orders; an actor without a name cannot be found");
    String rest = path;
    if (rest.startsWith("/")) {
      String prefix = "/" + name + "/";
      if (!rest.startsWith(prefix)) return Optional.empty();
      rest = rest.substring(prefix.length());
    }
    ActorCell<?> found = null;
    for (String part : rest.split("/", -1)) {
      found = found == null ? top.get(part) : found.child(part);
      if (found == null) return Optional.empty();
    }
    return Optional.ofNullable(found);
  }

  @Override
  public void register(String name, ActorRef<?> actor) {
    Objects.requireNonNull(actor, "register: the actor is null; name whom to register");
    registry.register(name, (ActorCell<?>) actor);
  }

  @Override
  public boolean unregister(String name) {
    return registry.unregister(checkRegistered("unregister", name));
  }

  @Override
  public Optional<ActorRef<?>> registered(String name) {
    return Optional.ofNullable(registry.find(checkRegistered("registered", name)));
  }

  private static String checkRegistered(String what, String name) {
    return Objects.requireNonNull(
        name,
        () ->
            "ActorSystem."
                + what
                + ": the name is null. [NULL-NAME]\n"
                + "  next:  pass the name that was given to register");
  }

  @Override
  public String tree() {
    return new ActorTree(this, top).text();
  }

  @Override
  public CompletionStage<CloseReport> whenClosed() {
    return closing.whenOver();
  }

  @Override
  public Dispatcher dispatcher() {
    return dispatcher(ActorSpec.DEFAULT_DISPATCHER);
  }

  @Override
  public WorkerDispatcher dispatcher(String dispatcher) {
    WorkerDispatcher found = dispatchers.get(dispatcher);
    if (found == null)
      throw new IllegalArgumentException(
          "System "
              + name
              + " has no dispatcher '"
              + dispatcher
              + "'; it has "
              + dispatchers.keySet()
              + ". [NO-DISPATCHER]\n  next:  add it with SystemConfig.withDispatcher");
    return found;
  }

  @Override
  public SystemSnapshot snapshot() {
    var sum = new Counters();
    internal.addCounters(new Counters());
    dispatchers.values().forEach(d -> d.scheduler.addCounters(sum));
    elastic.addCounters(sum);
    synchronized (endedThreads) {
      threads.forEach(t -> sum.add(t.counters()));
      sum.add(endedThreads);
    }
    long spawned = sum.spawned + spawnedOutside.sum();
    long abandoned = handlersAbandoned.sum();
    long replaced = internal.workersReplaced();
    long relieved = 0;
    for (WorkerDispatcher d : dispatchers.values()) {
      replaced += d.scheduler.workersReplaced();
      relieved += d.scheduler.workersRelieved();
    }
    return new SystemSnapshot(
        spawned - sum.stopped,
        spawned,
        sum.messagesHandled,
        sum.messagesFailed + messagesAbandoned.sum(),
        sum.signalsHandled,
        sum.slices,
        sum.suspensions,
        sum.steals,
        sum.parks,
        sum.foreignSlices,
        sum.preemptions,
        sum.masksOverrun,
        sum.crashes,
        restarts.sum(),
        replaced,
        relieved,
        abandoned,
        Math.max(0, abandoned - sum.abandonedEnded), // one may end before it is counted
        listenerFailures.sum(),
        deadLetters.counts());
  }

  @Override
  public String dump() {
    return new SystemDump(this, dispatchers.values(), top).text();
  }

  @Override
  public Registration onDeadLetter(Consumer<? super DeadLetter> listener) {
    return deadLetters.listen(checkListener("onDeadLetter", listener));
  }

  @Override
  public Registration onMailboxGrowth(Consumer<? super MailboxGrowth> listener) {
    checkListener("onMailboxGrowth", listener);
    var shown = new Listener<MailboxGrowth>("listener of mailbox growth", listener, this);
    Registration watching = growth.listen(shown::show);
    return () -> {
      watching.close();
      shown.close();
    };
  }

  /** While it closes there is still something to hear. */
  private <L> L checkListener(String what, L listener) {
    Objects.requireNonNull(
        listener,
        () ->
            "ActorSystem."
                + what
                + ": the listener is null. [NULL-LISTENER]\n"
                + "  next:  pass a function; to hear no more, close what "
                + what
                + " returned");
    if (hasEnded())
      throw new IllegalStateException(
          "System "
              + name
              + " is closed, and "
              + what
              + " would never be told of anything. [SYSTEM-CLOSED]\n"
              + "  next:  listen before close, or open another system");
    return listener;
  }

  void listenerFailed(String what, Object listener, Throwable cause) {
    listenerFailures.increment();
    reporter.say(
        "A "
            + what
            + " ("
            + listener.getClass().getName()
            + ") threw "
            + cause.getClass().getName());
  }

  /** For the testkit. Whoever sets it sees all that happens from then on. */
  public void setWitness(Witness witness) {
    this.witness = witness;
  }

  /** Every actor that has not ended. */
  public List<ActorSnapshot> actors() {
    return leftActors().stream().map(ActorCell::snapshot).toList();
  }

  /**
   * Whether nothing is queued, running or under way. A deferred answer and a timer that is not due
   * do not count: nobody is at work on them.
   */
  public boolean isQuiet() {
    return isTrueOfAll(ActorCell::rests);
  }

  /** The same where turns in the middle may wait for something. */
  public boolean isStill() {
    return isTrueOfAll(cell -> cell.rests() || cell.state() == ActorState.SUSPENDED);
  }

  /**
   * An actor that was seen at rest may be sent something by one that is looked at later, hence the
   * second look: by then it is not at rest, or it has had another slice.
   */
  private boolean isTrueOfAll(Predicate<ActorCell<?>> rests) {
    long before = slices();
    for (int look = 0; look < 2; look++) {
      for (WorkerDispatcher d : dispatchers.values())
        if (threaded && d.scheduler.isBusy()) return false;
      if (elastic.isBusy() || callbackThreads.isBusy()) return false;
      if (lookThreads.isBusy() || endingThreads.isBusy()) return false;
      if (!leftActors().stream().allMatch(rests)) return false;
    }
    return before == slices();
  }

  long slices() {
    SystemSnapshot counters = snapshot();
    return counters.slices() + counters.foreignSlices();
  }

  /** How many timers of actors the ticker has, as of the last beat. */
  long actorTimers() {
    long[] count = new long[1];
    ticker.forEach(
        entry -> {
          if (entry instanceof KeyedTimer<?>) count[0]++;
        });
    return count[0];
  }

  // ---- being driven --------------------------------------------------------------------------

  /**
   * Without threads: runs every worker on the calling thread until nothing is left to do, then what
   * is strangers' code. Returns whether there was any of that, which may have caused more.
   */
  boolean runUntilIdle() {
    if (director != null) {
      director.runAll();
      return false;
    }
    ticker.beatOnce();
    internal.runUntilIdle(_ -> {});
    for (WorkerDispatcher d : dispatchers.values()) d.scheduler.runUntilIdle(_ -> {});
    return driversCallbacks.runAll();
  }

  /** Whether the current thread, if it must wait, has to drive the system meanwhile. */
  boolean drivesHere() {
    return driver != null && !Thread.currentThread().isVirtual() && Seat.current() == null;
  }

  /** Instead of parking, where {@link #drivesHere}. */
  void driveUntil(BooleanSupplier over, String what) {
    BooleanSupplier step = driver;
    while (!over.getAsBoolean()) {
      boolean moved = step != null && step.getAsBoolean();
      if (!moved && !over.getAsBoolean())
        throw new IllegalStateException(
            "Thread "
                + Thread.currentThread().getName()
                + " waits for "
                + what
                + ", and nothing is left in system "
                + name
                + " that could run. [NOBODY-RUNS]\n"
                + "  next:  let an actor do first what this waits for");
    }
  }

  /** The director's thread: runs strangers' code on a thread of its own, which may block. */
  void startDirected(Runnable code, Director by) {
    dispatcher(ActorSpec.DEFAULT_DISPATCHER).scheduler.startDirected(code, by);
  }

  /** In a simulation: for what threads wait that actors have started. An answer, or room. */
  private final Map<Thread, Object> plainWaits = new ConcurrentHashMap<>();

  /** The current thread, which is no actor's, is about to wait for it. */
  void beginPlainWait(Object what) {
    if (director != null) plainWaits.put(Thread.currentThread(), what);
  }

  void endPlainWait() {
    if (director != null) plainWaits.remove(Thread.currentThread());
  }

  @Nullable Object plainWait(Thread thread) {
    return plainWaits.get(thread);
  }

  boolean hasArrivals() {
    for (Scheduler scheduler : allSchedulers) if (scheduler.hasArrivals()) return true;
    return false;
  }

  /** The director's thread: gives it what came from threads that are no workers. */
  void takeIn(Director by) {
    for (Scheduler scheduler : allSchedulers) scheduler.takeIn(by);
  }

  // ---- closing -------------------------------------------------------------------------------

  @Override
  public boolean isClosed() {
    return closing.hasBegun();
  }

  @Override
  public void close() {
    if (ownActorHere() != null) {
      // An actor that waited for its own end would wait for the whole deadline.
      closeElsewhere();
      return;
    }
    closeAndSay();
  }

  private CloseReport closeAndSay() {
    boolean first = !closing.hasBegun();
    CloseReport done = close(config.closeDeadline());
    if (first && isUndone(done)) LOG.log(System.Logger.Level.WARNING, describeUndone(done));
    return done;
  }

  private static boolean isUndone(CloseReport done) {
    return !done.complete() || done.messagesLeft() > 0;
  }

  private String describeUndone(CloseReport done) {
    return "System "
        + name
        + " was closed with "
        + done.actorsLeft()
        + " actors and "
        + done.messagesLeft()
        + " messages left after "
        + done.took().toMillis()
        + " ms. [CLOSE-INCOMPLETE]\n"
        + String.join("\n", done.stuck().stream().map(s -> "  " + s.describe()).toList());
  }

  @Override
  public CloseReport close(Duration deadline) {
    if (deadline == null || deadline.isZero() || deadline.isNegative())
      throw new IllegalArgumentException(
          "The deadline of close is " + deadline + "; use a positive duration");
    ActorCell<?> inside = ownActorHere();
    if (inside != null)
      throw new IllegalStateException(
          "Actor "
              + inside.path()
              + " closes its system and would wait for its own end. [CLOSE-FROM-INSIDE]\n"
              + "  next:  call close(), which does not wait there; whenClosed() brings the report");
    return closing.run(deadline);
  }

  /** The actor of this system in whose turn the caller is, or null. */
  private @Nullable ActorCell<?> ownActorHere() {
    Seat seat = Seat.current();
    return seat != null && seat.task() instanceof ActorCell<?> cell && cell.kind.system == this
        ? cell
        : null;
  }

  /** Tests only: somebody who is told of each close from now on; null: nobody. */
  public static void auditBy(@Nullable Auditor next) {
    Closing.auditBy(next);
  }

  /** Whether it has threads of its own, which may run while somebody looks. */
  public boolean isThreaded() {
    return threaded;
  }

  List<Scheduler> schedulers() {
    return List.of(allSchedulers);
  }

  /** Returns false when nothing can happen any more. Without a driver, nobody can tell. */
  boolean moveOn() {
    BooleanSupplier step = driver;
    if (step != null) return step.getAsBoolean();
    runUntilIdle();
    return director == null;
  }

  /** The last child of the top has ended while the system closes. */
  void lastActorEnded() {
    closing.allEnded();
  }

  List<ActorCell<?>> leftActors() {
    List<ActorCell<?>> all = new ArrayList<>();
    collect(top.snapshot(), all);
    return all;
  }

  /** By levels, not by recursion: a tree may be deeper than a stack. */
  private static void collect(List<ActorCell<?>> cells, List<ActorCell<?>> into) {
    into.addAll(cells);
    for (int i = 0; i < into.size(); i++) into.addAll(into.get(i).childCells());
  }

  /** Waits for them no longer than that, all together. */
  void stopThreads(long nanos) {
    long deadline = System.nanoTime() + nanos;
    ticker.stop();
    if (!threaded) Cancellation.shutAll(ticker);
    dispatchers.values().forEach(d -> d.scheduler.stop());
    internal.stop();
    elastic.stop();
    threads.forEach(ThreadRunner::end);
    driversCallbacks.close();
    callbackThreads.close();
    lookThreads.close();
    endingThreads.close();
    try {
      // All were asked to end before: one that does not costs the others nothing.
      for (WorkerDispatcher d : dispatchers.values())
        d.scheduler.awaitStopped(deadline - System.nanoTime());
      internal.awaitStopped(deadline - System.nanoTime());
      ticker.awaitStopped(deadline - System.nanoTime());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      dispatchers.values().forEach(d -> d.scheduler.letGo());
      internal.letGo();
    }
  }

  /** Nothing in the process leads to it any more. */
  void forgetProcess() {
    bean.unregister();
    Thread hook = shutdownHook;
    if (hook == null) return;
    shutdownHook = null;
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is going down: the hook runs or has run, and finds the system closed.
    }
  }
}
