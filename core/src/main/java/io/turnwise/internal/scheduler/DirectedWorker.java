package io.turnwise.internal.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * A worker without an order of its own: each task that wants to run goes to the director, and comes
 * back when that has chosen it. Its thread is the director's.
 */
final class DirectedWorker extends Worker {
  private final Director director;

  DirectedWorker(Scheduler scheduler, int index, Director director) {
    super(scheduler, index, false);
    this.director = director;
  }

  @Override
  boolean admit(Task task) {
    task.queuedAt(scheduler.tick.now());
    director.ready(task);
    return false;
  }

  @Override
  void requeue(Task task) {
    task.urgent = false;
    if (scheduler.isStopped()) scheduler.runAfterStop(task);
    else admit(task);
  }

  @Override
  void requeueAtHand(Task task) {
    requeue(task);
  }

  @Override
  boolean moveAway(Task task) {
    return false;
  }

  @Override
  void book(Task task, int used) {
    // Nobody waits for credit here.
  }

  /** The fiber goes back to the director after each slice. */
  @Override
  @Nullable Task pick() {
    return null;
  }

  @Override
  boolean mustStop() {
    Task task = inHand();
    return task != null && director.stopsHere(task);
  }

  /** Polls of the JDK are no places to choose: how many there are depends on the machine. */
  @Override
  boolean isAskedToStop() {
    return false;
  }

  @Override
  void beginLong(long now) {
    // No turn is longer than the director wants it to be.
  }
}
