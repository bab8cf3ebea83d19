package io.turnwise.internal.scheduler;

import io.turnwise.observation.Usage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a task, or a worker, has used. Each field has one writer at a time: what is measured is
 * written by whose hand the task is in, what is sampled by the ticking thread. Readers see whole
 * longs, a moment old.
 */
public final class Account {
  /** Measured, slice by slice. */
  long ranNanos;

  /** What {@code ranNanos} will be at least, seen in the middle of a slice that lasts. Sampled. */
  long seenNanos;

  long waitedTicks;
  long preemptions;

  /** How many of its slices in a row were stopped far too late, up to the last. */
  int lateStops;

  /** Sampled: slices that were not measured. */
  long ranTicks;

  long cpuNanos;
  long allocatedBytes;

  /** What virtual threads that the actor started use. Made once, when it starts the first. */
  private volatile @Nullable ForeignThreads threads;

  @Nullable ForeignThreads threads() {
    return threads;
  }

  /** On a thread of the owner's: one of its handlers, or of what they started. */
  synchronized ForeignThreads threadsOf(Task owner) {
    ForeignThreads now = threads;
    if (now == null) threads = now = new ForeignThreads(owner);
    return now;
  }

  /** What it uses on platform threads of other backends. Made once, for its first slice there. */
  private volatile @Nullable ThreadUse onThreads;

  /** By whose hand it is in. */
  ThreadUse onThreads() {
    ThreadUse now = onThreads;
    if (now == null) onThreads = now = new ThreadUse();
    return now;
  }

  /** It goes on without the thread that has its turn in hand. By whose hand it is in. */
  void leaveThread(Tick tick) {
    ranNanos = Math.max(ranNanos, seenNanos); // what was seen of a slice that is not going to end
    ThreadUse now = onThreads;
    if (now != null) now.leave(tick);
  }

  /**
   * For people.
   *
   * @param waitedBefore ticks for which it waited before it had this account
   */
  Usage usage(Tick tick, int waitedBefore) {
    Duration waited = tick.times(waitedBefore + waitedTicks);
    ThreadUse measured = onThreads;
    if (measured != null) return measured.usage(tick, waited);
    ForeignThreads started = threads;
    long threadNanos = started == null ? 0 : started.ranNanos();
    return new Usage(
        tick.times(ranTicks).plusNanos(Math.max(ranNanos, seenNanos) + threadNanos),
        Duration.ofNanos(cpuNanos),
        allocatedBytes,
        waited,
        preemptions + (started == null ? 0 : started.preemptions()));
  }
}
