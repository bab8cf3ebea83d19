package io.turnwise.faults.preemption;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.HandlerCancelled;
import io.turnwise.KillReport;
import io.turnwise.KillReport.Force;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.scheduling.Masked;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * F18: handlers are killed wherever they happen to be: inside {@code synchronized}, between lock
 * and unlock, in nested {@code finally}, with resources open, in a masked section. No lock stays
 * taken, nothing stays half done, and a second error comes only after a grace.
 */
public final class UnwindRow extends WovenRow {
  private static final int AT_ONCE = 8;

  /** How long a kill waits before it throws once more, as ADR 15 has it. */
  private static final long GRACE_NANOS = 5_000_000;

  private enum Shape {
    MONITOR,
    LOCK,
    NESTED_FINALLY,
    RESOURCES,
    MASKED,
    SECOND_THROW
  }

  @Override
  public String id() {
    return "F18";
  }

  @Override
  public String what() {
    return "kills between lock and unlock, in finally";
  }

  /** Once as users run it, once with turns stopped at many other places meanwhile. */
  @Override
  protected List<List<String>> jvms(Trial trial) {
    return List.of(List.of(), everyPoll("0.05", trial.seed()));
  }

  @Override
  protected String runWoven(Trial trial) throws Exception {
    int kills = (int) trial.sized(240, 25_000);
    for (int workers : trial.workerCounts()) unwind(trial, workers, kills);
    return kills + " kills each";
  }

  private static void unwind(Trial trial, int workers, int count) throws Exception {
    SplittableRandom random = trial.random();
    var books = new Books();
    var system =
        ActorSystem.open(
            "unwind", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
    var scene =
        new Scene(books) {
          @Override
          long ask(int n) {
            return answer(n);
          }
        };
    var kills = new KillBook(system);
    try (system) {
      for (int i = 0; i < count; i += AT_ONCE) killSome(system, scene, books, kills, random);
      long abandoned = system.snapshot().handlersAbandoned();
      scene.check(abandoned);
      books.checkViolations();
      if (abandoned != kills.count(Force.ABANDONED))
        throw new Broken(abandoned + " were abandoned: " + kills.figures());
    }
    trial.say(
        workers
            + " workers: "
            + kills.figures()
            + ", "
            + scene.unclosed()
            + " resources left open");
  }

  private static void killSome(
      ActorSystem system, Scene scene, Books books, KillBook kills, SplittableRandom random)
      throws Exception {
    List<Victim> victims = new ArrayList<>();
    List<ActorRef<Shape>> actors = new ArrayList<>();
    for (int i = 0; i < AT_ONCE; i++) {
      var victim = new Victim(scene, books, random.nextInt(97));
      ActorRef<Shape> actor = system.spawn(() -> victim);
      actor.cast(Shape.values()[random.nextInt(Shape.values().length)]);
      victims.add(victim);
      actors.add(actor);
    }
    for (Victim victim : victims)
      if (!victim.begun.await(120, TimeUnit.SECONDS)) throw new Broken(system.dump());
    List<CompletableFuture<KillReport>> reports = new ArrayList<>();
    for (ActorRef<Shape> actor : actors) {
      LockSupport.parkNanos(1 + random.nextInt(200_000));
      reports.add(actor.kill().toCompletableFuture());
    }
    for (int i = 0; i < AT_ONCE; i++) {
      KillReport report = kills.await(reports.get(i), actors.get(i));
      Victim victim = victims.get(i);
      if (report.force() != Force.ABANDONED && victim.first != victim.second)
        books.violation("a masked section was cut: " + victim.first + ", " + victim.second);
    }
  }

  private static final class Victim implements Actor<Shape> {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final Scene scene;
    private final Books books;
    private final int n;
    private volatile long first;
    private volatile long second;

    Victim(Scene scene, Books books, int n) {
      this.scene = scene;
      this.books = books;
      this.n = n;
    }

    @Override
    public void receive(Shape shape, Context<Shape> context) throws Exception {
      begun.countDown();
      while (true) {
        switch (shape) {
          case MONITOR -> scene.inMonitor(n);
          case LOCK -> scene.guarded(n);
          case NESTED_FINALLY -> scene.nested(n % Scene.DEEPEST, n);
          case RESOURCES -> Work.RESOURCES.run(n, scene);
          case MASKED -> Masked.run(Duration.ofSeconds(1), this::inTwoSteps);
          case SECOND_THROW -> finishInFinally();
        }
      }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    private void inTwoSteps() {
      first++;
      for (int i = 0; i < 20; i++) Work.step(n, i);
      second++;
    }

    private void finishInFinally() {
      long before = System.nanoTime();
      try {
        while (true) {
          before = System.nanoTime(); // the throw comes after this
          Work.spin(n, 200);
        }
      } finally {
        try {
          for (int i = 0; i < 200; i++) Work.step(n, i);
        } catch (HandlerCancelled again) {
          long grace = System.nanoTime() - before;
          if (grace < GRACE_NANOS) books.violation("a second throw after " + grace + " ns");
          throw again;
        }
      }
    }
  }
}
