package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.ErrorBarrier;
import io.turnwise.internal.weaving.PollFlag;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

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
 *
 * Why no poll of a simulation finds the flag down, not for a moment: it would not count, and the
 * run would take another course. Other systems of the JVM settle at any time.
 *   a simulation begins                     who lowers the flag
 *   1. count it (SIMULATIONS)               1. say so (SETTLING)
 *   2. wait until nobody is settling        2. look for simulations: if there is one, lower nothing
 *   3. raise the flag
 * Each writes, then looks at what the other wrote: who does not see the simulation is waited for.
 * </pre>
 */
public final class Preemption {
  private static final String SHARE = "turnwise.everyPoll";
  private static final String SEED = "turnwise.everyPoll.seed";
  private static final int MILLION = 1_000_000;

  /** Replaced, under the lock of this class. An array: an iterator takes memory. */
  private static volatile Scheduler[] schedulers = {};

  /** Turns that are to end, and have not yet. */
  private static final AtomicInteger CANCELS = new AtomicInteger();

  /** Those that are under way. */
  private static final AtomicInteger SIMULATIONS = new AtomicInteger();

  /** Threads that may be about to lower the flag. */
  private static final AtomicInteger SETTLING = new AtomicInteger();

  /** To settle takes a moment; a stack that overflowed in it may have left its count behind. */
  private static final long LONGEST_SETTLING_NANOS = 100_000_000;

  /** In tests: how many of a million polls yield, whoever asked. */
  private static final int EVERY_POLL = everyPoll();

  private static final AtomicInteger DICE = new AtomicInteger(Integer.getInteger(SEED, 1));

  static {
    PollFlag.answerBy(
        new PollFlag.Answer() {
          @Override
          public boolean concernsThisThread() {
            Seat seat = Seat.current();
            if (seat != null) return seat.isInHandler() && seat.isToStop();
            Worker under = Scheduler.workerOfForeignThread();
            return under != null && (under.isAskedToStop() || isEveryPoll());
          }

          @Override
          public void stop(boolean mayEnd) {
            answer(Seat.current(), mayEnd);
          }

          @Override
          public void stopAtCall() {
            Seat seat = Seat.current();
            answer(seat, seat != null && seat.isInHandler() && mayEndAtCall(seat));
          }

          @Override
          public void stopInCleanUp() {
            Seat seat = Seat.current();
            answer(seat, seat != null && seat.isAbandoned() && !seat.wouldLoseElements(true));
          }
        });
    if (EVERY_POLL > 0) PollFlag.raise();
  }

  private Preemption() {}

  private static int everyPoll() {
    String given = System.getProperty(SHARE);
    if (given == null) return 0;
    try {
      double share = Double.parseDouble(given);
      if (share > 0 && share <= 1) return (int) Math.ceil(share * MILLION);
    } catch (NumberFormatException e) {
      // said below
    }
    throw new IllegalArgumentException(
        "The system property "
            + SHARE
            + " is "
            + given
            + "; use a share from 0 to 1, such as 0.01");
  }

  /** Whether polls may have to yield although nobody asked. */
  static boolean isEveryPoll() {
    return EVERY_POLL > 0;
  }

  /** Whether this poll is to yield although nobody asked. A seed decides, thread by thread. */
  static boolean yieldsAnyway() {
    if (EVERY_POLL == 0) return false;
    int x = DICE.addAndGet(0x9E3779B9);
    x = (x ^ (x >>> 16)) * 0x85EBCA6B;
    x = (x ^ (x >>> 13)) * 0xC2B2AE35;
    return Integer.remainderUnsigned(x ^ (x >>> 16), MILLION) < EVERY_POLL;
  }

  /** Its slices may be asked to stop from now on. */
  static synchronized void join(Scheduler scheduler) {
    Scheduler[] more = Arrays.copyOf(schedulers, schedulers.length + 1);
    more[schedulers.length] = scheduler;
    schedulers = more;
  }

  static void leave(Scheduler scheduler) {
    synchronized (Preemption.class) {
      schedulers =
          Arrays.stream(schedulers).filter(each -> each != scheduler).toArray(Scheduler[]::new);
    }
    settle();
  }

  static void ask() {
    PollFlag.raise();
  }

