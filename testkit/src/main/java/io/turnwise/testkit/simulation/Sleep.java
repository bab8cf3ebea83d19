package io.turnwise.testkit.simulation;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** What is to happen at a moment of a simulation's time, in the order in which it was asked for. */
final class Sleep implements Future<Object>, Comparable<Sleep> {
  final long until;
  private final long number;
  private final Runnable action;
  private State state = State.RUNNING;

  Sleep(long until, long number, Runnable action) {
    this.until = until;
    this.number = number;
    this.action = action;
  }

  /** The moment has come. */
  void end() {
    if (state != State.RUNNING) return;
    state = State.SUCCESS;
    action.run();
  }

  @Override
  public int compareTo(Sleep other) {
    int first = Long.compare(until, other.until);
    return first != 0 ? first : Long.compare(number, other.number);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    if (state != State.RUNNING) return false;
    state = State.CANCELLED;
    return true;
  }

  @Override
  public boolean isCancelled() {
    return state == State.CANCELLED;
  }

  @Override
  public boolean isDone() {
    return state != State.RUNNING;
  }

  @Override
  public Object get() {
    throw new UnsupportedOperationException("a sleep has no result");
  }

  @Override
  public Object get(long timeout, TimeUnit unit) {
    return get();
  }
}
