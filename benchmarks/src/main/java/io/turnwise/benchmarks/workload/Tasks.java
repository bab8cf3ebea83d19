package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.TaskPool;
import io.turnwise.benchmarks.result.Measurement;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** Ten million tiny tasks, submitted by one plain thread or by one task inside the pool. */
final class Tasks implements Workload {
  private static final int TASKS = 10_000_000;
  private static final int MEASURE_EVERY = 64;
  private static final long LOOK_EVERY_NANOS = 200_000;

  /** Who submits. */
  enum From {
    OUTSIDE,
    INSIDE
  }

  private final From from;

  Tasks(From from) {
    this.from = from;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int tasks = stage.scaled(TASKS, 1_000);
    TaskPool pool = stage.runtime().tasks();
    LongAdder done = new LongAdder();
    Histogram submitNanos = new Histogram(3);
    Finish submitted = stage.finish(1);
    Runnable submitAll =
        () -> {
          submit(pool, done::increment, tasks, submitNanos);
          submitted.crossed();
        };

    long start = System.nanoTime();
    if (from == From.INSIDE) {
      pool.execute(submitAll);
    } else {
      submitAll.run();
    }
    submitted.await();
    awaitCount(done, tasks, start);
    long nanos = System.nanoTime() - start;

    WrongResultException.unlessEqual("tasks that ran", tasks, done.sum());
    return Measurement.perSecond(tasks, tasks, nanos).withLatencies(submitNanos);
  }

  private static void submit(TaskPool pool, Runnable task, int times, Histogram submitNanos) {
    for (int i = 0; i < times; i++) {
      if (i % MEASURE_EVERY == 0) {
        long before = System.nanoTime();
        pool.execute(task);
        submitNanos.recordValue(System.nanoTime() - before);
      } else {
        pool.execute(task);
      }
    }
  }

  private static void awaitCount(LongAdder done, int tasks, long start) {
    while (done.sum() < tasks) {
      if (System.nanoTime() - start > Finish.LIMIT.toNanos()) {
        throw new WrongResultException("only " + done.sum() + " of " + tasks + " tasks ran");
      }
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
    }
  }
}
