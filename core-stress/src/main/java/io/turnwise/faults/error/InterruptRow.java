package io.turnwise.faults.error;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.scheduling.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * F23: handlers interrupt themselves, or are interrupted from outside in the middle of their turn,
 * running or parked. No interrupt reaches a later turn, another actor or a worker.
 */
public final class InterruptRow implements Row {
  private static final int ACTORS = 16;

  @Override
  public String id() {
    return "F23";
  }

  @Override
  public String what() {
    return "interrupts from inside and outside";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long turns = trial.sized(60_000, 10_000_000);
    for (int workers : trial.workerCounts())
      for (Backend backend : Backend.values())
        interrupt(trial.random(), workers, backend, backend == Backend.ASYNC ? turns : turns / 20);
    return turns + " turns, 1 in 100 interrupted";
  }

  private static void interrupt(SplittableRandom random, int workers, Backend backend, long turns)
      throws InterruptedException {
    var books = new Books();
    var victim = new AtomicReference<@Nullable Thread>();
    ActorSystem system =
        ActorSystem.open(
            "interrupts", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
    Thread outside = Thread.ofPlatform().daemon().start(() -> interruptWhoAsks(victim));
    try (system) {
      List<ActorRef<Long>> actors = new ArrayList<>();
      for (int i = 0; i < ACTORS; i++) {
        SplittableRandom own = random.split();
        actors.add(
            system.spawn(
                ActorSpec.<Long>of(() -> new Victim(books, own, victim)).withBackend(backend)));
      }
      for (long i = 0; i < turns; i++) {
        books.offered.increment();
        actors.get((int) (i % ACTORS)).cast(i);
        if (i % 10_000 == 9_999) books.awaitQuiet(system, 120);
      }
      books.awaitQuiet(system, 120);
    } finally {
      outside.interrupt();
    }
    books.check(system.snapshot(), 0);
    if (system.snapshot().workersReplaced() != 0) throw new Broken("workers died of interrupts");
  }

  /** Until it is interrupted itself. */
  private static void interruptWhoAsks(AtomicReference<@Nullable Thread> victim) {
    while (!Thread.interrupted()) {
      Thread thread = victim.getAndSet(null);
      if (thread != null) thread.interrupt();
      else LockSupport.parkNanos(20_000);
    }
  }

  private record Victim(
      Books books, SplittableRandom random, AtomicReference<@Nullable Thread> outside)
      implements Actor<Long> {
    @Override
    public void receive(Long number, Context<Long> context) throws InterruptedException {
      if (Thread.currentThread().isInterrupted()) books.violation("an interrupt leaked in");
      switch (random.nextInt(300)) {
        case 0 -> Thread.currentThread().interrupt();
        case 1 -> {
          // Asks to be interrupted, and does not end its turn before that has happened.
          Thread self = Thread.currentThread();
          while (!outside.compareAndSet(null, self)) Thread.yield();
          while (!self.isInterrupted()) Thread.onSpinWait();
        }
        case 2 -> {
          Thread self = Thread.currentThread();
          while (!outside.compareAndSet(null, self)) Thread.yield();
          while (!self.isInterrupted()) LockSupport.park();
        }
        case 3 -> Thread.sleep(0, 1000); // throws at once if an interrupt has leaked in
        default -> {
          // An innocent turn.
        }
      }
      books.handled.increment();
    }
  }
}
