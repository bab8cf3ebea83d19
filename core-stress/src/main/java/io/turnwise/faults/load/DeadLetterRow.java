package io.turnwise.faults.load;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.RuntimeLog;
import io.turnwise.faults.trial.Toll;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.observation.DeadLetterReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * F28: a flood of messages to an actor that has stopped. Each is counted, at most 20 lines a minute
 * are logged, and others go on meanwhile: at full size, hardly slower than beside threads that
 * compute as much and send nothing.
 */
public final class DeadLetterRow implements Row {
  private static final int SENDERS = 2;
  private static final int LINES_A_MINUTE = 20;
  private static final int WARM_UP_MILLIS = 300;
  private static final int WINDOW_MILLIS = 1_000;

  @Override
  public String id() {
    return "F28";
  }

  @Override
  public String what() {
    return "flood of dead letters";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long letters = trial.sized(200_000, 10_000_000);
    for (int workers : trial.workerCounts()) {
      flood(workers, letters);
      compare(trial, workers);
    }
    return letters + " letters";
  }

  private static void flood(int workers, long letters) throws InterruptedException {
    var lines = new AtomicInteger();
    long began = System.nanoTime();
    try (var _ = new RuntimeLog(_ -> lines.incrementAndGet())) {
      var books = new Books();
      ActorSystem system =
          ActorSystem.open(
              "letters", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
      try (system) {
        ActorRef<Object> gone = system.spawn(() -> (message, context) -> {});
        gone.stop();
        gone.whenStopped().toCompletableFuture().join();
        var traffic = new Traffic(system, books, 2, letters / 10);
        send(gone, books, letters);
        traffic.awaitDone(600);
        books.awaitQuiet(system, 120);
      }
      books.check(system.snapshot(), 0);
      Long counted = system.snapshot().deadLetters().get(DeadLetterReason.RECIPIENT_STOPPED);
      if (counted == null || counted != letters)
        throw new Broken(letters + " letters, of which " + counted + " were counted");
    }
    long minutes = 1 + (System.nanoTime() - began) / 60_000_000_000L;
    if (lines.get() > LINES_A_MINUTE * minutes)
      throw new Broken(lines + " lines were logged in " + minutes + " min");
    if (lines.get() == 0) throw new Broken("nothing was logged at all");
  }

  /** Whoever floods takes a core. More than that it must not take from others. */
  private static void compare(Trial trial, int workers) throws InterruptedException {
    int rounds = (int) trial.sized(1, 9);
    var toll = new Toll(workers + " workers, a flood of dead letters");
    for (int i = 0; i < rounds; i++) toll.add(rate(workers, false), rate(workers, true));
    toll.judge(trial);
  }

  /** Throws of the traffic in a second, beside such threads. */
  private static double rate(int workers, boolean flooded) throws InterruptedException {
    var books = new Books();
    try (var _ = new RuntimeLog(_ -> {});
        var system =
            ActorSystem.open(
                "beside", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)))) {
      ActorRef<Object> gone = system.spawn(() -> (message, context) -> {});
      gone.stop();
      gone.whenStopped().toCompletableFuture().join();
      var over = new AtomicBoolean();
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++)
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (long n = 0; !over.get(); n++) {
                        books.offered.increment();
                        if (flooded) gone.cast(n);
                        else books.handled.increment();
                      }
                    }));
      var traffic = new Traffic(system, books, 2, Long.MAX_VALUE);
      Thread.sleep(WARM_UP_MILLIS);
      long before = traffic.left();
      long began = System.nanoTime();
      Thread.sleep(WINDOW_MILLIS);
      double rate = (before - traffic.left()) * 1e9 / (System.nanoTime() - began);
      over.set(true);
      for (Thread thread : threads) thread.join();
      traffic.end();
      traffic.awaitDone(120);
      return rate;
    }
  }

  private static void send(ActorRef<Object> gone, Books books, long letters)
      throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++)
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (long n = 0; n < letters / SENDERS; n++) {
                      books.offered.increment();
                      gone.cast(n);
                    }
                  }));
    for (Thread thread : threads) thread.join();
  }
}