  /** A request was answered or withdrawn. */
  static void settle() {
    SETTLING.incrementAndGet();
    try {
      while (!isToStayUp()) { // who ends that settles in turn
        PollFlag.lower();
        if (!isNeeded()) return;
        PollFlag.raise();
        // It may have been settled between the look and the raise: nobody would lower it then.
        if (isNeeded()) return;
      }
    } finally {
      SETTLING.decrementAndGet();
    }
  }

  private static boolean isToStayUp() {
    return CANCELS.get() > 0 || SIMULATIONS.get() > 0 || EVERY_POLL > 0;
  }

  private static boolean isNeeded() {
    if (isToStayUp()) return true;
    for (Scheduler scheduler : schedulers) if (scheduler.hasOpenRequest()) return true;
    return false;
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

  /** Until {@link #endSimulation}, polls look whether a director wants their turn to stop. */
  public static void beginSimulation() {
    SIMULATIONS.incrementAndGet();
    long began = System.nanoTime();
    while (SETTLING.get() != 0 && System.nanoTime() - began < LONGEST_SETTLING_NANOS)
      Thread.onSpinWait();
    PollFlag.raise();
  }

  public static void endSimulation() {
    SIMULATIONS.decrementAndGet();
    settle();
  }

  /** A poll found the flag up: on any thread of the JVM, in the middle of a user's code. */
  private static void answer(@Nullable Seat seat, boolean mayEnd) {
    if (seat == null) pauseForeign();
    if (seat == null || !seat.isInHandler()) return;
    if (seat instanceof Fiber fiber) fiber.poll(mayEnd);
    else if (mayEnd) pollOnThread(seat);
  }

  /**
   * A virtual thread that a handler started: may be stopped, and is never ended. It goes on in
   * another slice, behind those that wait.
   */
  private static void pauseForeign() {
    Worker under = Scheduler.workerOfForeignThread();
    if (under == null) return;
    boolean asked = under.mustStop();
    if (!asked && !yieldsAnyway()) return;
    if (asked) under.answerStop();
    if (!under.foreign.pause() && asked) under.refuseStop();
  }

  /** A platform thread of the other backends: nothing to stop, but maybe to end. */
  private static void pollOnThread(Seat seat) {
    if (seat.isAbandoned() && mayThrowHere()) seat.endAbandoned();
    Task task = seat.task;
    if (task == null || !isToEndHere(task, seat)) return;
    if (mayThrowHere()) task.cancel(seat);
    else task.outlast(seat);
  }

  /**
   * Whether the turn in hand is to end, and no collection would lose elements by it. One that has
   * been left behind did not end by itself: it is ended wherever it loops.
   */
  static boolean isToEndHere(Task task, Seat seat) {
    return task.isCancelDue(seat) && (seat.isAbandoned() || !seat.wouldLoseElements(false));
  }

  private static boolean mayEndAtCall(Seat seat) {
    if (!seat.isToEnd()) return false;
    boolean due =
        seat.isAbandoned() || seat.hasPassedManyCalls() || (seat.mayWalk() && isInRecursion());
    return due && !seat.wouldLoseElements(true);
  }

  /**
   * Whether the method that polls is on the stack more than once. Calls poll for the sake of
   * recursion alone; loops have polls of their own. Without one, the call may be the first of a
   * {@code finally}, and must be made.
   */
  private static boolean isInRecursion() {
    return StackWalker.getInstance().walk(frames -> isFirstRepeated(frames.iterator()));
  }

  private static boolean isFirstRepeated(Iterator<StackWalker.StackFrame> frames) {
    StackWalker.StackFrame polls = null;
    while (frames.hasNext()) {
      StackWalker.StackFrame frame = frames.next();
      boolean ours = frame.getClassName().startsWith("io.turnwise.internal.");
      if (polls == null) {
        if (!ours && !frame.getClassName().equals(SAFEPOINT)) polls = frame;
      } else if (ours) {
        return false; // who called the handler
      } else if (frame.getMethodName().equals(polls.getMethodName())
          && frame.getClassName().equals(polls.getClassName())) {
        return true;
      }
    }
    return false;
  }

  private static final String SAFEPOINT = "io.turnwise.weaving.Safepoint";

  /**
   * Whether an error that is thrown here reaches the end of the handler, and does no harm on its
   * way. No, where there is no memory to find out.
   */
  public static boolean mayThrowHere() {
    try {
      return !ErrorBarrier.isOnStack();
    } catch (OutOfMemoryError e) {
      return false;
    }
  }
}
