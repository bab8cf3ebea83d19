package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;

/**
 * An actor that does not come back from its one message: it computes block after block, and after
 * each stores how many it has finished. It yields nowhere and calls nothing. A flag that is read
 * once in a block ends it when the measurement is over; no runtime knows of it.
 */
final class Hog<A> implements Behavior<A> {
  private static final int ROUNDS = 100;
  private static final int STEPS = 100;

  private long state;
  private volatile long blocks;
  private volatile boolean over;
  private volatile boolean ended;

  Hog(long seed) {
    this.state = seed;
  }

  @Override
  public Next receive(Object message, Self<A> self) {
    long x = state;
    long finished = 0;
    while (!over) {
      x = compute(x, 1);
      blocks = ++finished;
    }
    state = x;
    ended = true;
    return Next.STOP;
  }

  /** Some blocks of arithmetic. */
  static long compute(long seed, int blocks) {
    long x = seed;
    for (int block = 0; block < blocks; block++) {
      for (int round = 0; round < ROUNDS; round++) {
        for (int step = 0; step < STEPS; step++) {
          x = x * 6364136223846793005L + 1442695040888963407L;
          x ^= x >>> 17;
        }
      }
    }
    return x;
  }

  /** How many blocks it has finished. Any thread. */
  long blocks() {
    return blocks;
  }

  /** Any thread. */
  void end() {
    over = true;
  }

  boolean hasEnded() {
    return ended;
  }
}
