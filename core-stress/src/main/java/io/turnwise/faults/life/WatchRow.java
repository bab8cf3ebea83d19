package io.turnwise.faults.life;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import io.turnwise.Signal;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * F7: actors watch and unwatch others that stop or crash at the same moment. Each watch that is not
 * taken back brings exactly one notice, none comes after unwatch has returned, and when it comes
 * the name is free again.
 */
public final class WatchRow implements Row {
  private static final int WATCHERS = 8;

  @Override
  public String id() {
    return "F7";
  }

  @Override
  public String what() {
    return "watch, unwatch and exit race";
  }

  @Override
  public String run(Trial trial) throws Exception {
    long rounds = trial.sized(8_000, 1_000_000);
    for (int workers : trial.workerCounts()) race(trial, workers, rounds);
    return rounds + " races";
  }

  private static void race(Trial trial, int workers, long rounds) throws InterruptedException {
    var books = new Books();
    var done = new CountDownLatch(WATCHERS);
    SplittableRandom random = trial.random();
    try (var system =
        ActorSystem.open(
            "watch", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)))) {
      for (int i = 0; i < WATCHERS; i++) {
        SplittableRandom own = random.split();
        String name = "watched-" + i;
        system
            .spawn(() -> new Watcher(books, own, name, rounds / WATCHERS, done))
            .cast(Watcher.NEXT);
      }
      if (!done.await(trial.full() ? 3600 : 300, TimeUnit.SECONDS))
        throw new Broken("a notice is missing: " + books + "\n" + system.dump());
    }
    books.checkViolations();
  }

  /** Stops or crashes when it is told to. */
  private static final class Mortal implements Actor<String> {
    @Override
    public void receive(String how, Context<String> context) {
      if (how.equals("crash")) throw new IllegalStateException("crashes on purpose");
      context.stop();
    }
  }

  /** Runs one race after another; the next begins when the last one's target has ended. */
  private static final class Watcher implements Actor<Object> {
    static final Object NEXT = "next";

    /** The target has ended, and all that it could send has been sent before this. */
    private record Over(ActorRef<?> target) {}

    private final Books books;
    private final SplittableRandom random;
    private final String name;
    private final CountDownLatch done;
    private long left;
    private @Nullable ActorRef<String> target;
    private boolean expecting;
    private boolean told;
    private boolean over;

    Watcher(Books books, SplittableRandom random, String name, long rounds, CountDownLatch done) {
      this.books = books;
      this.random = random;
      this.name = name;
      this.left = rounds;
      this.done = done;
    }

    @Override
    public void receive(Object message, Context<Object> context) {
      if (message instanceof Over(ActorRef<?> ended)) {
        if (ended != target) return;
        over = true;
        if (expecting && !told) return; // the notice is on its way, or the row will hang
      }
      next(context);
    }

    private void next(Context<Object> context) {
      if (--left >= 0) race(context);
      else if (left == -1) done.countDown();
    }

    private void race(Context<Object> context) {
      // Free again, or this throws: the last one's notice has come.
      ActorRef<String> next = context.system().spawn(name, Mortal::new);
      target = next;
      told = false;
      over = false;
      expecting = true;
      boolean early = random.nextBoolean();
      if (early) end(next);
      context.watch(next);
      for (int i = random.nextInt(3); i > 0; i--) {
        context.unwatch(next);
        expecting = false;
        if (random.nextBoolean()) {
          context.watch(next);
          expecting = true;
        }
      }
      if (!early) end(next);
      ActorRef<Object> self = context.self();
      next.whenStopped().thenRun(() -> self.cast(new Over(next)));
    }

    private void end(ActorRef<String> next) {
      switch (random.nextInt(5)) {
        case 0 -> next.stop();
        case 1 -> next.stopAfterDrain();
        case 2 -> next.cast("crash");
        case 3 -> next.kill();
        default -> Thread.startVirtualThread(() -> next.cast("stop"));
      }
    }

    @Override
    public void info(Signal signal, Context<Object> context) {
      if (signal.actor() != target || !expecting) {
        books.violation("a notice of " + signal.actor().path() + " after unwatch");
        return;
      }
      if (told) books.violation("a second notice of " + signal.actor().path());
      told = true;
      if (context.system().find(name).filter(r -> r == signal.actor()).isPresent())
        books.violation("the name was not free: " + name);
      if (over) next(context);
    }
  }
}
