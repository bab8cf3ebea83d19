package io.turnwise.internal.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * An unbounded FIFO that any thread may push to, linked through the tasks themselves: the injector
 * of a scheduler and the inbox of a worker.
 *
 * <p>{@code tail} is null exactly when the queue is empty. Whoever swaps it from null owns {@code
 * head} for one write; after that {@code head} belongs to the consumer. Only one thread consumes at
 * a time: the owner of an inbox, or whoever holds the injector's {@link #tryClaim claim}.
 *
 * <p>Between a pusher's swap and its link the queue is not empty and yields nothing. A consumer
 * that meets this goes on as if it were empty: the pusher wakes a worker after the link.
 */
final class TaskQueue {
  private static final int LOOKS = 3;

  /** So that a count has an end, wherever it is led. */
  private static final int MOST_COUNTED = 1_000_000;

  private static final VarHandle TAIL;
  private static final VarHandle HEAD;
  private static final VarHandle CLAIM;
  private static final VarHandle NEXT;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(TaskQueue.class, "tail", Task.class);
      HEAD = lookup.findVarHandle(TaskQueue.class, "head", Task.class);
      CLAIM = lookup.findVarHandle(TaskQueue.class, "claimed", boolean.class);
      NEXT = lookup.findVarHandle(Task.class, "queueNext", Task.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable Task tail;
  private @Nullable Task head;

  TaskQueue() {
    StrandedTasks.barrier = 0; // looked up here, where there is stack left
    if (StrandedTasks.barrier == 0) head = null;
  }

  @SuppressWarnings("unused") // through CLAIM
  private volatile boolean claimed;

  /** How many were taken so far. By who holds the claim; others look. */
  private int taken;

  int taken() {
    return taken;
  }

  /**
   * How many wait. Any thread; a look, no more: exact where nobody takes meanwhile. What is taken
   * may go to another queue, and who counts would follow it there: so it counts again then, a few
   * times, and believes the longest.
   */
  int count() {
    int most = 0;
    for (int look = 0; look < LOOKS; look++) {
      int before = taken;
      int count = 0;
      for (Task task = first(); task != null && count < MOST_COUNTED; count++)
        task = (Task) NEXT.getAcquire(task);
      if (taken == before) return count;
      most = Math.max(most, count);
    }
    return most;
  }

  /** What was taken from it last changes this. For a look, no more. */
  @Nullable Task first() {
    return (Task) HEAD.getAcquire(this);
  }

  boolean isEmpty() {
    return tail == null;
  }

  /**
   * Any thread. A stack overflow comes before the swap or not at all: what is called after it can
   * also be done without a call.
   */
  void push(Task task) {
    task.queueNext = null;
    Task before = (Task) TAIL.getAndSet(this, task);
    try {
      if (before == null) HEAD.setRelease(this, task);
      else NEXT.setRelease(before, task);
    } catch (Throwable e) {
      StrandedTasks.barrier = 0;
      if (StrandedTasks.barrier == 0) {
        if (before == null) head = task;
        else before.queueNext = task;
      }
    }
  }

  /** Takes the right to poll, or returns false when another worker has it. */
  boolean tryClaim() {
    return CLAIM.compareAndSet(this, false, true);
  }

  void release() {
    CLAIM.setRelease(this, false);
  }

  /** Takes one, if nobody else is taking: null then, too. Any worker. */
  @Nullable Task tryPoll() {
    if (tail == null || !tryClaim()) return null;
    try {
      return poll();
    } finally {
      release();
    }
  }

  /** The consumer only: who holds the claim. */
  @Nullable Task poll() {
    Task first = (Task) HEAD.getAcquire(this);
    if (first == null) return null; // empty, or the first pusher has not set head yet
    Task next = (Task) NEXT.getAcquire(first);
    if (next == null) {
      head = null; // before the swap: afterwards head is the next pusher's to write
      taken++;
      if (TAIL.compareAndSet(this, first, null)) return first;
      taken--;
      head = first;
      next = (Task) NEXT.getAcquire(first);
      if (next == null) return null; // a pusher is between its swap and its link
    }
    taken++;
    head = next;
    first.queueNext = null;
    return first;
  }
}
