package io.turnwise.faults.life;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallException;
import io.turnwise.Context;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.faults.supervision.ClosedStorm;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.observation.CloseReport;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.scheduling.Backend;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * F32: a system is closed at a random moment of full load: messages that go round, calls, turns
 * that sleep, children that crash and are replaced or started again, threads that send from
 * outside, and at times a teardown or a turn that does not end, or loops on two dispatchers that
 * keep their workers. The books balance; the close ends by its deadline, at full size within a
 * tenth of a second; no thread of the system stays; a second close returns the same report; and
 * what is sent afterwards is a counted dead letter.
 */
public final class ShutdownRow implements Row {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(30);
  private static final Duration PAUSE = Duration.ofNanos(100_000);

  /** A bound for a hang, not a measure: a loaded machine is late by as much as it likes. */
  private static final Duration HANG = Duration.ofSeconds(120);

  /** What is promised; judged at full size, which is run where nothing else is. */
  private static final Duration MOMENT = Duration.ofMillis(100);

  private static final String OTHER = "other";

  /** What does not end. */
  private enum Hanging {
    NOTHING,
    A_TEARDOWN,
    A_TURN,
    /** Nobody can stop them: their workers' threads do not end. */
    LOOPS
  }

  @Override
  public String id() {
    return "F32";
  }

  @Override
  public String what() {
    return "shutdown at random moments";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int closes = (int) trial.sized(24, 1_000);
    SplittableRandom random = trial.random();
    long latest = 0;
    for (int i = 0; i < closes; i++) {
      int workers = trial.workers() > 0 ? trial.workers() : 1 << (i % 3);
      Hanging hanging = Hanging.values()[Math.max(0, i % 6 - 2)];
      Duration latestAllowed = trial.full() ? MOMENT : HANG;
      var scene = new Scene(random.split(), workers, hanging, "shutdown-" + i, latestAllowed);
      try {
        latest = Math.max(latest, scene.play());
      } catch (Broken e) {
        throw new Broken(
            "close " + i + ", " + workers + " workers, hangs: " + hanging + ": " + e.getMessage());
      }
      if (trial.full() && i % 100 == 99) trial.say(i + 1 + " closes");
    }
    trial.say("latest past its deadline by " + latest / 1000 + " us");
    return closes + " closes; " + new ClosedStorm().run(trial);
  }

  private record Question(int hops) implements Call<Object, Integer> {}

  /** One system. */
  private static final class Scene {
    private final SplittableRandom random;
    private final int workers;
    private final Hanging hanging;
    private final String name;
    private final Duration latestAllowed;
    private final Books books = new Books();
    private final LongAdder underWay = new LongAdder();
    private final CountDownLatch release = new CountDownLatch(1);
    private final CountDownLatch hangs = new CountDownLatch(1);
    private final AtomicInteger sending = new AtomicInteger();
    private final List<ActorRef<Object>> members = new ArrayList<>();
    private volatile boolean over;

    Scene(
        SplittableRandom random,
        int workers,
        Hanging hanging,
        String name,
        Duration latestAllowed) {
      this.random = random;
      this.workers = workers;
      this.hanging = hanging;
      this.name = name;
      this.latestAllowed = latestAllowed;
    }

    /** Returns by how many ns it was closed after its deadline. */
    long play() throws InterruptedException {
      Duration deadline = hanging == Hanging.NOTHING ? LONG : SHORT;
      ActorSystem system =
          ActorSystem.open(
              name,
              c ->
                  c.withWorkers(workers)
                      .withDispatcher(OTHER, 1)
                      .withCallTimeout(LONG)
                      .withCloseOnShutdown(false));
      long late;
      try {
        populate(system);
        long moment = random.nextLong(3_000);
        await(() -> books.handled.sum() >= moment, "it does not get going");
        long began = System.nanoTime();
        CloseReport report = system.close(deadline);
        late = System.nanoTime() - began - deadline.toNanos();
        over = true;
        await(() -> sending.get() == 0, "a sender hangs");
        checkReport(system, report, late);
        // Before what hangs goes on: a turn that was under way is counted by nobody.
        checkBooks(system);
        checkAfterwards(system, report);
      } finally {
        over = true;
        release.countDown();
        system.close(SHORT);
      }
      await(() -> threads().isEmpty(), "threads stay: " + threads());
      return Math.max(0, late);
    }

