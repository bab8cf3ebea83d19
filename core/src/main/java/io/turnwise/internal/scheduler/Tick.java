package io.turnwise.internal.scheduler;

import java.time.Duration;

/**
 * A coarse clock, and the fine one. The coarse one is a counter that a single thread moves about
 * once a millisecond while anybody works; reading it costs a load.
 */
public final class Tick {
  /** The fine clock; a seam for tests. */
  @FunctionalInterface
  public interface Source {
    long nanoTime();
  }

  private static final int LENGTH_NANOS = 1_000_000;

  private final Source source;
  private final long origin;
  private volatile int now;

  /** Where the coarse clock stood when it was moved after a rest. Written before {@code now}. */
  private int resumed;

  public Tick(Source source) {
    this.source = source;
    this.origin = source.nanoTime();
  }

  public int now() {
    return now;
  }

  /** Where the coarse clock would stand if it were moved now; for people, not for decisions. */
  public int fresh() {
    return (int) ((source.nanoTime() - origin) / LENGTH_NANOS);
  }

  public long nanoTime() {
    return source.nanoTime();
  }

  /** How long a tick is meant to be, in ns. */
  public int length() {
    return LENGTH_NANOS;
  }

  Duration times(long ticks) {
    return Duration.ofNanos(ticks * LENGTH_NANOS);
  }

  /** Moves the coarse clock to where the fine one stands: the ticking thread, or who wakes it. */
  public void advanceTo() {
    now = fresh();
  }

  /** The same, perhaps after a rest in which nobody worked or waited. */
  public void resume() {
    int fresh = fresh();
    if (fresh - now > 1) resumed = fresh;
    now = fresh;
  }

  /**
   * Since when somebody has waited who looked at the coarse clock then: if it rested, not since it
   * went to rest.
   */
  int sinceResumed(int since) {
    int from = resumed;
    return since - from < 0 ? from : since;
  }
}
