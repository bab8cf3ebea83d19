package io.turnwise.woven.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.door.JdkDoor;
import io.turnwise.internal.weaving.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * All there is to virtual time, in small: virtual threads on one platform thread, whose scheduler
 * is told of their timed parks and jumps to the next, and woven code that asks for the time.
 */
@Timeout(60)
class VirtualTimeTest {
  @BeforeAll
  static void redirect() {
    JdkDoor.openForSimulation();
  }

  /** The JDK hands a pool of this type the timed parks of its threads. */
  private static final class JumpingTime extends ForkJoinPool
      implements World.Finder, World.Source {
    private final Queue<Runnable> ready = new ArrayDeque<>();
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();
    private long nanos;
    private long random;

    private final class Alarm extends FutureTask<Object> implements ScheduledFuture<Object> {
      final long due;

      Alarm(Runnable task, long delay) {
        super(task, null);
        due = nanos + delay;
      }

      @Override
      public long getDelay(TimeUnit unit) {
        return unit.convert(due - nanos, TimeUnit.NANOSECONDS);
      }

      @Override
      public int compareTo(Delayed other) {
        return Long.compare(due, ((Alarm) other).due);
      }
    }

    JumpingTime() {
      super(1);
    }

    @Override
    public void execute(Runnable task) {
      ready.add(task);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      var alarm = new Alarm(task, unit.toNanos(delay));
      alarms.add(alarm);
      return alarm;
    }

    Thread start(Runnable body) {
      Thread fiber = JdkDoor.newFiberThread(this, "fiber", body);
      fiber.start();
      return fiber;
    }

    /** Until nobody can do anything any more. */
    void run() {
      World.findBy(this);
      try {
        while (true) {
          Runnable next = ready.poll();
          if (next == null) {
            Alarm alarm = alarms.poll();
            if (alarm == null) return;
            if (alarm.isCancelled()) continue;
            nanos = alarm.due;
            next = alarm;
          }
          next.run();
        }
      } finally {
        World.findBy(null);
      }
    }

    @Override
    public World.Source ofThisThread() {
      return JdkDoor.schedulerOf(Thread.currentThread()) == this ? this : null;
    }

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public long currentTimeMillis() {
      return nanos / 1_000_000;
    }

    @Override
    public void sleep(long time) throws InterruptedException {
      for (long until = nanos + time; nanos < until; ) {
        if (Thread.interrupted()) throw new InterruptedException();
        LockSupport.parkNanos(until - nanos);
      }
    }

    @Override
    public long nextRandomLong() {
      return random++;
    }
  }

  private interface Wait {
    void run() throws Exception;
  }

  private static final Wait[] OF_AN_HOUR = {
    () -> Thread.sleep(Duration.ofHours(1)),
    () -> TimeUnit.HOURS.sleep(1),
    () -> Thread.class.getMethod("sleep", long.class).invoke(null, 3_600_000),
    () -> LockSupport.parkNanos(Duration.ofHours(1).toNanos()),
    () -> LockSupport.parkUntil(System.currentTimeMillis() + 3_600_000),
    () -> new CountDownLatch(1).await(1, TimeUnit.HOURS),
    () -> new ArrayBlockingQueue<>(1).poll(1, TimeUnit.HOURS),
    () -> new SynchronousQueue<>().offer("x", 1, TimeUnit.HOURS),
    () -> awaitNanos(new ReentrantLock()),
    () -> get(new CompletableFuture<>()),
    () -> get(new FutureTask<>(() -> "never")),
    () -> new CompletableFuture<>().completeOnTimeout("late", 1, TimeUnit.HOURS).get(),
    () -> new CompletableFuture<>().orTimeout(1, TimeUnit.HOURS).handle((_, e) -> e).get(),
    () ->
        CompletableFuture.supplyAsync(
                () -> "late", CompletableFuture.delayedExecutor(1, TimeUnit.HOURS))
            .get(),
    () -> CompletableFuture.runAsync(VirtualTimeTest::sleep).get(),
    () -> CompletableFuture.supplyAsync(VirtualTimeTest::sleep).get(2, TimeUnit.HOURS),
    () ->
        CompletableFuture.completedStage("")
            .thenRunAsync(VirtualTimeTest::sleep)
            .toCompletableFuture()
            .join(),
    () -> Thread.startVirtualThread(LockSupport::park).join(Duration.ofHours(1)),
    () -> scheduled(),
    () -> monitor(new Object()),
  };

  /** On a thread of the common pool it would take an hour. */
  private static boolean sleep() {
    try {
      Thread.sleep(Duration.ofHours(1));
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  private static void awaitNanos(ReentrantLock lock) throws InterruptedException {
    lock.lock();
    lock.newCondition().awaitNanos(Duration.ofHours(1).toNanos());
  }

  private static void get(FutureTask<?> task) throws Exception {
    try {
      task.get(1, TimeUnit.HOURS);
    } catch (TimeoutException e) {
      // As it should be.
    }
  }

  private static void get(CompletableFuture<?> future) throws Exception {
    try {
      future.get(1, TimeUnit.HOURS);
    } catch (TimeoutException e) {
      // As it should be.
    }
  }

  private static void scheduled() throws Exception {
    try (var executor = new ScheduledThreadPoolExecutor(1, Thread.ofVirtual().factory())) {
      executor.schedule(() -> "late", 1, TimeUnit.HOURS).get();
    }
  }

  private static void monitor(Object lock) throws InterruptedException {
    synchronized (lock) {
      lock.wait(3_600_000);
    }
  }

  @Test
  void everyWaitOfAnHourIsAnHourLongAndTakesNoTime() {
    for (int i = 0; i < OF_AN_HOUR.length; i++) {
      Wait wait = OF_AN_HOUR[i];
      List<Object> took = new ArrayList<>();
      var time = new JumpingTime();
      time.start(
          () -> {
            Instant begun = Instant.now();
            try {
              wait.run();
              took.add(Duration.between(begun, Instant.now()));
            } catch (Exception e) {
              took.add(e);
            }
          });
      time.run();
      assertThat(took).as("wait %s", i).containsExactly(Duration.ofHours(1));
    }
  }

  /** Who was to be woken first is woken first, by whatever it waits. */
  @Test
  void waitsEndInTheOrderOfTheirTimes() {
    List<String> order = new ArrayList<>();
    var time = new JumpingTime();
    var queue = new ArrayBlockingQueue<String>(1);
    time.start(
        () -> {
          try {
            order.add(queue.poll(3, TimeUnit.DAYS) + " " + System.nanoTime() / 86_400_000_000_000L);
          } catch (InterruptedException e) {
            order.add("interrupted");
          }
        });
    time.start(
        () -> {
          LockSupport.parkNanos(Duration.ofDays(1).toNanos());
          order.add("one day");
        });
    time.start(
        () -> {
          try {
            Thread.sleep(Duration.ofDays(2));
            order.add("two days");
            queue.put("put");
          } catch (InterruptedException e) {
            order.add("interrupted");
          }
        });
    time.run();
    assertThat(order).containsExactly("one day", "two days", "put 2");
  }
}
