package io.turnwise.internal.scheduler;

/** A task that does nothing, for tests of the queues that hold tasks. */
class Idle extends Task {
  private final int number;

  Idle(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  @Override
  protected boolean runSlice(Seat seat) {
    return false;
  }

  @Override
  protected Runner runner() {
    throw new AssertionError("nobody schedules it");
  }

  @Override
  protected int quantum() {
    return 1;
  }

  @Override
  public String toString() {
    return "task " + number;
  }
}
