package io.turnwise.internal.scheduler;

import java.lang.ref.WeakReference;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What the virtual threads that one actor's handlers started, and those that these started, have
 * used together.
 *
 * <p>They run on several workers at once, and their actor on another: so everything here is atomic,
 * and nobody but the actor's own hand writes the actor's credit. An actor's quantum is divided
 * among its turns and those of its threads that want to run. What a thread has used when it parks
 * or ends, it leaves here as a debt; the next to start or to wake takes that over, or the actor's
 * next charge does. So nobody gains by using a new thread for each piece of work.
 */
final class ForeignThreads {
  /** Of threads whose actor is gone, or was never known. */
  private static final int NOBODYS_QUANTUM_NANOS = 10_000_000;

  /** A debt that nobody added to for so long is forgiven: everybody has had a turn since. */
  private static final int STALE_TICKS = 100;

  private static final int MOST_QUANTA = 16;

  /** Weakly: what knows a thread's owner must not keep it, and through it the thread, alive. */
  private final WeakReference<@Nullable Task> owner;

  /** Threads that run or wait to be run. */
  private final AtomicInteger runnable = new AtomicInteger();

  private final AtomicLong ranNanos = new AtomicLong();
  private final AtomicLong preemptions = new AtomicLong();
  private final AtomicLong owed = new AtomicLong();

  /** The tick at which something was last added to the debt. */
  private volatile int owedAt;

  /** That of its actor. Kept: queues count by it, also when the actor is gone. */
  final @Nullable Share share;

  ForeignThreads(@Nullable Task owner) {
    this.owner = new WeakReference<>(owner);
    this.share = owner == null ? null : owner.share();
  }

  @Nullable Task owner() {
    return owner.get();
  }

  /** One more wants to run. */
  void begins() {
    runnable.incrementAndGet();
  }

  /** One has run, for so long. */
  void ran(long nanos) {
    ranNanos.addAndGet(nanos);
  }

  /** One does not want to run any more, or that was counted again. */
  void ends() {
    runnable.decrementAndGet();
  }

  int runnable() {
    return runnable.get();
  }

  /** Among how many the quantum is divided, as one of the threads sees it. */
  int sharers() {
    Task actor = owner.get();
    boolean active = actor != null && actor.isBusy();
    return Math.max(1, runnable.get() + (active ? 1 : 0));
  }

  int quantum() {
    Task actor = owner.get();
    return actor == null ? NOBODYS_QUANTUM_NANOS : actor.quantum();
  }

  /** A thread parks or ends, having used so much that nobody has paid for. */
  void owe(int nanos, int tick) {
    long most = (long) MOST_QUANTA * quantum();
    owedAt = tick;
    long before;
    do before = owed.get();
    while (!owed.compareAndSet(before, Math.min(most, before + nanos)));
  }

  /** Who calls this pays. */
  int takeOwed(int tick) {
    if (owed.get() == 0) return 0;
    long taken = owed.getAndSet(0);
    return tick - owedAt > STALE_TICKS ? 0 : (int) Math.min(Integer.MAX_VALUE, taken);
  }

  void preempted() {
    preemptions.incrementAndGet();
  }

  long ranNanos() {
    return ranNanos.get();
  }

  long preemptions() {
    return preemptions.get();
  }
}
