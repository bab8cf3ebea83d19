package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * After Erlang's tests of priority inversion: while endless loops want every worker, an actor is
 * stopped in the middle of a long computation under a lock. Another one waits for that lock. How
 * long until it has it?
 */
final class LockInversion implements Workload {
  private static final int BLOCKS_UNDER_THE_LOCK = 2_000;
  private static final long LIMIT_MILLIS = 5_000;

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    ReentrantLock lock = new ReentrantLock();
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch handedOver = new CountDownLatch(1);
    AtomicLong computed = new AtomicLong(); // or the compiler would leave it out
    int blocks = stage.scaled(BLOCKS_UNDER_THE_LOCK, 10);
    A holder =
        stage
            .runtime()
            .spawn(
                (message, self) -> {
                  lock.lock();
                  try {
                    held.countDown();
                    computed.set(Hog.compute(1, blocks));
                  } finally {
                    lock.unlock();
                  }
                  return Next.STOP;
                });
    A waiter =
        stage
            .runtime()
            .spawn(
                (message, self) -> {
                  lock.lock();
                  lock.unlock();
                  handedOver.countDown();
                  return Next.STOP;
                });
    Herd<A> herd = new Herd<>(stage, 2 * stage.cores());
    stage.runtime().send(holder, Cue.GO);
    boolean holds = held.await(LIMIT_MILLIS, TimeUnit.MILLISECONDS);
    herd.begin();
    Thread.sleep(stage.scaled(Duration.ofMillis(10), Duration.ofMillis(1)));
    long start = System.nanoTime();
    stage.runtime().send(waiter, Cue.GO);
    boolean passed = handedOver.await(LIMIT_MILLIS / stage.scale() + 500, TimeUnit.MILLISECONDS);
    double millis = (System.nanoTime() - start) / 1e6;
    herd.end();
    if (!holds) {
      throw new WrongResultException("nobody took the lock");
    }
    return new Measurement(1, passed ? millis : Double.NaN).with("unhandled", passed ? 0 : 1);
  }
}
