package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import org.junit.jupiter.api.Test;

class LockWaitTest {
  private final Object monitor = new Object();

  @Test
  void aMonitorIsALock() throws Exception {
    synchronized (monitor) {
      awaitLockWait(
          () -> {
            synchronized (monitor) {
              monitor.notifyAll();
            }
          });
    }
  }

  @Test
  void locksAreLocks() throws Exception {
    var lock = new ReentrantLock();
    lock.lock();
    awaitLockWait(lock::lock);
    var pair = new ReentrantReadWriteLock();
    pair.readLock().lock();
    awaitLockWait(pair.writeLock()::lock);
    var stamped = new StampedLock();
    stamped.writeLock();
    awaitLockWait(stamped::readLock);
  }

  @Test
  void whatWaitsForSomethingElseIsNone() throws Exception {
    var latch = new CountDownLatch(1);
    Thread waits = Thread.ofVirtual().start(() -> assertThat(isReleased(latch)).isTrue());
    while (waits.getState() != Thread.State.WAITING) Thread.onSpinWait();
    assertThat(LockWait.isLockWaitOf(waits)).isFalse();
    latch.countDown();
    waits.join();
  }

  private static boolean isReleased(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  /** Waits until the thread waits for a lock; without end if it is not seen. */
  private static void awaitLockWait(Runnable locking) {
    Thread waits = Thread.ofVirtual().start(locking);
    while (!LockWait.isLockWaitOf(waits)) Thread.onSpinWait();
  }
}
