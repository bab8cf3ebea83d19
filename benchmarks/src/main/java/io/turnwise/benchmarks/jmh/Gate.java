package io.turnwise.benchmarks.jmh;

/**
 * Lets one plain thread wait for one actor by spinning: no parking is in what is measured. Give way
 * now and then, in case the actor needs this very core.
 */
final class Gate {
  private static final int SPINS = 1_000;

  private volatile boolean open;

  void open() {
    open = true;
  }

  /** Waits until it is open and shuts it again. */
  void pass() {
    for (int spin = 1; !open; spin++) {
      if (spin % SPINS == 0) {
        Thread.yield();
      } else {
        Thread.onSpinWait();
      }
    }
    open = false;
  }
}
