package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.TimerSource;
import io.turnwise.benchmarks.result.Measurement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A plain thread schedules a million timers one to two minutes ahead, then cancels them all. What a
 * timer thread does later is not in it.
 */
final class TimersChurn implements Workload {
  private static final int TIMERS = 1_000_000;
  private static final long NEAREST_NANOS = TimeUnit.SECONDS.toNanos(60);

  @Override
  public <A> Measurement run(Stage<A> stage) {
    int timers = stage.scaled(TIMERS, 1_000);
    TimerSource source = stage.runtime().timers();
    AtomicInteger called = new AtomicInteger();
    Runnable callback = called::incrementAndGet;
    Object[] handles = new Object[timers];
    long step = NEAREST_NANOS / timers;

    long start = System.nanoTime();
    for (int i = 0; i < timers; i++) {
      handles[i] = source.schedule(NEAREST_NANOS + i * step, callback);
    }
    long scheduled = System.nanoTime();
    for (int i = 0; i < timers; i++) {
      source.cancel(handles[i]);
    }
    long end = System.nanoTime();

    WrongResultException.unlessEqual("timers that came", 0, called.get());
    return Measurement.perSecond(timers, 2L * timers, end - start)
        .with("schedule_per_s", timers * 1e9 / (scheduled - start))
        .with("cancel_per_s", timers * 1e9 / (end - scheduled));
  }
}