    private void checkReport(ActorSystem system, CloseReport report, long late) {
      if (late > latestAllowed.toNanos()) throw new Broken("late by " + Duration.ofNanos(late));
      boolean hung = hangs.getCount() == 0;
      if (hanging == Hanging.NOTHING ? !report.complete() : hung && report.complete())
        throw new Broken("the report says " + report + "\n" + system.dump());
    }

    /** Other turns that were under way at a short deadline may still be ending. */
    private void checkBooks(ActorSystem system) {
      long deadline = System.nanoTime() + HANG.toNanos();
      String problem;
      while ((problem = problem(system.snapshot())) != null) {
        if (System.nanoTime() - deadline > 0) throw new Broken(problem);
        LockSupport.parkNanos(200_000);
      }
      books.checkViolations();
    }

    private @Nullable String problem(SystemSnapshot end) {
      long fates = books.handled.sum() + books.failed.sum() + underWay.sum();
      if (books.accepted() != fates + end.deadLettersTotal())
        return "the identity does not hold: "
            + books
            + ", under way "
            + underWay
            + ", "
            + end.deadLetters();
      if (end.messagesHandled() != books.handled.sum())
        return "the runtime counted " + end.messagesHandled() + " handled, " + books;
      // What hangs in a message is left behind when the close kills it, and has failed.
      long teardowns = hanging == Hanging.A_TEARDOWN ? Math.min(1, end.handlersAbandoned()) : 0;
      if (end.messagesFailed() != books.failed.sum() + end.handlersAbandoned() - teardowns)
        return "the runtime counted "
            + end.messagesFailed()
            + " failed, "
            + end.handlersAbandoned()
            + " left behind, "
            + books;
      return null;
    }

    private void checkAfterwards(ActorSystem system, CloseReport report) {
      long dead = system.snapshot().deadLettersTotal();
      for (ActorRef<Object> member : members) member.cast("too late");
      if (system.snapshot().deadLettersTotal() != dead + members.size())
        throw new Broken("sent after the close, and not counted: " + system.snapshot());
      try {
        members.getFirst().call(new Question(0));
        throw new Broken("who answered after the close?");
      } catch (CallException e) {
        // as it should be
      }
      if (system.close(Duration.ofSeconds(1)) != report)
        throw new Broken("a second close has a report of its own");
      system.close();
    }

    private List<String> threads() {
      return Thread.getAllStackTraces().keySet().stream()
          .map(Thread::getName)
          .filter(n -> n.startsWith("turnwise-" + name + "-"))
          .toList();
    }

    private void populate(ActorSystem system) {
      for (int i = 0; i < 8; i++) {
        ActorSpec<Object> spec = ActorSpec.of(() -> new Member(this));
        if (i == 6) spec = spec.withBackend(Backend.BLOCKING);
        if (i == 7) spec = spec.withBackend(Backend.THREAD);
        members.add(system.spawn(spec));
      }
      system.spawn(() -> new Nursery(this));
      storm(system);
      if (hanging != Hanging.NOTHING) {
        hang(system, ActorSpec.of(() -> new Hanger(this)));
        if (hanging == Hanging.LOOPS)
          hang(system, ActorSpec.<Object>of(() -> new Hanger(this)).withDispatcher(OTHER));
      }
      for (int i = 0; i < 2; i++) sendFromOutside(random.split());
    }

    private void hang(ActorSystem system, ActorSpec<Object> spec) {
      ActorRef<Object> hanger = system.spawn(spec);
      if (hanging == Hanging.A_TEARDOWN) return;
      books.offered.increment();
      hanger.cast("hang");
    }

    /** Children that crash as soon as they are up, and are started again. */
    private void storm(ActorSystem system) {
      SupervisorSpec spec = SupervisorSpec.oneForAll().withLimit(RestartLimit.NONE);
      for (int i = 0; i < 3; i++) {
        ChildSpec<Object> child = ChildSpec.of("c" + i, () -> new Crasher(this));
        spec = spec.withChild(i == 0 ? child : child.withBackoff(Backoff.constant(PAUSE)));
      }
      Supervisor.start(system, "storm", spec);
    }

