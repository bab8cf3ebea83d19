package io.turnwise.internal.scheduler;

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

  /** Moves the coarse clock to where the fine one stands: the ticking thread, or who wakes it. */
  public void advanceTo() {
    now = fresh();
  }
}
