package io.turnwise.internal.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * Tasks that could not be queued because the stack was used up. Who overflows puts them in by field
 * accesses under {@code LOCK} and nothing else, because it has no room left for a call; the next
 * tick of any system takes them out.
 *
 * {@snippet :
 * synchronized (StrandedTasks.LOCK) {
 *   task.queueNext = StrandedTasks.first;
 *   StrandedTasks.first = task;
 * }
 * }
 */
public final class StrandedTasks {
  public static final Object LOCK = new Object();
  public static volatile @Nullable Task first;

  private StrandedTasks() {}

  /** The ticking thread. */
  static void rescue() {
    if (first == null) return;
    Task task;
    synchronized (LOCK) {
      task = first;
      first = null;
    }
    while (task != null) {
      Task next = task.queueNext;
      Runner runner = task.runner();
      if (runner.enqueue(task, null)) runner.rouse(task);
      task = next;
    }
  }
}
