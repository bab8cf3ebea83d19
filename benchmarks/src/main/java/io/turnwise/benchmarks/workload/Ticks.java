package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * Some light actors that get a tick at regular times from a plain thread and note how late it is:
 * once from when it was sent, and once from when it should have been sent, so that a sender that is
 * itself held up hides nothing. A late sender never skips; it catches up.
 */
final class Ticks<A> {
  static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Stage<A> stage;
  private final List<A> lights = new ArrayList<>();
  private final Log measured = new Log();

  Ticks(Stage<A> stage, int lightActors) {
    this.stage = stage;
    for (int i = 0; i < lightActors; i++) {
      lights.add(stage.runtime().spawn(new Light<>()));
    }
  }

  /** Ticks that are handled as all are, but noted elsewhere and forgotten. */
  void warmUp(Duration time, Duration period) {
    drive(time, period, new Log());
  }

  /** Ticks that count. Returns after the last one was sent. */
  void measure(Duration time, Duration period) {
    drive(time, period, measured);
  }

  /** Ticks that count, at least one round, while something goes on. */
  void measureWhile(BooleanSupplier goesOn, Duration period) {
    drive(round -> round == 0 || goesOn.getAsBoolean(), period, measured);
  }

  /** How many of those that count were handled so far. */
  long handled() {
    return measured.handled();
  }

  private void drive(Duration time, Duration period, Log log) {
    long rounds = time.dividedBy(period);
    drive(round -> round < rounds, period, log);
  }

  private void drive(LongPredicate oneMore, Duration period, Log log) {
    long start = System.nanoTime();
    for (long round = 0; oneMore.test(round); round++) {
      long intended = start + round * period.toNanos();
      parkUntil(intended);
      for (A light : lights) {
        log.sent++;
        stage.runtime().send(light, new Tick(log, intended, System.nanoTime()));
      }
    }
  }

  private static void parkUntil(long time) {
    for (long left = time - System.nanoTime(); left > 0; left = time - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Waits a little for ticks that are still under way; the value is the 99th percentile. */
  Measurement result(Duration patience) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (measured.handled() < measured.sent && System.nanoTime() - end < 0) {
      Thread.sleep(10);
    }
    stage.failures().throwIfAny();
    return measured.result();
  }

  void stop() {
    lights.forEach(stage.runtime()::stop);
  }

  /** What became of some ticks. Written by all light actors, but sent by the driving thread. */
  private static final class Log {
    private static final long LONGEST = TimeUnit.HOURS.toNanos(1);

    private final ConcurrentHistogram fromSent = new ConcurrentHistogram(LONGEST, 3);
    private final ConcurrentHistogram fromIntended = new ConcurrentHistogram(LONGEST, 3);
    private long sent;

    void note(Tick tick) {
      long now = System.nanoTime();
      fromSent.recordValue(Math.max(0, now - tick.sent));
      fromIntended.recordValue(Math.max(0, now - tick.intended));
    }

    /** Those that are noted completely. */
    long handled() {
      return fromIntended.getTotalCount();
    }

    Measurement result() {
      long handled = handled();
      if (handled > sent) {
        throw new WrongResultException(handled + " ticks handled, but only " + sent + " sent");
      }
      double value = handled == 0 ? Double.NaN : fromSent.getValueAtPercentile(99);
      return new Measurement(sent, value)
          .withLatencies(fromSent)
          .withLatencies(fromIntended, "_intended")
          .with("unhandled", sent - handled);
    }
  }

  private record Tick(Log log, long intended, long sent) {}

  private record Light<A>() implements Behavior<A> {
    @Override
    public Next receive(Object message, Self<A> self) {
      Tick tick = (Tick) message;
      tick.log.note(tick);
      return Next.CONTINUE;
    }
  }
}
