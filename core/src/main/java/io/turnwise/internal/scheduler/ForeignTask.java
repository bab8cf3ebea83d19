package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.JdkDoor;
import org.jspecify.annotations.Nullable;

/**
 * One slice of a virtual thread that a handler started itself. It inherited our executor, so it
 * runs on our workers, on the platform thread like every continuation.
 *
 * <p>Each slice has an object of its own: the JDK may want the next one to run before the worker
 * has got back from this one.
 */
final class ForeignTask extends Task {
  private static final System.Logger LOG = System.getLogger("io.turnwise");

  /** Null when it is over: queues may still have a place with this object in it. */
  private @Nullable Runnable slice;

  private final Scheduler scheduler;
  final ForeignThreads threads;

  /**
   * What its thread has used and not paid for: a part of the quantum is paid with each turn of the
   * wheel. Its credit is the rest of the part, or {@code MAX_VALUE}: nothing is owed.
   */
  int unpaid;

  /** When its worker began it, or what was used before was booked. */
  long startedAt;

  /** Its time was charged already, because the thread goes on in another slice. */
  boolean charged;

  /** One of a thread that is nobody's. */
  ForeignTask(Runnable slice, Scheduler scheduler) {
    this(slice, scheduler, scheduler.nobodys);
  }

  ForeignTask(Runnable slice, Scheduler scheduler, ForeignThreads threads) {
    this.slice = slice;
    this.scheduler = scheduler;
    this.threads = threads;
    threads.begins();
  }

  /** Null when it is over, or the JDK does not tell. */
  @Nullable Thread thread() {
    Runnable left = slice;
    return left == null ? null : JdkDoor.threadOf(left);
  }

  boolean isOf(Runnable thread) {
    return slice == thread;
  }

  /** The next slice of a thread that does not wait for anything. */
  ForeignTask next(Runnable thread) {
    return new ForeignTask(thread, scheduler, threads);
  }

  /** Its thread has used what the slice before it has. */
  void goesOnAfter(ForeignTask before) {
    credit = before.credit;
    unpaid = before.unpaid;
    refillAt = before.refillAt;
    brief = before.brief;
    preempted = before.preempted;
  }

  @Override
  protected Runner runner() {
    return scheduler;
  }

  /** The thread's own exceptions end in its uncaught handler; what that throws must end here. */
  void run() {
    Runnable thread = slice;
    assert thread != null : "a slice is run once";
    try {
      JdkDoor.run(thread, null);
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

  /** It has been run. Nobody asks any more whose it was. */
  void isOver() {
    slice = null;
  }

  /** After the workers have ended: on a thread that is nobody's. */
  void runAfterStop() {
    long began = scheduler.tick.nanoTime();
    run();
    threads.ends();
    threads.ran(scheduler.tick.nanoTime() - began);
  }

  @Override
  protected boolean runSlice(Seat seat) {
    throw new AssertionError("a foreign slice runs on the platform thread, not on a fiber");
  }

  @Override
  protected int quantum() {
    return threads.quantum();
  }

  @Override
  int sharers() {
    return threads.sharers();
  }

  @Override
  protected @Nullable Share share() {
    return threads.share;
  }

  @Override
  protected boolean isPreemptible() {
    Task owner = threads.owner();
    return owner == null || owner.isPreemptible();
  }

  @Override
  public String toString() {
    Task owner = threads.owner();
    return "a virtual thread" + (owner == null ? "" : " that " + owner + " started");
  }
}
