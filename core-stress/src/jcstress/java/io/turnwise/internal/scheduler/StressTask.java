package io.turnwise.internal.scheduler;

import org.jspecify.annotations.Nullable;

/** A task that is only queued, never run; its number is a plain field, published by the queue. */
final class StressTask extends Task {
  int number;

  StressTask(int number) {
    this.number = number;
  }

  /** Its number, or 0 for none. */
  static int number(@Nullable Task task) {
    return task instanceof StressTask own ? own.number : 0;
  }

  @Override
  protected boolean runSlice(Seat seat) {
    throw new AssertionError("nobody runs it");
  }

  @Override
  protected Runner runner() {
    throw new AssertionError("nobody wakes it");
  }

  @Override
  protected int quantum() {
    return Integer.MAX_VALUE;
  }
}
