package io.turnwise.woven.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.door.JdkDoor;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Phaser;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Waits of the JDK's own, in a world where the clock goes on by hours. */
@Timeout(60)
class JdkWaitsTest {
  private static final Object NOTHING = "nothing";

  @BeforeAll
  static void redirect() {
    JdkDoor.openForSimulation();
  }

  /** A wait for something that never comes. */
  record Wait(String name, Wanting wanting) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Returns what means that it did not come, or throws. */
  interface Wanting {
    Object until(long timeout, TimeUnit unit) throws Exception;
  }

  static Stream<Wait> waits() {
    return Stream.of(
        new Wait("CountDownLatch", new CountDownLatch(1)::await),
        new Wait("Semaphore", new Semaphore(0)::tryAcquire),
        new Wait("ReentrantLock", held(new ReentrantLock())),
        new Wait("ReadLock", (time, unit) -> writeLocked().readLock().tryLock(time, unit)),
        new Wait("StampedLock", JdkWaitsTest::stamped),
        new Wait("Condition", JdkWaitsTest::conditionNanos),
        new Wait("Condition, until a date", JdkWaitsTest::conditionUntil),
        new Wait("ArrayBlockingQueue", new ArrayBlockingQueue<>(1)::poll),
        new Wait("ArrayBlockingQueue, full", (t, u) -> full().offer("more", t, u)),
        new Wait("LinkedBlockingQueue", new LinkedBlockingQueue<>()::poll),
        new Wait("LinkedBlockingDeque", new LinkedBlockingDeque<>()::pollLast),
        new Wait("PriorityBlockingQueue", new PriorityBlockingQueue<>()::poll),
        new Wait("SynchronousQueue", new SynchronousQueue<>()::poll),
        new Wait("SynchronousQueue, fair", new SynchronousQueue<>(true)::poll),
        new Wait("LinkedTransferQueue", (t, u) -> new LinkedTransferQueue<>().tryTransfer(1, t, u)),
        new Wait("CompletableFuture", new CompletableFuture<>()::get),
        new Wait("FutureTask", new FutureTask<>(() -> 1)::get),
        new Wait("ForkJoinTask", (t, u) -> ForkJoinTask.adapt(() -> 1).get(t, u)),
        new Wait("Exchanger", (t, u) -> new Exchanger<>().exchange(1, t, u)),
        new Wait("Phaser", (t, u) -> new Phaser(1).awaitAdvanceInterruptibly(0, t, u)),
        new Wait("CyclicBarrier", (t, u) -> new CyclicBarrier(2).await(t, u)),
        new Wait("awaitTermination", JdkWaitsTest::terminationOfPool),
        new Wait("awaitTermination of virtual threads", JdkWaitsTest::terminationOfThreads),
        new Wait("invokeAll", JdkWaitsTest::invokeAll),
        new Wait("join of a virtual thread", JdkWaitsTest::join));
  }

  private static Wanting held(ReentrantLock lock) {
    return (time, unit) -> onOtherThread(lock::lock, () -> lock.tryLock(time, unit));
  }

  /** The other thread ends with what it holds. */
  private static <T> T onOtherThread(Runnable first, Callable<T> then) throws Exception {
    Thread other = new Thread(first);
    other.start();
    other.join();
    return then.call();
  }

  private static ReentrantReadWriteLock writeLocked() throws Exception {
    var lock = new ReentrantReadWriteLock();
    return onOtherThread(lock.writeLock()::lock, () -> lock);
  }

  private static Object stamped(long time, TimeUnit unit) throws InterruptedException {
    var lock = new StampedLock();
    lock.writeLock();
    return lock.tryWriteLock(time, unit) != 0 || lock.tryReadLock(time, unit) != 0;
  }

  private static Object conditionNanos(long time, TimeUnit unit) throws InterruptedException {
    var lock = new ReentrantLock();
    lock.lock();
    return lock.newCondition().awaitNanos(unit.toNanos(time)) > 0;
  }

  private static Object conditionUntil(long time, TimeUnit unit) throws InterruptedException {
    var lock = new ReentrantLock();
    lock.lock();
    return lock.newCondition()
        .awaitUntil(new Date(System.currentTimeMillis() + unit.toMillis(time)));
  }

  private static ArrayBlockingQueue<Object> full() {
    return new ArrayBlockingQueue<>(1, false, List.of("first"));
  }

  private static Object terminationOfPool(long time, TimeUnit unit) throws InterruptedException {
    try (var pool = new Stoppable(Executors.newFixedThreadPool(1))) {
      pool.executor.submit(() -> never());
      return pool.executor.awaitTermination(time, unit);
    }
  }

  private static Object terminationOfThreads(long time, TimeUnit unit) throws InterruptedException {
    try (var pool = new Stoppable(Executors.newVirtualThreadPerTaskExecutor())) {
      pool.executor.submit(() -> never());
      return pool.executor.awaitTermination(time, unit);
    }
  }

  private static Object invokeAll(long time, TimeUnit unit) throws InterruptedException {
    try (var pool = new Stoppable(Executors.newFixedThreadPool(1))) {
      return !pool.executor
          .invokeAll(List.of(JdkWaitsTest::never), time, unit)
          .getFirst()
          .isCancelled();
    }
  }

