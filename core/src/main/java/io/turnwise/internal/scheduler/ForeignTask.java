package io.turnwise.internal.scheduler;

/**
 * One slice of a virtual thread that a handler started itself. It inherited our executor, so it
 * runs on our workers, on the platform thread like every continuation.
 */
final class ForeignTask extends Task {
  private final Runnable slice;
  private final Scheduler scheduler;

  ForeignTask(Runnable slice, Scheduler scheduler) {
    this.slice = slice;
    this.scheduler = scheduler;
  }

  @Override
  protected Runner runner() {
    return scheduler;
  }

  void run() {
    slice.run();
  }

  @Override
  protected boolean runSlice(Seat seat) {
    throw new AssertionError("a foreign slice runs on the platform thread, not on a fiber");
  }

  @Override
  protected int quantum() {
    return Integer.MAX_VALUE;
  }
}
