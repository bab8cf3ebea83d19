package io.turnwise.faults.load;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.RuntimeLog;
import io.turnwise.faults.trial.Traffic;
import io.turnwise.faults.trial.Trial;
import io.turnwise.observation.DeadLetterReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * F28: a flood of messages to an actor that has stopped. Each is counted, at most 20 lines a minute
 * are logged, and others go on meanwhile.
 */
public final class DeadLetterRow implements Row {
  private static final int SENDERS = 2;
  private static final int LINES_A_MINUTE = 20;

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
    for (int workers : trial.workerCounts()) flood(workers, letters);
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
