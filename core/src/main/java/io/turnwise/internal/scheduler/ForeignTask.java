package io.turnwise.internal.scheduler;

/**
 * One slice of a virtual thread that a handler started itself. It inherited our executor, so it
 * runs on our workers, on the platform thread like every continuation.
 */
final class ForeignTask extends Task {
  private static final System.Logger LOG = System.getLogger("io.turnwise");

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

  /** The thread's own exceptions end in its uncaught handler; what that throws must end here. */
  void run() {
    try {
      slice.run();
    } catch (Throwable fromHandler) {
      try {
        LOG.log(
            System.Logger.Level.WARNING,
            "The uncaught exception handler of a virtual thread threw",
            fromHandler);
      } catch (Throwable unsaid) {
        // The worker goes on.
      }
    }
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
