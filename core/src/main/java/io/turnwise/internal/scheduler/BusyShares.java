package io.turnwise.internal.scheduler;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * How many tasks of each share are busy: those that wait in the wheels of all workers, and those
 * that have come out of one and are in hand. Counted together, as shares are parts of all workers'
 * time and not of one's: tasks change workers, and a share may have more of them at one than at
 * another.
 *
 * <p>Whoever puts into a wheel or takes out of it counts, so a reader sees a moment's number; it
 * decides on the length of a slice, and what that is wrong by is made good with the next ones.
 */
final class BusyShares {
  private final AtomicIntegerArray counts = new AtomicIntegerArray(Share.MOST);

  void add(int share) {
    counts.getAndIncrement(share);
  }

  void remove(int share) {
    counts.getAndDecrement(share);
  }

  int count(Share share) {
    return counts.get(share.index);
  }
}
