package io.turnwise.internal.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * A queue without an order of its own: each task that wants to run goes to the director, and comes
 * back when that has chosen it.
 */
final class DirectedQueue extends RunQueue {
  private final Director director;

  DirectedQueue(Scheduler scheduler, int index, Director director) {
    super(scheduler, index, false);
    this.director = director;
  }

  @Override
  boolean admit(Task task, boolean streams) {
    task.queuedAt(scheduler.tick.now());
    director.ready(task);
    return false;
  }

  @Override
  void requeue(Task task, boolean apart) {
    task.endUrgency();
    if (scheduler.isStopped()) scheduler.runAfterStop(task);
    else admit(task, false);
  }

  @Override
  void requeueAtHand(Task task) {
    requeue(task, false);
  }

  @Override
  boolean moveAway(Task task) {
    return false;
  }

  @Override
  void book(Task task, int used, int lost) {
    // Nobody waits for credit here.
  }

  @Override
  @Nullable Task pick() {
    return director.nextHere(scheduler);
  }
}
