package io.turnwise.faults.error;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallException;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.RootFailure;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.faults.trial.Broken;
import io.turnwise.internal.weaving.PollFlag;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.mailbox.Priority;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.TimeoutAction;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorGaveUpException;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Sends in every way there is, with one allocation failing on the way: once for each allocation
 * that such a send passes, on its own thread or on the threads of the runtime. Loaded by {@link
 * ShortageLoader}.
 *
 * <p>What must hold: a cast that returns is handled once, fails its handler, or is a counted dead
 * letter; one that throws is never seen; a call ends; and whoever was sent to goes on, unless it
 * crashed. The same for what goes through the system lane: who is killed ends, whatever it does,
 * who watches or is linked hears of it, children end with their parent, who crashes ends once, as
 * one that crashed, and who is started again, or goes on, has what was sent to it meanwhile.
 */
public final class ShortageTrials {
  /** A way to send. */
  private enum Deed {
    CAST,
    CAST_HIGH,
    CAST_BLOCKING,
    CAST_THREAD,
    CAST_STOPPED,
    FULL_FAIL,
    FULL_DROP_NEWEST,
    FULL_DROP_OLDEST,
    FULL_WAIT,
    CALL,
    CALL_ASYNC,
    CALL_TIMED_OUT,
    CALL_TO_SELF,
    SPAWN,
    STOP,
    DRAIN,
    LEAVE_BEHIND,
    WATCH,
    KILL,
    NEWS,
    NEWS_TIMED,
    LINK,
    STOP_LINKED,
    STOP_WITH_CHILDREN,
    KILL_WITH_CHILDREN,
    STOP_REGISTERED,
    KILL_LOOPING,
    KILL_ASLEEP,
    KILL_STUBBORN,
    KILL_STUBBORN_THREAD,
    RESTART,
    RESUME,
    CRASH_IN_INIT,
    CRASH_IN_INFO,
    CRASH_IN_TEARDOWN;

    boolean isFull() {
      return name().startsWith("FULL");
    }

    boolean targetLives() {
      return switch (this) {
        case CAST_STOPPED, LEAVE_BEHIND, LINK, RESTART, RESUME -> false;
        default -> !isEnd() && !isNews() && !isCrash(); // a watch without memory ends who watches
      };
    }

    boolean isCall() {
      return name().startsWith("CALL");
    }

    boolean isNews() {
      return name().startsWith("NEWS");
    }

    boolean hasOther() {
      return isNews() || this == LINK || this == STOP_LINKED || this == CRASH_IN_INFO;
    }

    boolean hasChildren() {
      return this == STOP_WITH_CHILDREN || this == KILL_WITH_CHILDREN;
    }

    boolean isSupervised() {
      return this == RESTART || this == RESUME;
    }

    boolean isKill() {
      return name().startsWith("KILL");
    }

    /** Its target is in the middle of a turn that only a kill ends. */
    boolean isKillOfATurn() {
      return isKill() && this != KILL && this != KILL_WITH_CHILDREN;
    }

    /** It takes many steps, which are the same whoever asked for them. */
    boolean isLong() {
      return isKillOfATurn() || isSupervised();
    }

    /** Told to end, it does, and so does whoever is to end with it. */
    boolean isEnd() {
      return isKill() || this == DRAIN || name().startsWith("STOP");
    }

    boolean isCrash() {
      return name().startsWith("CRASH");
    }

    /** Whether each message of it is handled, failed or a dead letter in the end. */
    boolean isBooked() {
      return switch (this) {
        case WATCH, LINK -> false;
        default -> !isEnd() && !isCall() && !isNews() && !isCrash();
      };
    }
  }

  private static final Duration CALL_TIMEOUT = Duration.ofMillis(200);
  private static final int RECORDINGS = 3;
  private static final int HANG_SECONDS = 60;
  private static final Logger LOG = Logger.getLogger("io.turnwise");

  private final ActorSystem system;
  private ActorRef<Turn> sendingActor;
  private final int times;
  private final List<String> problems = new ArrayList<>();
  private int trials;
  private int scenes;
  private final AtomicInteger strikes = new AtomicInteger();

  private ShortageTrials(int workers, int times) {
    this.times = times;
    this.system =
        ActorSystem.open(
            "shortage",
            c ->
                c.withWorkers(workers)
                    .withCallTimeout(CALL_TIMEOUT)
                    .withRootFailure(RootFailure.GO_ON)
                    .withCloseDeadline(Duration.ofSeconds(120)));
    this.sendingActor = newSendingActor();
  }

