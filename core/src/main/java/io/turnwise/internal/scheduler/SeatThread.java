package io.turnwise.internal.scheduler;

import org.jspecify.annotations.Nullable;

/** A platform thread of ours that runs turns, and knows whose. */
final class SeatThread extends Thread {
  /** Written and read on this thread alone. */
  @Nullable Seat seat;

  SeatThread(String name, Runnable body, @Nullable ClassLoader contextLoader) {
    super(null, body, name, 0, false);
    setDaemon(true);
    setContextClassLoader(contextLoader);
  }
}
