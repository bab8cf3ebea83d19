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
 *
 * <p>A field that a class has not used before is looked up when it is first used, and that takes a
 * call of the JVM's own. So each class that does this uses those fields once where there is room.
 */
public final class StrandedTasks {
  public static final Object LOCK = new Object();
  public static volatile @Nullable Task first;

  /**
   * Always 0. To write it and then read it, both volatile, is a fence without a call: where the
   * call that publishes a link finds no stack left, the link is set plainly behind this.
   *
   * {@snippet :
   * StrandedTasks.barrier = 0;
   * if (StrandedTasks.barrier == 0) before.next = node;
   * }
   */
  public static volatile int barrier;

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