  private ActorRef<Turn> newSendingActor() {
    return system.spawn(() -> (turn, context) -> turn.take(context));
  }

  private static boolean isOver(ActorRef<?> actor) {
    return actor.snapshot().state() == ActorState.HALTED;
  }

  /** Called by name from the row's child. Returns what to print. */
  public static String run(int workers, int times) throws Exception {
    LOG.setLevel(Level.OFF); // each shortage that meets a worker is said, and here they are many
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> {
          if (!(e instanceof OutOfMemoryError)) e.printStackTrace(System.out);
        });
    var trials = new ShortageTrials(workers, times);
    int places = 0;
    try (ActorSystem _ = trials.system) {
      for (Deed deed : Deed.values())
        for (boolean fromActor : new boolean[] {false, true})
          for (Shortage.Side side : Shortage.Side.values())
            if (fromActor ? !deed.isLong() : deed != Deed.CALL_TO_SELF)
              places += trials.eachSite(deed, fromActor, side);
      trials.awaitLowered();
    }
    if (!trials.problems.isEmpty())
      throw new Broken(trials.problems.size() + " broken\n" + String.join("\n", trials.problems));
    SystemSnapshot end = trials.system.snapshot();
    return workers
        + " workers: "
        + places
        + " places on the ways of sending, "
        + trials.strikes
        + " shortages in "
        + trials.trials
        + " sends; workers that died and went on "
        + end.workersReplaced();
  }

  /**
   * Each kill has raised the flag that polls look at; none has left it up, whatever was missing.
   */
  private void awaitLowered() {
    long deadline = System.nanoTime() + HANG_SECONDS * 1_000_000_000L;
    while (PollFlag.raised && System.nanoTime() - deadline < 0) LockSupport.parkNanos(1_000_000);
    if (PollFlag.raised) problems.add("all kills are over, and polls still look for them");
  }

  /** Returns how many sites there are on the way. */
  private int eachSite(Deed deed, boolean fromActor, Shortage.Side side) throws Exception {
    var passed = new BitSet();
    for (int i = 0; i < RECORDINGS; i++) {
      attempt(deed, fromActor, Shortage.RECORDING, side);
      passed.or(Shortage.takeRecorded());
    }
    for (int site = passed.nextSetBit(0); site >= 0; site = passed.nextSetBit(site + 1))
      for (int i = 0; i < times; i++) {
        try {
          attempt(deed, fromActor, site, side);
        } catch (Broken e) {
          problems.add(e.getMessage());
          break;
        }
      }
    return passed.cardinality();
  }

  /** What the sending actor is told to do. */
  @FunctionalInterface
  private interface Turn {
    void take(Context<Turn> context);
  }

  /** A message with its own line of the books. */
  private static final class Line {
    boolean accepted;
    volatile int seen;

    void see() {
      seen = seen + 1; // one actor at a time has it
    }
  }

  private void attempt(Deed deed, boolean fromActor, int site, Shortage.Side side)
      throws Exception {
    String what =
        deed
            + (fromActor ? " from an actor, " : " from a thread, ")
            + side
            + " at "
            + Shortage.name(site);
    var scene = new Scene(deed, site, side);
    SystemSnapshot before = system.snapshot();
    if (fromActor) {
      if (isOver(sendingActor)) sendingActor = newSendingActor(); // the last shortage was its own
      var done = new CountDownLatch(1);
      sendingActor.cast(
          context -> {
            try {
              scene.send(context);
            } finally {
              done.countDown();
            }
          });
      scene.releaseWhenWaiting(done);
    } else if (deed == Deed.FULL_WAIT) {
      var done = new CountDownLatch(1);
      Thread.ofPlatform()
          .daemon()
          .start(
              () -> {
                try {
                  scene.send(null);
                } finally {
                  done.countDown();
                }
              });
      scene.releaseWhenWaiting(done);
    } else {
      scene.send(null);
    }
    if (!deed.isKillOfATurn() || scene.thrown != null) scene.gate.release(1_000);
    scene.settle(what);
    trials++;
    scene.check(what, before);
  }

  /** One receiver, what is sent to it, and what came of that. */
  private final class Scene {
    private final Deed deed;
    private final int site;
    private final Shortage.Side side;
    private final String name = "scene" + scenes++;
    private final Semaphore gate = new Semaphore(0);
    private final List<Line> lines = new ArrayList<>();
    private final ActorRef<Object> target;

    /** Whose end is news for the target; the target itself where nobody's is. */
    private final ActorRef<Object> other;

    private final Tie link;
    private final AtomicInteger made = new AtomicInteger();

    /** Who is to end with the target: its children, or its siblings and who looks after them. */
    private final List<ActorRef<?>> family = new CopyOnWriteArrayList<>();

    private final List<ActorRef<Object>> supervised = new ArrayList<>();
    private @Nullable CompletableFuture<StopReason> supervisorsEnd;

    /** The target's, made while there was memory. */
    private final CompletableFuture<StopReason> end;

    /** Messages that are to fail their handlers, and were accepted. */
    private int bombs;

    private @Nullable CompletionStage<String> answer;
    private @Nullable ActorRef<Object> spawned;
    private @Nullable Throwable thrown;

    Scene(Deed deed, int site, Shortage.Side side) throws InterruptedException {
      this.deed = deed;
      this.site = site;
      this.side = side;
      this.target = deed.isSupervised() ? supervise() : system.spawn(spec());
      this.end = target.whenStopped().toCompletableFuture();
      this.other = deed.hasOther() ? system.spawn(Receiver::new) : target;
      this.link = new Tie(other);
      if (deed == Deed.CAST_STOPPED) {
        target.stop();
        await(() -> isOver(target), "it does not stop", "before");
      } else if (deed.isFull() || deed == Deed.LEAVE_BEHIND) {
        begin(this::hold);
        fill();
      } else if (deed.isKillOfATurn()) {
        begin(this::holdOut);
      } else if (deed.isSupervised()) {
        begin(this::hold); // what is sent meanwhile is there when it fails, and is kept for it
      } else if (deed.hasChildren()) {
        target.cast(new Birth(3, family));
        await(() -> family.size() == 3, "it has no children", "before");
      } else if (deed == Deed.STOP_LINKED) {
        target.cast(link);
        await(() -> link.made, "it is not linked", "before");
      } else if (deed == Deed.STOP_REGISTERED) {
        system.register(name, target);
      }
    }

    /** Three that start again together, and may fail once. */
    private ActorRef<Object> supervise() {
      SupervisorSpec all = SupervisorSpec.oneForAll().withLimit(1, Duration.ofHours(1));
      for (int i = 0; i < 3; i++) {
        ChildSpec<Object> child =
            ChildSpec.<Object>of("child" + i, Receiver::new).withBackoff(Backoff.NONE);
        if (deed == Deed.RESUME) child = child.withAction(AsTold.class, FailureAction.RESUME);
        all = all.withChild(child);
      }
      Supervisor over = Supervisor.start(system, name, all);
      over.awaitUp(Duration.ofSeconds(HANG_SECONDS));
      for (ChildSpec<?> child : all.children()) {
        @SuppressWarnings("unchecked") // as above
        ActorRef<Object> one = over.child((ChildSpec<Object>) child);
        supervised.add(one);
      }
      supervisorsEnd = over.whenStopped().toCompletableFuture();
      family.addAll(supervised);
      family.add(over.actor());
      return supervised.getFirst();
    }

    /** Returns when the target is in the middle of that. */
    private void begin(Consumer<CountDownLatch> turn) throws InterruptedException {
      var began = new CountDownLatch(1);
      target.cast((Runnable) () -> turn.accept(began));
      if (!began.await(HANG_SECONDS, TimeUnit.SECONDS)) throw broken("no turn", "before");
    }

    /** Polls, or waits and lets itself be woken, or does neither. */
    private void holdOut(CountDownLatch holding) {
      holding.countDown();
      switch (deed) {
        case KILL_LOOPING -> {
          while (gate.availablePermits() == 0) Safepoint.poll();
        }
        case KILL_ASLEEP -> {
          try {
            gate.acquire();
          } catch (InterruptedException e) {
            throw new AsTold();
          }
        }
        default -> gate.acquireUninterruptibly();
      }
    }

    /** Something that waits while the target is held in a turn: a cast, or several and a call. */
    private void fill() {
      for (int i = 0; i < (deed.isFull() ? 1 : 3); i++) {
        Line filler = newLine();
        filler.accepted = true;
        if (i == 1) answer = target.callAsync(new Question(filler));
        else target.cast(filler);
      }
    }

    private void hold(CountDownLatch holding) {
      holding.countDown();
      gate.acquireUninterruptibly();
    }

    private ActorSpec<Object> spec() {
      ActorSpec<Object> spec = ActorSpec.of(Receiver::new);
      return switch (deed) {
        case CRASH_IN_INFO, CRASH_IN_TEARDOWN -> ActorSpec.of(this::newCrasher);
        case NEWS_TIMED ->
            spec.withHandlerTimeout(
                HandlerKind.INFO, Duration.ofSeconds(HANG_SECONDS), TimeoutAction.STOP);
        case CAST_BLOCKING -> spec.withBackend(Backend.BLOCKING);
        case CAST_THREAD, KILL_STUBBORN_THREAD -> spec.withBackend(Backend.THREAD);
        case FULL_FAIL -> spec.withMailbox(MailboxConfig.bounded(1, OverflowPolicy.FAIL));
        case FULL_DROP_NEWEST ->
            spec.withMailbox(MailboxConfig.bounded(1, OverflowPolicy.DROP_NEWEST));
        case FULL_DROP_OLDEST ->
            spec.withMailbox(MailboxConfig.bounded(1, OverflowPolicy.DROP_OLDEST));
        case FULL_WAIT -> spec.withMailbox(MailboxConfig.bounded(1, OverflowPolicy.WAIT));
        default -> spec;
      };
    }

    private Actor<Object> newCrasher() {
      made.incrementAndGet();
      return new Crasher(deed);
    }

    private Line newLine() {
      var line = new Line();
      lines.add(line);
      return line;
    }

    /** The deed itself, with no memory somewhere on the way. */
    void send(@Nullable Context<Turn> context) {
      Line line = newLine();
      Shortage.arm(site, side);
      try {
        switch (deed) {
          case CAST_HIGH -> target.cast(line, Priority.HIGH);
          case CALL -> target.call(new Question(line));
          case CALL_ASYNC -> answer = target.callAsync(new Question(line));
          case CALL_TIMED_OUT -> answer = target.callAsync(new Silence(), Duration.ofMillis(1));
          case CALL_TO_SELF -> {
            var told = new CompletableFuture<String>();
            Objects.requireNonNull(context)
                .callToSelf(target, new Question(line), _ -> _ -> told.complete("told"));
            answer = told;
          }
          case SPAWN -> {
            ActorRef<Object> child = system.spawn(Receiver::new);
            spawned = child;
            child.cast(line);
          }
          case STOP, STOP_LINKED, STOP_WITH_CHILDREN, STOP_REGISTERED, LEAVE_BEHIND ->
              target.stop();
          case DRAIN -> target.stopAfterDrain();
          case WATCH -> answer = target.whenStopped().thenApply(Object::toString);
          case KILL,
              KILL_WITH_CHILDREN,
              KILL_LOOPING,
              KILL_ASLEEP,
              KILL_STUBBORN,
              KILL_STUBBORN_THREAD ->
              answer = target.kill().thenApply(Object::toString);
          case RESTART, RESUME -> {
            target.cast((Runnable) Scene::crash);
            bombs++;
            target.cast(line);
          }
          case NEWS, NEWS_TIMED -> {
            var told = new CompletableFuture<String>();
            target.cast(new Look(other, told));
            answer = told;
            other.stop();
          }
          case LINK -> {
            target.cast(link);
            target.cast((Runnable) Scene::crash);
          }
          case CRASH_IN_INIT -> spawned = system.spawn(this::newCrasher);
          case CRASH_IN_INFO -> {
            target.cast(new Look(other, new CompletableFuture<>()));
            other.stop();
          }
          case CRASH_IN_TEARDOWN -> target.stop();
          default -> target.cast(line);
        }
        line.accepted = deed != Deed.LEAVE_BEHIND;
      } catch (Throwable e) {
        thrown = e;
      } finally {
        if (side == Shortage.Side.SENDER) endShortage();
        else Shortage.sent();
      }
    }

    void endShortage() {
      if (Shortage.disarm()) strikes.incrementAndGet();
    }

    /** A sender that waits for room gets it once it waits, or has given up. */
    void releaseWhenWaiting(CountDownLatch done) throws InterruptedException {
      if (!done.await(deed == Deed.FULL_WAIT ? 2 : HANG_SECONDS * 1000, TimeUnit.MILLISECONDS))
        gate.release();
      if (!done.await(HANG_SECONDS, TimeUnit.SECONDS)) throw broken("the sender hangs", "waiting");
    }

    /** Calls and watches end, whatever was missing. */
    void settle(String what) throws InterruptedException {
      if (deed.isCrash()) settleCrash(what);
      if (deed == Deed.LINK) settleLink(what);
      if (deed.isEnd()) settleEnd(what);
      if (deed.isSupervised()) settleSupervised(what);
      CompletionStage<String> stage = answer;
      if (stage == null) return;
      if (deed == Deed.WATCH) target.stop();
      if (deed.isNews()) other.stop(); // again, where memory for it was missing
      CompletableFuture<String> future = stage.toCompletableFuture();
      // An actor that crashed itself is not told of its call any more.
      await(
          () ->
              future.isDone()
                  || deed == Deed.CALL_TO_SELF && isOver(sendingActor)
                  || deed.isNews() && isOver(target),
          "it never ends",
          what);
      if (future.isCompletedExceptionally()) {
        Throwable cause = future.exceptionNow();
        if (!(cause instanceof CallException) && !(cause instanceof OutOfMemoryError))
          throw new Broken(what + ": it ended with " + cause);
      }
    }

    /** It ends as one that crashed, by its own error or by the one that was arranged, and once. */
    private void settleCrash(String what) throws InterruptedException {
      if (thrown != null) return; // it was not asked for
      ActorRef<Object> victim = deed == Deed.CRASH_IN_INIT ? spawned : target;
      var end = Objects.requireNonNull(victim).whenStopped().toCompletableFuture();
      await(end::isDone, "it never ends", what);
      if (!(end.join() instanceof StopReason.Crashed(Throwable cause))
          || !(cause instanceof AsTold || cause instanceof OutOfMemoryError))
        throw broken("it ended with " + end.join(), what);
      if (made.get() > 1) throw broken("it was made " + made.get() + " times", what);
    }

    /** Two that are linked end together: if the link was made, and one was told to crash. */
    private void settleLink(String what) throws InterruptedException {
      if (thrown != null) return;
      await(() -> isOver(target), "it does not crash", what);
      await(() -> !link.made || isOver(other), "who is linked to it goes on", what);
    }

    /** Told to end, it tells whoever is to know; and so do those that are to end with it. */
    private void settleEnd(String what) throws InterruptedException {
      if (thrown != null) return;
      await(end::isDone, "nobody is told of its end", what);
      for (ActorRef<?> one : family) await(() -> isOver(one), one + " goes on", what);
      if (deed == Deed.STOP_LINKED) await(() -> isOver(other), "who is linked goes on", what);
      if (deed == Deed.STOP_REGISTERED && system.registered(name).isPresent())
        throw broken("its name is not free", what);
    }

    /**
     * It fails once, and so it goes on with all that are started again with it; or the supervisor
     * is what was short of memory, and all of them end.
     */
    private void settleSupervised(String what) throws InterruptedException {
      CompletableFuture<StopReason> ended = Objects.requireNonNull(supervisorsEnd);
      for (ActorRef<Object> one : supervised) {
        Line again = newLine();
        one.cast(again);
        again.accepted = true;
        await(() -> again.seen == 1 || ended.isDone(), one + " is not up", what);
      }
      if (!ended.isDone()) return;
      if (!(ended.join() instanceof StopReason.Crashed(Throwable cause))
          || cause instanceof SupervisorGaveUpException && cause.getCause() instanceof AsTold)
        throw broken("it failed once, and its supervisor ended with " + ended.join(), what);
      for (ActorRef<?> one : family) await(() -> isOver(one), one + " goes on", what);
    }

    private static void crash() {
      throw new AsTold();
    }

    void check(String what, SystemSnapshot before) throws InterruptedException {
      if (thrown != null && !(thrown instanceof OutOfMemoryError) && !isRefusal(thrown)) {
        var problem = new Broken(what + ": it threw " + thrown);
        problem.initCause(thrown);
        throw problem;
      }
      if (!deed.isCall()) {
        for (Line line : lines)
          if (!line.accepted && line.seen > 0) throw broken("thrown, and yet seen", what);
      }
      if (deed.isBooked()) await(() -> accounted(before), "accepted and stranded", what);
      if (side == Shortage.Side.RUNTIME) endShortage();
      for (Line line : lines) if (line.seen > 1) throw broken("seen twice", what);
      probe(what);
    }

    private boolean accounted(SystemSnapshot before) {
      SystemSnapshot now = system.snapshot();
      long dead = now.deadLettersTotal() - before.deadLettersTotal();
      long failed = now.messagesFailed() - before.messagesFailed();
      long due = bombs + lines.stream().filter(l -> l.accepted).count();
      long seen = lines.stream().filter(l -> l.seen > 0).count();
      return due == seen + dead + failed;
    }

    /** Whoever lives still answers; so does everybody else; and all of it can be ended. */
    private void probe(String what) throws InterruptedException {
      if (deed.targetLives()) {
        Line again = newLine();
        long dead = system.snapshot().deadLettersTotal();
        target.cast(again);
        await(
            () -> again.seen == 1 || system.snapshot().deadLettersTotal() > dead,
            "nobody wakes it any more",
            what);
      }
      gate.release(1_000);
      if (deed.isSupervised()) family.getLast().stop();
      else target.stop();
      await(() -> isOver(target), "it does not stop", what);
      for (ActorRef<?> one : family) await(() -> isOver(one), one + " does not stop", what);
      other.stop();
      await(() -> isOver(other), "the other does not stop", what);
      ActorRef<Object> child = spawned;
      if (child == null) return;
      child.stop();
      await(() -> isOver(child), "what was spawned does not stop", what);
    }

    private void await(Condition condition, String problem, String what)
        throws InterruptedException {
      long deadline = System.nanoTime() + HANG_SECONDS * 1_000_000_000L;
      for (int i = 0; !condition.holds(); i++) {
        if (System.nanoTime() - deadline > 0) throw broken(problem, what);
        if (i < 50) Thread.yield();
        else LockSupport.parkNanos(100_000);
      }
    }

    private Broken broken(String problem, String what) {
      return new Broken(what + ": " + problem + "\n" + system.dump());
    }
  }

  @FunctionalInterface
  private interface Condition {
    boolean holds();
  }

  private static boolean isRefusal(Throwable thrown) {
    return thrown instanceof MailboxFullException || thrown instanceof CallException;
  }

  private record Question(Line line) implements Call<Object, String> {}

  /** To spawn so many, and to say whom. */
  private record Birth(int many, List<ActorRef<?>> born) {}

  private record Silence() implements Call<Object, String> {}

  /** To watch another, and to say when it is told of its end. */
  private record Look(ActorRef<Object> at, CompletableFuture<String> told) {}

  /** To link itself to another. */
  private static final class Tie {
    private final ActorRef<Object> to;
    volatile boolean made;

    Tie(ActorRef<Object> to) {
      this.to = to;
    }
  }

  private static final class AsTold extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Ends by an error, where its deed says. */
  private record Crasher(Deed deed) implements Actor<Object> {
    @Override
    public void init(Context<Object> context) {
      if (deed == Deed.CRASH_IN_INIT) throw new AsTold();
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      if (message instanceof Look look) context.watch(look.at);
    }

    @Override
    public void info(Signal signal, Context<Object> context) {
      if (deed == Deed.CRASH_IN_INFO) throw new AsTold();
    }

    @Override
    public void teardown(StopReason reason, Context<Object> context) {
      if (deed == Deed.CRASH_IN_TEARDOWN) throw new AsTold();
    }
  }

  private static final class Receiver implements Actor<Object> {
    private @Nullable Reply<String> kept;
    private @Nullable Look looking;

    @Override
    public void receive(Object message, Context<Object> context) {
      switch (message) {
        case Line line -> line.see();
        case Runnable hold -> hold.run();
        case Question question -> {
          question.line.see();
          context.reply(question, "answer");
        }
        case Birth birth -> {
          for (int i = 0; i < birth.many; i++) birth.born.add(context.spawn(Receiver::new));
        }
        case Silence silence -> kept = context.defer(silence);
        case Look look -> {
          looking = look;
          context.watch(look.at);
        }
        case Tie tie -> {
          context.link(tie.to);
          tie.made = true;
        }
        default -> throw new AssertionError("nobody sent " + message + " before " + kept);
      }
    }

    @Override
    public void info(Signal signal, Context<Object> context) {
      Look look = looking;
      if (look != null) look.told.complete("told");
    }
  }
}
