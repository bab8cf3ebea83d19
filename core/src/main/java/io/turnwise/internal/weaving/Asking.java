package io.turnwise.internal.weaving;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The threads that are asking whose world they are in: what they do meanwhile may read clocks, and
 * is not to ask again.
 *
 * <p>Without locks: where one thread may make another wait, a simulation would depend on threads
 * that are not in it. And not in a thread-local, of which fibers are scrubbed. A thread's place is
 * one of a few that its number leads to; only itself puts it there and takes it away.
 */
final class Asking {
  /** The thread is asking already. */
  static final int NONE = -1;

  private static final int BITS = 10;
  private static final int FEW = 16;

  private static final AtomicReferenceArray<Thread> PLACES =
      new AtomicReferenceArray<>((1 << BITS) + FEW);

  private Asking() {}

  /**
   * Returns what {@link #end} wants, or {@link #NONE}. Where all places are taken, others will be
   * gone in a moment: to ask is brief.
   */
  static int begin() {
    Thread me = Thread.currentThread();
    int first = (int) (me.threadId() * 0x9E3779B97F4A7C15L >>> 64 - BITS);
    while (true) {
      int free = NONE;
      for (int i = first; i < first + FEW; i++) {
        Thread other = PLACES.get(i);
        if (other == me) return NONE;
        if (other == null && free == NONE) free = i;
      }
      if (free != NONE && PLACES.compareAndSet(free, null, me)) return free;
      Thread.onSpinWait();
    }
  }

  static void end(int place) {
    PLACES.setRelease(place, null);
  }
}
