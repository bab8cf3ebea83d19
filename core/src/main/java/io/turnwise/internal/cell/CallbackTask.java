package io.turnwise.internal.cell;

import io.turnwise.internal.scheduler.Runner;
import io.turnwise.internal.scheduler.Scheduler;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.scheduler.Task;
import org.jspecify.annotations.Nullable;

/**
 * Code that no actor and no sender waits for, run once on a worker like a turn: on a fiber, so that
 * it may block, stopped in the middle if it runs for long, and chosen by the director where there
 * is one.
 */
final class CallbackTask extends Task {
  private final Scheduler scheduler;
  private final WorkerDispatcher dispatcher;

  /** Null once it was run: whatever fails afterwards, it is not run again. */
  private @Nullable Runnable code;

  private CallbackTask(WorkerDispatcher dispatcher, Runnable code) {
    this.scheduler = dispatcher.scheduler;
    this.dispatcher = dispatcher;
    this.code = code;
  }

  /** Queues it. Never blocks, and calls nothing of the user's. */
  static void run(WorkerDispatcher dispatcher, Runnable code) {
    var task = new CallbackTask(dispatcher, code);
    if (dispatcher.scheduler.enqueue(task, null)) dispatcher.scheduler.rouse(task);
  }

  @Override
  protected boolean runSlice(Seat seat) {
    Runnable left = code;
    code = null;
    if (left == null) return false;
    seat.beginTurn();
    seat.enterHandler();
    try {
      left.run(); // sees to its own errors
    } finally {
      seat.leaveHandler();
      seat.scrub();
    }
    seat.charge(this);
    return false;
  }

  @Override
  protected Runner runner() {
    return scheduler;
  }

  @Override
  protected int quantum() {
    return (int) dispatcher.scheduling().quantum().toNanos();
  }

  @Override
  public String toString() {
    return "the callback of a timer";
  }
}
