package io.turnwise.internal.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * Where a task goes when it has something to do.
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
}
