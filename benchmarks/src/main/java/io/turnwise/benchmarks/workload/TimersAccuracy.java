package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.TimerSource;
import io.turnwise.benchmarks.result.Measurement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;

/** Ten thousand timers, one every 200 µs: how long after its time does each callback begin? */
final class TimersAccuracy implements Workload {
  private static final int TIMERS = 10_000;
  private static final long STEP_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int timers = stage.scaled(TIMERS, 50);
    TimerSource source = stage.runtime().timers();
    AtomicLongArray late = new AtomicLongArray(timers);
    Finish called = stage.finish(timers);
    for (int i = 0; i < timers; i++) {
      int number = i;
      long due = System.nanoTime() + i * STEP_NANOS;
      source.schedule(
          i * STEP_NANOS,
          () -> {
            late.set(number, System.nanoTime() - due);
            called.crossed();
          });
    }
    called.await();

    Histogram nanos = new Histogram(3);
    int early = 0;
    for (int i = 0; i < timers; i++) {
      if (late.get(i) < 0) {
        early++;
      }
      nanos.recordValue(Math.max(0, late.get(i)));
    }
    return new Measurement(timers, nanos.getValueAtPercentile(99))
        .with("early", early)
        .withLatencies(nanos);
  }
}
