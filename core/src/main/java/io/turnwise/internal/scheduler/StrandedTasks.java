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
    queueAll(task, null);
  }

  /**
   * Queues tasks that were linked like this. Who cannot be queued now either, for want of memory
   * perhaps, waits for the next tick; the others do not wait for it.
   */
  static void queueAll(@Nullable Task linked, @Nullable Fiber here) {
    for (Task task = linked; task != null; ) {
      Task next = task.queueNext;
      queue(task, here);
      task = next;
    }
  }

  private static void queue(Task task, @Nullable Fiber here) {
    boolean rouse;
    try {
      rouse = task.runner().enqueue(task, here);
    } catch (Throwable e) { // then it is in no queue
      synchronized (LOCK) {
        task.queueNext = first;
        first = task;
      }
      return;
    }
    try {
      if (rouse) task.runner().rouse(task);
    } catch (Throwable e) {
      // It is queued: the next tick wakes somebody.
    }
  }
}