  private static Object join(long time, TimeUnit unit) throws InterruptedException {
    Thread endless = Thread.ofVirtual().start(() -> LockSupport.park());
    try {
      return endless.join(Duration.of(time, unit.toChronoUnit()));
    } finally {
      LockSupport.unpark(endless);
    }
  }

  private static Object never() throws InterruptedException {
    new CountDownLatch(1).await();
    return NOTHING;
  }

  private record Stoppable(ExecutorService executor) implements AutoCloseable {
    @Override
    public void close() {
      executor.shutdownNow();
    }
  }

  /**
   * Two reads of the clock are further apart than the time waited for. Parking is ended from
   * outside, as it may be at any time: it is the clock that decides whether the wait is over.
   */
  @ParameterizedTest(name = "{0}")
  @MethodSource("waits")
  void insideAWaitOfAnHourEndsWhenTheSimulationSaysSo(Wait wait) throws Exception {
    var world = new SteppedWorld(1, Duration.ofHours(2));
    Thread waiting = Thread.currentThread();
    Thread waker =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!Thread.interrupted()) {
                    LockSupport.unpark(waiting);
                    LockSupport.parkNanos(1_000_000);
                  }
                });
    try {
      world.run(() -> waitInVain(wait, 1, TimeUnit.HOURS));
    } finally {
      waker.interrupt();
      waker.join();
    }
    assertThat(world.reads()).isGreaterThan(1);
  }

  /** The same JVM, woven in the same way; the simulation is another thread's. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("waits")
  void outsideAWaitTakesItsTime(Wait wait) throws Exception {
    FutureTask<Long> outside =
        new FutureTask<>(
            () -> {
              long begun = System.nanoTime();
              waitInVain(wait, 30, TimeUnit.MILLISECONDS);
              return System.nanoTime() - begun;
            });
    var world = new SteppedWorld(1, Duration.ofHours(2));
    long took =
        world.run(
            () -> {
              new Thread(outside).start();
              return outside.get();
            });
    assertThat(took).isBetween(29_000_000L, TimeUnit.SECONDS.toNanos(30));
    assertThat(world.reads()).isZero();
  }

  private static Object waitInVain(Wait wait, long time, TimeUnit unit) throws Exception {
    try {
      Object came = wait.wanting().until(time, unit);
      assertThat(came).isIn(null, false);
      return came;
    } catch (TimeoutException e) { // some say it so
      return null;
    }
  }

  @Test
  void withoutASimulationAWaitTakesItsTime() throws Exception {
    long begun = System.nanoTime();
    assertThat(new LinkedBlockingQueue<>().poll(30, TimeUnit.MILLISECONDS)).isNull();
    assertThat(System.nanoTime() - begun).isGreaterThan(29_000_000L);
  }

  /** Called by code that is not woven. */
  @Test
  void timeUnitSleepsInsideWhoeverCallsIt() throws Exception {
    var world = new SteppedWorld(1, Duration.ofNanos(1));
    var sleep = TimeUnit.class.getMethod("sleep", long.class);
    world.run(() -> sleep.invoke(TimeUnit.DAYS, 3));
    world.run(() -> sleep.invoke(TimeUnit.NANOSECONDS, 1_000_005));
    assertThat(world.slept()).containsExactly(Duration.ofDays(3).toNanos(), 1_000_005L);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> world.run(() -> sleep.invoke(TimeUnit.DAYS, 3)))
        .isInstanceOf(InvocationTargetException.class)
        .hasCauseInstanceOf(InterruptedException.class);
  }

  /** A virtual thread's sleep looks again after it has parked. */
  @Test
  void aVirtualThreadsSleepInUnwovenCodeEndsWhenTheSimulationSaysSo() throws Exception {
    var world = new SteppedWorld(1, Duration.ZERO);
    var sleep = Thread.class.getMethod("sleep", long.class);
    FutureTask<?> sleeping = new FutureTask<>(() -> sleep.invoke(null, 2));
    Thread sleeper = Thread.ofVirtual().unstarted(sleeping);
    world.with(sleeper);
    world.run(
        () -> {
          sleeper.start();
          while (world.reads() < 4) Thread.onSpinWait();
          assertThat(sleeping.isDone()).isFalse();
          world.advance(Duration.ofMillis(2));
          return sleeping.get();
        });
  }

  /** In the year 2100 that is a millisecond; measured from now it would be some decades. */
  @Test
  void parkUntilIsMeasuredFromTheSimulationsTime() throws Exception {
    var world = new SteppedWorld(1, Duration.ofNanos(1));
    world.advance(Duration.ofDays(130 * 365));
    FutureTask<?> parked =
        new FutureTask<>(() -> LockSupport.parkUntil(System.currentTimeMillis() + 2), null);
    Thread parker = Thread.ofVirtual().unstarted(parked);
    world.with(parker);
    world.run(
        () -> {
          parker.start();
          return parked.get();
        });
  }

  /** If its threads are in the simulation, too. */
  @Test
  void aScheduledTaskRunsWhenTheSimulationSaysSo() throws Exception {
    var world = new SteppedWorld(1, Duration.ofMinutes(1));
    try (var executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread worker = new Thread(task);
              world.with(worker);
              return worker;
            })) {
      var done = new CompletableFuture<String>();
      world.run(
          () -> {
            executor.schedule(() -> done.complete("done"), 30, TimeUnit.SECONDS);
            return done.join();
          });
      assertThat(done).isCompletedWithValue("done");
    }
  }
}
