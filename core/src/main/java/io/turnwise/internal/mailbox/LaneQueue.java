package io.turnwise.internal.mailbox;

import io.turnwise.internal.scheduler.StrandedTasks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The high or the low lane: any thread pushes, the mailbox's owner polls. Works like the normal
 * lane, but says nothing about scheduling; who pushes wakes the mailbox afterwards.
 */
final class LaneQueue {
  private static final VarHandle TAIL;
  private static final VarHandle HEAD;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(LaneQueue.class, "tail", Envelope.class);
      HEAD = lookup.findVarHandle(LaneQueue.class, "head", Envelope.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable Envelope tail;
  private @Nullable Envelope head;

  LaneQueue() {
    StrandedTasks.barrier = 0; // looked up here, where there is stack left
    if (StrandedTasks.barrier == 0) head = null;
    Envelope.WAKE.next = null;
  }

  boolean isEmpty() {
    return tail == null;
  }

  void push(Envelope envelope) {
    Envelope before = (Envelope) TAIL.getAndSet(this, envelope);
    try {
      if (before == null) HEAD.setRelease(this, envelope);
      else Envelope.NEXT.setRelease(before, envelope);
    } catch (Throwable e) {
      StrandedTasks.barrier = 0;
      if (StrandedTasks.barrier == 0) {
        if (before == null) head = envelope;
        else before.next = envelope;
      }
    }
  }

  /** Null when empty, or while the next pusher is between its swap and its link. */
  @Nullable Envelope poll() {
    Envelope first = (Envelope) HEAD.getAcquire(this);
    if (first == null) return null;
    Envelope next = (Envelope) Envelope.NEXT.getAcquire(first);
    if (next == null) {
      head = null;
      if (TAIL.compareAndSet(this, first, null)) return first;
      head = first;
      next = (Envelope) Envelope.NEXT.getAcquire(first);
      if (next == null) return null;
    }
    head = next;
    first.next = null;
    return first;
  }

  /** For observers: about how many wait. */
  int count() {
    int count = 0;
    for (Envelope e = (Envelope) HEAD.getAcquire(this);
        e != null && count < Mailbox.COUNT_LIMIT;
        e = (Envelope) Envelope.NEXT.getAcquire(e)) count++;
    return count;
  }
}
