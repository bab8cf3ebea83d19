package io.turnwise.internal.scheduler;

import io.turnwise.observation.Usage;
import java.time.Duration;

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

  /** For people. */
  public Usage usage(int tickNanos) {
    return new Usage(
        Duration.ofNanos(ranNanos + ranTicks * tickNanos),
        Duration.ofNanos(cpuNanos),
        allocatedBytes,
        Duration.ofNanos(waitedTicks * tickNanos),
        preemptions);
  }
}
