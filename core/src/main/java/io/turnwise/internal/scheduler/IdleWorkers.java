package io.turnwise.internal.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who sleeps, and how many are looking for work.
 *
 * <pre>
 * Why no work is left lying while a worker sleeps:
 *   who brings work                          who goes to sleep
 *   1. publish the task (full fence)         1. set the own bit, stop searching (full fences)
 *   2. nobody searching, a bit set?          2. look once more at every queue
 *      claim the bit, unpark its worker
 * Each side writes, then reads what the other wrote, so at least one sees the other. Who brings
 * work and finds a searcher leaves it to that one: it looks at every queue after it stopped
 * searching. A claimed worker begins as a searcher, and when the last searcher finds work it
 * claims another sleeper: work wakes workers one by one, not as a herd.
 *
 * Why never fewer than none are searching:
 *   who claims a sleeper                     who goes to sleep, and then sees work
 *   1. count it as a searcher                1. set the own bit, stop searching
 *   2. claim its bit; if that is gone,       2. take the own bit back; if that is gone, it is a
 *      stop counting                            searcher: it stops being one when it has looked
 * Who finds its bit gone stops searching after somebody has counted it: that came before the bit
 * went. The other way round there would be one fewer than none until the claimer is run again, and
 * as a searcher is claimed only where there is none, nobody would be woken until then.
 * </pre>
 */
final class IdleWorkers {
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle SLEEPERS;

  static {
    try {
      SLEEPERS = MethodHandles.lookup().findVarHandle(IdleWorkers.class, "sleepers", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int NOBODY = -1;

  private final long[] words;
  private final AtomicInteger searching = new AtomicInteger();

  /** Which of the sleepers looks out for the next deadline, or NOBODY. */
  private final AtomicInteger watcher = new AtomicInteger(NOBODY);

  /** How many sleep. A field to be read, not a method to be called: see {@link Runner}. */
  volatile int sleepers;

  IdleWorkers(int maximum) {
    words = new long[(maximum + 63) / 64];
  }

  boolean isSleeping(int worker) {
    return ((long) WORDS.getVolatile(words, worker >>> 6) & (1L << worker)) != 0;
  }

  int searching() {
    return searching.get();
  }

  void beginSearch() {
    searching.incrementAndGet();
  }

  /** Returns true when this was the last searcher. */
  boolean endSearch() {
    return searching.decrementAndGet() == 0;
  }

  void fallAsleep(int worker) {
    SLEEPERS.getAndAdd(this, 1);
    WORDS.getAndBitwiseOr(words, worker >>> 6, 1L << worker);
  }

  /** Takes the own bit back. Returns false when somebody has claimed it already. */
  boolean wakeSelf(int worker) {
    return claim(worker);
  }

  /**
   * Claims this sleeper as a searcher, whoever searches beside it. Returns false if it does not
   * sleep any more. Until then it counted as a searcher that searches nothing, and somebody may
   * have left new work to it: whoever asked has to look.
   */
  boolean claimAsSearcher(int worker) {
    searching.incrementAndGet(); // first: see above
    if (claim(worker)) return true;
    searching.decrementAndGet();
    return false;
  }

  /** Claims this sleeper. Who does it for another has counted that as a searcher before. */
  boolean claim(int worker) {
    long bit = 1L << worker;
    boolean was = ((long) WORDS.getAndBitwiseAnd(words, worker >>> 6, ~bit) & bit) != 0;
    if (was) SLEEPERS.getAndAdd(this, -1);
    return was;
  }

  /**
   * Claims any sleeper as a searcher, if nobody searches yet; who looks out for a deadline, last.
   * Returns its index, or -1.
   *
   * <p>While this looks, it counts as a searcher that searches nothing, and somebody else may leave
   * new work to it. So after it found no sleeper and stopped counting, it looks again.
   */
  int claimSearcher() {
    while (sleepers > 0 && searching.compareAndSet(0, 1)) {
      int last = watcher.get();
      for (int i = 0; i < words.length; i++) {
        long not = last >>> 6 == i ? ~(1L << last) : -1L;
        long word;
        while ((word = (long) WORDS.getVolatile(words, i) & not) != 0) {
          int worker = (i << 6) + Long.numberOfTrailingZeros(word);
          if (claim(worker)) return worker;
        }
      }
      if (last != NOBODY && claim(last)) return last;
      searching.decrementAndGet();
      if (noBitSet()) return -1;
    }
    return -1;
  }

  /** A sleeper wants to look out for the next deadline. Returns false if another one does. */
  boolean beginWatch(int worker) {
    return watcher.get() == NOBODY && watcher.compareAndSet(NOBODY, worker);
  }

  void endWatch() {
    watcher.set(NOBODY);
  }

  private boolean noBitSet() {
    for (int i = 0; i < words.length; i++)
      if ((long) WORDS.getVolatile(words, i) != 0) return false;
    return true;
  }
}
