package io.turnwise.internal.scheduler;

import java.util.concurrent.atomic.AtomicInteger;

/** Lets worker threads die at a step of their loop. */
public final class DeadlyWorkers {
  private DeadlyWorkers() {}

  /** How a worker's thread dies in tests. */
  public static final class Death extends Error {
    private static final long serialVersionUID = 1L;

    Death(FaultPoint point) {
      super("at " + point);
    }
  }

  public static String[] points() {
    FaultPoint[] all = FaultPoint.values();
    String[] names = new String[all.length];
    for (int i = 0; i < all.length; i++) names[i] = all[i].name();
    return names;
  }

  /** From now on, every {@code every}th passage of this step kills the thread, so many times. */
  public static AtomicInteger kill(Scheduler scheduler, String point, int every, int times) {
    var passages = new AtomicInteger();
    var deaths = new AtomicInteger();
    scheduler.injectFaults(
        at -> {
          if (!at.name().equals(point) || passages.incrementAndGet() % every != 0) return;
          if (deaths.incrementAndGet() <= times) throw new Death(at);
          deaths.decrementAndGet();
        });
    return deaths;
  }
}
