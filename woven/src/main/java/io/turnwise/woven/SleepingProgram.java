package io.turnwise.woven;

import io.turnwise.ActorSystem;
import io.turnwise.internal.weaving.World;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Started with an agent that was told of simulations: sleeps in the real world and for a day in one
 * of its own, while actors run in the real one.
 */
public final class SleepingProgram {
  private SleepingProgram() {}

  public static void main(String[] arguments) throws Exception {
    System.out.println("real: " + (sleep(30) >= 29));
    Thread inside = Thread.currentThread();
    var virtual = new VirtualDays();
    try (var system = ActorSystem.open("sleeping", it -> it.withWorkers(1))) {
      World.findBy(() -> Thread.currentThread() == inside ? virtual : null);
      System.out.println("simulated hours: " + sleep(24 * 3_600_000) / 3_600_000);
      var handled = new CountDownLatch(1);
      system
          .spawn(
              () ->
                  (message, context) -> {
                    System.out.println("actor: " + (sleep(30) >= 29));
                    handled.countDown();
                  })
          .cast("sleep");
      handled.await();
      World.findBy(null);
      System.out.println("waited: " + new CountDownLatch(1).await(30, TimeUnit.MILLISECONDS));
    }
  }

  /** Returns how many milliseconds it took, as this code sees it. */
  private static long sleep(long millis) {
    long begun = System.nanoTime();
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
  }

  private static final class VirtualDays implements World.Source {
    private final AtomicLong nanos = new AtomicLong();

    @Override
    public long nanoTime() {
      return nanos.get();
    }

    @Override
    public long currentTimeMillis() {
      return Duration.ofNanos(nanos.get()).toMillis();
    }

    @Override
    public void sleep(long time) {
      nanos.addAndGet(time);
    }

    @Override
    public long nextRandomLong() {
      return 0;
    }
  }
}
