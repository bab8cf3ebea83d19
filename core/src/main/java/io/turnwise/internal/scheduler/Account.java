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
  /** Measured. */
  long ranNanos;

  long waitedTicks;
  long preemptions;

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

  /** For people. */
  public Usage usage(int tickNanos) {
    ForeignThreads started = threads;
    long threadNanos = started == null ? 0 : started.ranNanos();
    return new Usage(
        Duration.ofNanos(ranNanos + ranTicks * tickNanos + threadNanos),
        Duration.ofNanos(cpuNanos),
        allocatedBytes,
        Duration.ofNanos(waitedTicks * tickNanos),
        preemptions + (started == null ? 0 : started.preemptions()));
  }
}
