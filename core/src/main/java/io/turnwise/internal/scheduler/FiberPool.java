package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.JdkDoor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Stands before a fiber where a director has the clock. The JDK asks the scheduler of a virtual
 * thread to end its timed waits, if that is a pool of this type, and else a timer of its own.
 * Nothing ever runs in the pool.
 */
final class FiberPool extends ForkJoinPool {
  final Fiber fiber;
  private final Director director;

  FiberPool(Fiber fiber, Director director) {
    super(1);
    this.fiber = fiber;
    this.director = director;
  }

  /** Threads outside must not change what the turn in hand may look at. */
  @Override
  public void execute(Runnable slice) {
    if (director.isHere()) fiber.execute(slice);
    else director.arrives(JdkDoor.threadOf(slice), () -> fiber.execute(slice));
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable action, long delay, TimeUnit unit) {
    return new Sleep(director.schedule(action, unit.toNanos(delay)));
  }

  /** The JDK only ever cancels it. */
  private record Sleep(Future<?> timer) implements ScheduledFuture<Object> {
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      return timer.cancel(mayInterruptIfRunning);
    }

    @Override
    public boolean isCancelled() {
      return timer.isCancelled();
    }

    @Override
    public boolean isDone() {
      return timer.isDone();
    }

    @Override
    public Object get() {
      throw new UnsupportedOperationException("a sleep has no result");
    }

    @Override
    public Object get(long timeout, TimeUnit unit) {
      throw new UnsupportedOperationException("a sleep has no result");
    }

    @Override
    public long getDelay(TimeUnit unit) {
      throw new UnsupportedOperationException("a sleep is not asked how long it lasts");
    }

    @Override
    public int compareTo(java.util.concurrent.Delayed other) {
      throw new UnsupportedOperationException("sleeps are ordered by the director");
    }
  }
}
