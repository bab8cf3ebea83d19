package io.turnwise.internal.scheduler;

/** A worker of a simulation: a director gives it each slice, and its thread is the director's. */
final class DirectedWorker extends Worker {
  private final Director director;

  DirectedWorker(Scheduler scheduler, int index, Director director) {
    super(new DirectedQueue(scheduler, index, director));
    this.director = director;
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
  void answerStop() {
    // Nobody has asked: the flag stays up for as long as there are simulations.
  }

  @Override
  void beginLong(long now) {
    // No turn is longer than the director wants it to be.
  }
}
