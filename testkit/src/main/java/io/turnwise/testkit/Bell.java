package io.turnwise.testkit;

import java.util.function.BooleanSupplier;

/** Wakes a test that waits for something to happen on other threads. */
final class Bell {
  private long rung;

  synchronized void ring() {
    rung++;
    notifyAll();
  }

  /**
   * Waits until then, at most so long; looks again at every ring, and at least every few
   * milliseconds for what nobody rings for.
   */
  boolean await(BooleanSupplier over, long nanos) {
    long deadline = System.nanoTime() + nanos;
    boolean interrupted = false;
    try {
      for (; ; ) {
        long before = rung();
        if (over.getAsBoolean()) return true;
        long left = deadline - System.nanoTime();
        if (left <= 0 || interrupted) return false;
        interrupted = !sleep(before, left);
      }
    } finally {
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  private synchronized long rung() {
    return rung;
  }

  /** Returns false when it was interrupted: whoever runs the test wants it to end. */
  private synchronized boolean sleep(long before, long nanos) {
    try {
      if (rung == before) wait(Math.clamp(nanos / 1_000_000, 1, 2));
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
