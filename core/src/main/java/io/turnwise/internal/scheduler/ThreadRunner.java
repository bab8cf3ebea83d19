package io.turnwise.internal.scheduler;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One platform thread for one task, for as long as it lives. */
public final class ThreadRunner implements Runner {
  private final ThreadSeat seat;
  private final SeatThread thread;
  private final Task task;
  private final Tick tick;
  private final Consumer<ThreadRunner> leftBehind;
  private volatile boolean woken;
  private volatile boolean ended;

  /**
   * @param leftBehind told by the thread as it ends, if its task has gone on without it: nobody
   *     else knows of it then
   */
  public ThreadRunner(String name, Task task, Tick tick, Consumer<ThreadRunner> leftBehind) {
    this.task = task;
    this.tick = tick;
    this.leftBehind = leftBehind;
    this.thread = new SeatThread(name, this::run, Thread.currentThread().getContextClassLoader());
    this.seat = new ThreadSeat(thread, tick);
    thread.seat = seat;
  }

  public void start() {
    thread.start();
  }

  @Override
  public boolean enqueue(Task queued, @Nullable Fiber here) {
    queued.queuedAt(tick.fresh());
    woken = true;
    return true;
  }

  @Override
  public void rouse(Task queued) {
    LockSupport.unpark(thread);
  }

  private void run() {
    while (!ended) {
      if (!woken) {
        LockSupport.park(ParkReason.WAITING_FOR_WORK);
        Thread.interrupted(); // nobody steers this thread by interrupts
        continue;
      }
      woken = false;
      seat.task = task;
      boolean more;
      try {
        do {
          seat.unspoil();
          more = seat.run(task);
        } while (more && !ended);
      } catch (Abandonment over) {
        seat.counters.abandonedEnded++;
        leftBehind.accept(this);
        return;
      }
      seat.task = null;
    }
  }

  public Counters counters() {
    return seat.counters;
  }

  /** Lets the thread end. From its own thread, or after the task has ended. */
  public void end() {
    ended = true;
    LockSupport.unpark(thread);
  }

  @Override
  public Thread threadOf(Task own) {
    return thread;
  }

  @Override
  public Thread carrierOf(Task own) {
    return thread;
  }

  @Override
  public @Nullable Seat seatOf(Task own) {
    return seat.task == null ? null : seat;
  }

  @Override
  public boolean isMasked(Task own) {
    return seat.isMasked();
  }

  @Override
  public void interrupt(Task own, BooleanSupplier mayInterrupt) {
    if (mayInterrupt.getAsBoolean()) thread.interrupt();
  }

  @Override
  public @Nullable AbandonedTurn abandonRunning(Task own, BooleanSupplier still) {
    return seat.abandonRunning(own, thread, thread, null, still);
  }
}
