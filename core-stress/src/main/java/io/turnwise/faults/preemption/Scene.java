package io.turnwise.faults.preemption;

import io.turnwise.faults.trial.Books;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What the handlers of a run share: locks with what they guard, counters of what was begun and must
 * be ended, whom to ask.
 */
abstract class Scene {
  static final int DEEPEST = 6;
  private static final int LOCKS = 4;

  /** A resource: closing it is counted. */
  record Resource(Scene scene, int number) implements AutoCloseable {
    @Override
    public void close() {
      scene.closed.increment();
    }
  }

  /** Two numbers that are equal whenever nobody is inside. */
  private static final class Guarded {
    final ReentrantLock lock = new ReentrantLock();
    private long before;
    private long after;
    private boolean taken;
  }

  private static final ThreadLocal<@Nullable Long> LOCAL = new ThreadLocal<>();

  private final Books books;
  private final Guarded[] locks = new Guarded[LOCKS];
  private final Guarded[] monitors = new Guarded[LOCKS];
  private final LongAdder entered = new LongAdder();
  private final LongAdder left = new LongAdder();
  private final LongAdder opened = new LongAdder();
  private final LongAdder closed = new LongAdder();

  Scene(Books books) {
    this.books = books;
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new Guarded();
      monitors[i] = new Guarded();
    }
  }

  /** Has another actor compute {@link #answer}. */
  abstract long ask(int n) throws Exception;

  static long answer(int n) {
    return Work.spin(n, 100);
  }

  long guarded(int n) {
    Guarded pair = locks[n % LOCKS];
    pair.lock.lock();
    try {
      if (pair.taken) books.violation("two are inside one lock");
      pair.taken = true;
      pair.before++;
      long x = n;
      for (int i = 0; i < 60; i++) x = Work.step(x, i);
      return x;
    } finally {
      pair.after++;
      pair.taken = false;
      pair.lock.unlock();
    }
  }

  long inMonitor(int n) {
    Guarded pair = monitors[n % LOCKS];
    synchronized (pair) {
      try {
        if (pair.taken) books.violation("two are inside one monitor");
        pair.taken = true;
        pair.before++;
        long x = n;
        for (int i = 0; i < 60; i++) x = Work.step(x, -i);
        return x;
      } finally {
        pair.after++;
        pair.taken = false;
      }
    }
  }

  long nested(int depth, int n) {
    entered.increment();
    try {
      return depth == 0 ? Work.spin(n, 300) : nested(depth - 1, n) * 31 + depth;
    } finally {
      try {
        for (int i = 0; i < 10; i++)
          Work.step(n, i); // polls: must not be cut short by a second one
      } finally {
        left.increment();
      }
    }
  }

  Resource open() {
    var resource = new Resource(this, 7);
    opened.increment();
    return resource;
  }

  long withThreadLocal(int n) {
    if (LOCAL.get() != null) books.violation("a turn found the thread-local of another");
    LOCAL.set((long) n);
    long x = n;
    for (int i = 0; i < 100; i++) {
      x = Work.step(x, i);
      Long mine = LOCAL.get();
      if (mine == null || mine != n) books.violation("a turn lost its thread-local: " + mine);
    }
    return x;
  }

  /**
   * When all is quiet.
   *
   * @param abandoned handlers that were left in the middle for good, with what they had begun
   */
  void check(long abandoned) throws InterruptedException {
    for (int i = 0; i < LOCKS; i++) {
      if (!locks[i].lock.tryLock(60, TimeUnit.SECONDS)) {
        books.violation("a lock has leaked: " + locks[i].lock);
        continue;
      }
      checkPair(locks[i]);
      locks[i].lock.unlock();
      checkMonitor(monitors[i]);
    }
    if (entered.sum() - left.sum() > abandoned * DEEPEST || left.sum() > entered.sum())
      books.violation("entered " + entered + ", left by finally " + left);
    if (opened.sum() - closed.sum() > abandoned * 2 || closed.sum() > opened.sum())
      books.violation("opened " + opened + ", closed " + closed);
  }

  /** Resources that nobody closed; {@link #check} judges how many that may be. */
  long unclosed() {
    return opened.sum() - closed.sum();
  }

  private void checkMonitor(Guarded pair) throws InterruptedException {
    Thread checker =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  synchronized (pair) {
                    checkPair(pair);
                  }
                });
    checker.join(60_000);
    if (checker.isAlive()) books.violation("a monitor has leaked");
  }

  private void checkPair(Guarded pair) {
    if (pair.before != pair.after || pair.taken)
      books.violation("behind a lock: " + pair.before + " before, " + pair.after + " after");
  }
}
