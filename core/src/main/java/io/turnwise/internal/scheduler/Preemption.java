package io.turnwise.internal.scheduler;

import io.turnwise.internal.weaving.PollFlag;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The way from a request that a slice stop to the poll that answers it.
 *
 * <p>A request names a worker's slice by its number, so that it cannot hit the next one. The flag
 * that polls read is one for the whole JVM; it is up while some request is open.
 *
 * <pre>
 * Why no open request is left with the flag down:
 *   who asks                                who lowers the flag
 *   1. write the slice's number (volatile)  1. lower the flag (volatile)
 *   2. raise the flag (volatile)            2. look for open requests; if there is one, raise it
 * Each writes, then does what the other looks at: either the flag is raised after it was lowered,
 * or the request is found.
 * </pre>
 */
public final class Preemption {
  private static final CopyOnWriteArrayList<Scheduler> SCHEDULERS = new CopyOnWriteArrayList<>();

  /** Turns that are to end, and have not yet. */
  private static final AtomicInteger CANCELS = new AtomicInteger();

  static {
    PollFlag.answerBy(Preemption::answer);
  }

  private Preemption() {}

  /** Its slices may be asked to stop from now on. */
  static void join(Scheduler scheduler) {
    SCHEDULERS.add(scheduler);
  }

  static void leave(Scheduler scheduler) {
    SCHEDULERS.remove(scheduler);
    settle();
  }

  static void ask() {
    PollFlag.raise();
  }

  /** A request was answered or withdrawn. */
  static void settle() {
    PollFlag.lower();
    if (CANCELS.get() > 0) {
      PollFlag.raise();
      return;
    }
    for (Scheduler scheduler : SCHEDULERS) {
      if (scheduler.hasOpenRequest()) {
        PollFlag.raise();
        return;
      }
    }
  }

  /** A turn is to end: until {@link #closeCancel}, polls look whether it is theirs. */
  public static void openCancel() {
    CANCELS.incrementAndGet();
    PollFlag.raise();
  }

  public static void closeCancel() {
    CANCELS.decrementAndGet();
    settle();
  }

  /** A poll found the flag up: on any thread of the JVM, in the middle of a user's code. */
  private static void answer() {
    Seat seat = Seat.current();
    if (seat == null || !seat.isInHandler()) return;
    if (seat instanceof Fiber fiber) fiber.poll();
    else pollOnThread(seat);
  }

  /** A platform thread of the other backends: nothing to stop, but maybe to end. */
  private static void pollOnThread(Seat seat) {
    Task task = seat.task;
    if (task != null && task.isCancelDue(seat) && !isInInitialiser()) task.cancel(seat);
  }

  /** An error thrown through a class initialiser would make the class unusable for ever. */
  private static boolean isInInitialiser() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("<clinit>")));
  }
}
