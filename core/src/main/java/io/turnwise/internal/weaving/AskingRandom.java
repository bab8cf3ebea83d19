package io.turnwise.internal.weaving;

import java.util.Random;

/**
 * A random generator that outlives a simulation, in a static field above all: on the threads of a
 * simulation each draw is that simulation's, and nothing of it is kept for the next one. On other
 * threads it is as random as any.
 */
public final class AskingRandom extends Random {
  private static final long serialVersionUID = 1;

  @Override
  protected int next(int bits) {
    World.Source source = World.here();
    return source == null ? super.next(bits) : (int) (source.nextRandomLong() >>> (64 - bits));
  }

  /** The JDK's keeps every second one for later. */
  @Override
  public synchronized double nextGaussian() {
    World.Source source = World.here();
    return source == null
        ? super.nextGaussian()
        : new Random(source.nextRandomLong()).nextGaussian();
  }
}
