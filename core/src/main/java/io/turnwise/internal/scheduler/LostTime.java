package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.ThreadMeter;

/**
 * For how long a worker's thread was kept from running by the machine: other programs, compilers,
 * the host of a virtual machine. Whose slice that hits has not used the time, and is not charged
 * for it; else the one in a thousand that is hit for some milliseconds would have to wait for
 * several rounds besides. By the worker's own platform thread.
 */
final class LostTime {
  /** Of shorter slices it is not worth asking: that is a call of the operating system. */
  private static final int LEAST_NANOS = 200_000;

  private boolean known;
  private long clockThen;
  private long cpuThen;

  /** Of a slice that took so long and ends now, what was lost since this was last asked. */
  int of(long slice, long now) {
    return slice < LEAST_NANOS ? 0 : of(slice, now, ThreadMeter.cpuNanosHere());
  }

  /**
   * @param cpu what the thread has used since it began, or 0 where nobody measures that
   */
  int of(long slice, long now, long cpu) {
    long lost = known ? (now - clockThen) - (cpu - cpuThen) : 0;
    known = cpu > 0;
    clockThen = now;
    cpuThen = cpu;
    return (int) Math.max(0, Math.min(lost, slice));
  }

  /** The thread is about to sleep, of its own will. */
  void forget() {
    known = false;
  }
}
