package io.turnwise.faults.preemption;

import java.util.concurrent.CountDownLatch;

/** A class whose initialiser takes its time. Loaded many times over. */
public final class Initialised {
  static final long RIGHT = 4_711;

  /** How the next initialiser is to be. Loaded once, and so public: in a package of its own. */
  public static final class Begin {
    static volatile CountDownLatch latch = new CountDownLatch(0);
    static volatile int millis;
    static volatile boolean waits;

    private Begin() {}

    /** Loops and calls, as initialisers do that fill tables; or a wait. */
    public static long compute() {
      latch.countDown();
      long until = System.nanoTime() + millis * 1_000_000L;
      long x = 1;
      while (System.nanoTime() - until < 0) x = waits ? sleep(x) : Work.spin((int) x, 1_000) | 1;
      return x == 0 ? 0 : RIGHT;
    }

    private static long sleep(long x) {
      try {
        Thread.sleep(1);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return x;
    }
  }

  private static final long VALUE = Begin.compute();

  private Initialised() {}

  public static long value() {
    return VALUE;
  }
}
