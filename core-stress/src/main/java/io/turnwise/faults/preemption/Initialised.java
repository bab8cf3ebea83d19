package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.Call;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A class whose initialiser takes its time. Loaded many times over. */
public final class Initialised {
  static final long RIGHT = 4_711;

  record Ask() implements Call<Object, Long> {}

  /** How the next initialiser is to be. Loaded once, and so public: in a package of its own. */
  public static final class Begin {
    static volatile CountDownLatch latch = new CountDownLatch(0);
    static volatile int millis;
    static volatile boolean sleeps;

    /** Who is asked for an answer, or null. */
    static volatile @Nullable ActorRef<Object> asked;

    private Begin() {}

    /** Loops and calls, as initialisers do that fill tables; or a wait. */
    public static long compute() {
      ActorRef<Object> other = asked;
      latch.countDown();
      if (other != null) return other.call(new Ask(), Duration.ofMinutes(10));
      long until = System.nanoTime() + millis * 1_000_000L;
      long x = 1;
      while (System.nanoTime() - until < 0) x = sleeps ? sleep(x) : Work.spin((int) x, 1_000) | 1;
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
