package io.turnwise.faults.time;

import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Row;
import io.turnwise.faults.trial.Trial;
import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * F29: timers are scheduled by several threads and most of them cancelled, by anybody, at any time:
 * on their way to the wheel, in it, when they are due, when they are being called.
 */
public final class TimerRaceRow implements Row {
  private static final int THREADS = 4;
  private static final long LONGEST_NANOS = 20_000_000;

  /** The last ones that were scheduled, for anybody to cancel. */
  private static final int RECENT = 1 << 16;

  private record Numbered(TimerHandle timer, int number) {}

  @Override
  public String id() {
    return "F29";
  }

  @Override
  public String what() {
    return "timers scheduled, nine of ten cancelled in races";
  }

  @Override
  public String run(Trial trial) throws Exception {
    int timers = (int) trial.sized(400_000, 10_000_000);
    for (int workers : trial.workerCounts()) {
      var books = new TimerBooks(timers);
      try (var system =
          ActorSystem.open("timers", c -> c.withWorkers(workers).withMaxPendingTimers(timers))) {
        race(system.timers(), books, timers, trial.seed());
        books.close(system.timers(), Duration.ofMinutes(5));
      }
      trial.say(workers + " workers: " + books.sums());
    }
    return timers + " timers";
  }

  private static void race(TimerService timers, TimerBooks books, int all, long seed)
      throws InterruptedException {
    var recent = new AtomicReferenceArray<Numbered>(RECENT);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int first = t;
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    var random = new SplittableRandom(seed + first);
                    for (int i = first; i < all; i += THREADS)
                      scheduleOne(timers, books, recent, i, random);
                  }));
    }
    for (Thread thread : threads) thread.join();
  }

  private static void scheduleOne(
      TimerService timers,
      TimerBooks books,
      AtomicReferenceArray<Numbered> recent,
      int number,
      SplittableRandom random) {
    long delay = random.nextLong(LONGEST_NANOS);
    long due = System.nanoTime() + delay;
    TimerHandle timer =
        timers.scheduleDelayed(books.callback(number, due), Duration.ofNanos(delay));
    var own = new Numbered(timer, number);
    if (random.nextInt(10) < 8) cancel(own, books);
    // Whoever is found is cancelled, in whatever state it is by now; others may do the same.
    Numbered other = recent.get(random.nextInt(RECENT));
    if (other != null && random.nextInt(10) != 0) cancel(other, books);
    recent.set(random.nextInt(RECENT), own);
  }

  private static void cancel(Numbered timer, TimerBooks books) {
    if (timer.timer.cancel()) books.cancelled(timer.number);
  }
}
