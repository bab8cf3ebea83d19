package io.turnwise.internal.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * The slices of virtual threads that handlers started, on one worker: each is run by the JDK on the
 * worker's platform thread, and its time is charged to the actor that started the thread.
 */
final class ForeignSlices {
  private final Worker worker;
  private final Scheduler scheduler;
  private final RunQueue queue;

  /** The slice in hand, if it is one of these. */
  private volatile @Nullable ForeignTask inHand;

  ForeignSlices(Worker worker) {
    this.worker = worker;
    this.scheduler = worker.scheduler;
    this.queue = worker.queue;
  }

  @Nullable ForeignTask inHand() {
    return inHand;
  }

  void run(ForeignTask task) {
    worker.counters.foreignSlices++;
    task.startedAt = scheduler.tick.nanoTime();
    if (task.credit == Integer.MAX_VALUE) task.unpaid = 0; // new, or forgiven: see regainCredit
    inHand = task;
    if (scheduler.isStopped()) askToStop(); // it may have looked before we wrote
    else if (task.preempted) worker.beginLong(task.startedAt);
    task.preempted = false;
    try {
      task.run();
    } finally {
      inHand = null;
      task.isOver();
      // It waits for something, or has ended: who starts or wakes next pays for it.
      if (!task.charged) {
        charge(task);
        if (task.unpaid >= Seat.BRIEF_NANOS) oweRest(task);
      }
    }
  }

  /** Books what a slice used. */
  private void charge(ForeignTask task) {
    task.charged = true;
    task.threads.ends();
    long used = scheduler.tick.nanoTime() - task.startedAt;
    task.brief = used < Seat.BRIEF_NANOS;
    book(task, used);
  }

  /**
   * The thread of the foreign slice in hand starts or wakes another of its actor's: that pays for
   * what was used so far. Else in a chain of them each would begin with nothing to pay.
   */
  void passOnDebt(ForeignTask task) {
    long now = scheduler.tick.nanoTime();
    long used = now - task.startedAt;
    if (task.unpaid + used < Seat.BRIEF_NANOS) return; // crumbs are for nothing, as with actors
    task.startedAt = now;
    book(task, used);
    oweRest(task);
    task.credit = Integer.MAX_VALUE;
  }

  private void book(ForeignTask task, long used) {
    task.threads.ran(used);
    // If nobody asked it to stop for so long, or nobody could, that is not held against it.
    int counted = (int) Math.min(used, 2L * task.quantum());
    task.unpaid = (int) Math.min(Integer.MAX_VALUE, (long) task.unpaid + counted);
    task.credit = queue.quantumOf(task) - task.unpaid;
    task.refillAt = queue.wheel.position() + Wheel.SEGMENTS;
    Share share = task.share();
    if (share != null) share.charge((int) Math.min(Integer.MAX_VALUE, used));
  }

  private void oweRest(ForeignTask task) {
    task.threads.owe(task.unpaid, scheduler.tick.now());
    task.unpaid = 0;
  }

  /** The platform thread, in the end of a foreign slice: its thread wants to go on. */
  void goOnLater(ForeignTask task, Runnable thread) {
    ForeignTask next = task.next(thread); // first: the JDK tries again if there is no memory for it
    charge(task);
    if (task.preempted) {
      worker.counters.preemptions++;
      task.threads.preempted();
    }
    next.goesOnAfter(task);
    next.home = (short) worker.index;
    queue.requeue(next);
  }

  /**
   * The thread of the foreign slice in hand, in a poll: lets others run. Returns false where it
   * could not be unmounted; else this slice is over.
   */
  boolean pause() {
    ForeignTask task = inHand;
    if (task == null) return true;
    task.preempted = true;
    Seat.letOthersRun();
    if (task.charged) return true;
    task.preempted = false;
    return false;
  }

  /** The scheduler is stopped, and this worker is to end. Any thread. */
  void askToStop() {
    if (inHand == null) return;
    queue.longSlice.begin(queue.slice(), scheduler.tick.nanoTime() - scheduler.tick.length());
    worker.askToStop();
  }
}
