package io.turnwise.internal.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * What is left of a turn whose actor went on without it. It is run on when somebody wakes it: it
 * may hold, or be next in line for, a lock that others need. Each poll throws, until it has been
 * told often enough.
 */
final class AbandonedTask extends Task {
  private static final int QUANTUM_NANOS = 1_000_000;
  private static final int THROWS = 3;

  private final Scheduler scheduler;

  /** Whose turn it was. For people. */
  private final @Nullable Task owner;

  private int thrown;

  /** It is never to run again. Written by its own thread, at a poll. */
  boolean dropped;

  AbandonedTask(Scheduler scheduler, Fiber fiber, @Nullable Task owner) {
    this.scheduler = scheduler;
    this.owner = owner;
    this.suspended = fiber;
    this.credit = 0; // behind everybody
  }

  @Override
  protected boolean isCancelDue(Seat seat) {
    return true;
  }

  @Override
  protected void cancel(Seat seat) {
    if (++thrown <= THROWS) throw Abandonment.OVER;
    dropped = true;
  }

  @Override
  protected boolean runSlice(Seat seat) {
    throw new AssertionError("it has no beginning");
  }

  @Override
  protected Runner runner() {
    return scheduler;
  }

  @Override
  protected int quantum() {
    return QUANTUM_NANOS;
  }

  @Override
  public String toString() {
    return "a turn that " + owner + " has left behind";
  }
}
