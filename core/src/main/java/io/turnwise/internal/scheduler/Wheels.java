package io.turnwise.internal.scheduler;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * What the wheels of all workers have in common: how far they have come, and how many tasks of each
 * share are busy.
 *
 * <p>Busy are those that wait in a wheel, and those that have come out of one and are in hand.
 * Counted together, as shares are parts of all workers' time and not of one's: tasks change
 * workers, and a share may have more of them at one than at another. Whoever puts into a wheel or
 * takes out of it counts, so a reader sees a moment's number; it decides on the length of a slice.
 */
final class Wheels {
  private final AtomicIntegerArray busy = new AtomicIntegerArray(Share.MOST);

  /** The newest round of any wheel. Who begins one writes it as it pleases: it may lag a little. */
  private volatile int newestRound;

  void isBusy(int share) {
    busy.getAndIncrement(share);
  }

  void isNotBusy(int share) {
    busy.getAndDecrement(share);
  }

  int busy(Share share) {
    return busy.get(share.index);
  }

  int newestRound() {
    return newestRound;
  }

  void begun(int round) {
    if (round - newestRound > 0) newestRound = round;
  }
}
