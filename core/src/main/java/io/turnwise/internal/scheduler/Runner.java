package io.turnwise.internal.scheduler;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a task goes when it has something to do, and where others get at the turn that it has under
 * way.
 *
 * <p>In two steps, for the sake of stack overflows. They strike at the entry of a method, so {@link
 * #enqueue} calls nothing after the task is in a queue: when it throws, the task is in none, and
 * can be {@link StrandedTasks stranded}. When {@link #rouse} throws, the task is queued, and the
 * next tick finds the sleeper that should have been woken.
 */
public interface Runner {
  /**
   * Queues a task that the caller has just taken from idle. Returns whether to call rouse.
   *
   * @param here the fiber that the caller runs on, or null
   */
  boolean enqueue(Task task, @Nullable Fiber here);

  /** Wakes somebody for what was queued. */
  void rouse(Task task);

  // ---- the turn under way: from any thread; what is looked at may have moved on meanwhile ------

  /** The thread on whose stack it is, or null. */
  default @Nullable Thread threadOf(Task task) {
    return null;
  }

  /** Where it runs or is suspended, or null. */
  default @Nullable Seat seatOf(Task task) {
    return null;
  }

  /** The platform thread that runs it now, or null. */
  default @Nullable Thread carrierOf(Task task) {
    return null;
  }

  /** Whether it is in a section that is not to be cancelled. */
  default boolean isMasked(Task task) {
    return false;
  }

  /** It is to end, and waits for its turn: not behind all that are busy. */
  default void hurry(Task task) {}

  /**
   * Interrupts the platform thread that runs it, unless that is a worker's: there it is suspended
   * when it waits.
   *
   * @param mayInterrupt asked while the turn cannot end
   */
  default void interrupt(Task task, BooleanSupplier mayInterrupt) {}

  /**
   * Takes it, in code without polls, away from its thread: the task is the caller's afterwards.
   * Returns where it was, or null if it could not be taken.
   *
   * @param still asked while the turn cannot go on or end
   */
  default @Nullable AbandonedTurn abandonRunning(Task task, BooleanSupplier still) {
    return null;
  }
}