    private void sendFromOutside(SplittableRandom own) {
      sending.incrementAndGet();
      Thread.ofPlatform()
          .daemon()
          .start(
              () -> {
                try {
                  while (!over) {
                    for (int i = 0; i < 20; i++) send(own, 4);
                    LockSupport.parkNanos(50_000);
                  }
                } finally {
                  sending.decrementAndGet();
                }
              });
    }

    void send(SplittableRandom own, int hops) {
      books.offered.increment();
      members.get(own.nextInt(members.size())).cast(hops);
    }

    private static void await(BooleanSupplier condition, String problem) {
      long deadline = System.nanoTime() + HANG.toNanos();
      while (!condition.getAsBoolean()) {
        if (System.nanoTime() - deadline > 0) throw new Broken(problem);
        LockSupport.parkNanos(200_000);
      }
    }
  }

  /** Sends on, sleeps, asks others and answers them. */
  private static final class Member implements Actor<Object> {
    private final Scene scene;
    private final SplittableRandom random;

    Member(Scene scene) {
      this.scene = scene;
      synchronized (scene) {
        this.random = scene.random.split();
      }
    }

    @Override
    public void receive(Object message, Context<Object> context) throws InterruptedException {
      try {
        handle(message, context);
        scene.books.handled.increment();
      } catch (Throwable killed) { // by a close whose deadline has passed
        scene.books.failed.increment();
        throw killed;
      }
    }

    private void handle(Object message, Context<Object> context) throws InterruptedException {
      switch (message) {
        case Integer hops -> {
          if (hops > 0) scene.send(random, hops - 1);
          switch (random.nextInt(40)) {
            case 0 -> Thread.sleep(0, 100_000);
            case 1 -> ask(context);
            default -> {
              // done
            }
          }
        }
        case Question question -> context.reply(question, question.hops);
        default -> throw new AssertionError("nobody sent " + message);
      }
    }

    /** Not from the two that hold a thread: in a circle of them nobody would answer. */
    private void ask(Context<Object> context) {
      ActorRef<Object> other = scene.members.get(random.nextInt(scene.members.size()));
      if (other == context.self()) return;
      scene.books.offered.increment();
      other.callAsync(new Question(1));
    }
  }

  /** Its children crash as soon as they live; it replaces them. */
  private static final class Nursery implements Actor<Object> {
    private final Scene scene;

    Nursery(Scene scene) {
      this.scene = scene;
    }

    @Override
    public void init(Context<Object> context) {
      for (int i = 0; i < 4; i++) replace(context);
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      scene.books.violation("nobody sends to the nursery");
    }

    @Override
    public void info(Signal signal, Context<Object> context) {
      if (signal instanceof Signal.ChildCrashed) replace(context);
    }

    private void replace(Context<Object> context) {
      ActorRef<Object> child =
          context.spawn(
              () ->
                  (message, own) -> {
                    scene.books.failed.increment();
                    throw new IllegalStateException("crashes on purpose");
                  });
      scene.books.offered.increment();
      child.cast("crash");
    }
  }

  private record Crasher(Scene scene) implements Actor<Object> {
    @Override
    public void init(Context<Object> context) {
      scene.books.offered.increment();
      context.self().cast("crash");
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      scene.books.failed.increment();
      throw new IllegalStateException("crashes on purpose");
    }
  }

  private record Hanger(Scene scene) implements Actor<Object> {
    @Override
    public void receive(Object message, Context<Object> context) {
      scene.underWay.increment();
      if (scene.hanging == Hanging.LOOPS) loop();
      else hang();
    }

    /** This module is not woven. */
    private void loop() {
      scene.hangs.countDown();
      while (scene.release.getCount() > 0) Thread.onSpinWait();
    }

    @Override
    public void teardown(StopReason reason, Context<Object> context) {
      if (scene.hanging == Hanging.A_TEARDOWN) hang();
    }

    private void hang() {
      scene.hangs.countDown();
      boolean interrupted = false;
      while (scene.release.getCount() > 0) {
        try {
          scene.release.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) Thread.currentThread().interrupt();
    }
  }
}
