package io.turnwise.faults.life;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Deadlines;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.RuntimeLog;
import io.turnwise.faults.trial.Toll;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.observation.CloseReport;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * F13: strangers' code that the runtime calls throws at every turn, or never returns: listeners of
 * dead letters, the log, callbacks of calls and of ends, and the JVM's handler of uncaught
 * exceptions. Beside it messages flow as before; failures are counted; nobody else waits, not even
 * another listener, and the system can be closed.
 *
 * <p>At full size the traffic may become slower by a twentieth at most. Exporters of metrics join
 * when there are any.
 */
public final class ListenerRow implements Row {
  /** What strangers' code does. */
  private enum Manner {
    RETURNS,
    THROWS,
    BLOCKS
  }

  private static final int LETTERS = 1_000;

  @Override
  public String id() {
    return "F13";
  }

  @Override
  public String what() {
    return "listeners, log, callbacks throw or block";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long messages = trial.sized(200_000, 20_000_000);
    int rounds = (int) trial.sized(1, 15);
    for (int workers : trial.workerCounts()) {
      var thrown = new Toll(workers + " workers, strangers' code throws");
      var blocked = new Toll(workers + " workers, strangers' code blocks");
      for (int i = 0; i < rounds; i++) {
        double calm = messages / new Scene(Manner.RETURNS, workers, messages).play();
        thrown.add(calm, messages / new Scene(Manner.THROWS, workers, messages).play());
        blocked.add(calm, messages / new Scene(Manner.BLOCKS, workers, messages).play());
      }
      thrown.judge(trial);
      blocked.judge(trial);
    }
    return messages + " messages beside it";
  }

  private record Question() implements Call<Object, String> {}

  /** One system with such strangers. */
  private static final class Scene {
    private final Manner manner;
    private final int workers;
    private final long messages;
    private final CountDownLatch release = new CountDownLatch(1);
    private final LongAdder listenerCalls = new LongAdder();
    private final LongAdder goodListenerCalls = new LongAdder();
    private final Books books = new Books();

    Scene(Manner manner, int workers, long messages) {
      this.manner = manner;
      this.workers = workers;
      this.messages = messages;
    }

    /** Returns how many seconds the traffic took. */
    double play() throws Exception {
      Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
      ActorSystem system =
          ActorSystem.open(
              "strangers", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
      double seconds;
      PrintStream err = System.err;
      try (var _ = new RuntimeLog(_ -> misbehave())) {
        Thread.setDefaultUncaughtExceptionHandler((_, _) -> misbehave());
        System.setErr(new PrintStream(OutputStream.nullOutputStream())); // where the log ends up
        seconds = live(system);
        CloseReport report = system.close(Duration.ofSeconds(120));
        if (!report.complete()) throw new Broken("close was held up: " + report);
      } finally {
        release.countDown();
        system.close(Duration.ofSeconds(120));
        Thread.setDefaultUncaughtExceptionHandler(before);
        System.setErr(err);
      }
      books.check(system.snapshot(), 0);
      return seconds;
    }

    private void misbehave() {
      switch (manner) {
        case RETURNS -> {
          // as it should
        }
        case THROWS -> throw new IllegalStateException("on purpose");
        case BLOCKS -> awaitRelease();
      }
    }

    private void awaitRelease() {
      boolean interrupted = false;
      while (release.getCount() > 0) {
        try {
          release.await();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) Thread.currentThread().interrupt();
    }

    private double live(ActorSystem system) throws Exception {
      system.onDeadLetter(
          _ -> {
            listenerCalls.increment();
            misbehave();
          });
      system.onDeadLetter(_ -> goodListenerCalls.increment());
      ActorRef<Object> gone = system.spawn(() -> (message, context) -> {});
      gone.whenStopped().thenRun(this::misbehave);
      gone.stop();
      await(() -> system.snapshot().actorsLive() == 0, "it does not stop");
      long began = System.nanoTime();
      var traffic = new Traffic(system, books, 2, messages);
      provoke(system, gone);
      traffic.awaitDone(1800);
      double seconds = (System.nanoTime() - began) / 1e9;
      books.awaitQuiet(system, 120);
      Deadlines.check(system);
      books.handled.increment(); // the question that nobody answers in time
      books.offered.increment();
      checkCounts(system);
      return seconds;
    }

    /** Gives every stranger something to be called for. */
    private void provoke(ActorSystem system, ActorRef<Object> gone) {
      for (int i = 0; i < LETTERS; i++) {
        books.offered.increment();
        gone.cast(i);
      }
      for (int i = 0; i < 5; i++) {
        books.offered.increment(); // a call to who has gone is a dead letter, too
        gone.callAsync(new Question()).whenCompleteAsync((_, _) -> misbehave());
        books.offered.increment();
        ActorRef<Object> crashing =
            system.spawn(
                () ->
                    (message, context) -> {
                      books.failed.increment();
                      Thread.startVirtualThread(
                          () -> {
                            throw new IllegalStateException("for the uncaught handler");
                          });
                      throw new IllegalStateException("for the log");
                    });
        crashing.whenStopped().thenRun(this::misbehave);
        crashing.cast("crash");
      }
    }

    /** Counted exactly, and the listener that behaves was shown all there is. */
    private void checkCounts(ActorSystem system) {
      await(() -> goodListenerCalls.sum() == LETTERS + 5, "the other listener was kept waiting");
      if (manner != Manner.BLOCKS)
        await(() -> listenerCalls.sum() == LETTERS + 5, "the listener is no longer called");
      long failures = manner == Manner.THROWS ? LETTERS + 5 : 0;
      await(
          () -> system.snapshot().listenerFailures() == failures,
          "the failures of the listener are not counted");
      if (system.snapshot().crashes() != 5 || system.snapshot().workersReplaced() != 0)
        throw new Broken("runtime: " + system.snapshot());
    }

    private void await(BooleanSupplier condition, String problem) {
      long deadline = System.nanoTime() + 120_000_000_000L;
      while (!condition.getAsBoolean()) {
        if (System.nanoTime() - deadline > 0) throw new Broken(manner + ": " + problem);
        LockSupport.parkNanos(100_000);
      }
    }
  }
}
