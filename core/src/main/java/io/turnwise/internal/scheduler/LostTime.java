package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.ThreadMeter;

/**
 * For how long a worker's thread was kept from running by the machine: other programs, compilers,
 * the host of a virtual machine if the kernel is told of it. Whose slice that hits has not used the
 * time, and is not charged for it; else the one in a thousand that is hit for some milliseconds
 * would have to wait for several rounds besides. A turn that keeps its thread waiting itself, where
 * that cannot be unmounted, looks the same. By the thread that runs the worker.
 */
final class LostTime {
  /** Of shorter slices it is not worth asking: that is a call of the operating system. */
  private static final int LEAST_NANOS = 200_000;

  private boolean known;
  private long clockThen;
  private long cpuThen;

  /** Of a slice that took so long and ends now, what was lost. */
  int of(long slice, long now) {
    return slice < LEAST_NANOS ? 0 : of(slice, now, ThreadMeter.cpuNanosHere());
  }

  /**
   * No more than the slice took less what the thread has used since this was last asked: what was
   * lost before it began was others' time.
   *
   * @param cpu what the thread has used since it began, or 0 where nobody measures that
   */
  int of(long slice, long now, long cpu) {
    long lost = known && cpu > 0 ? Math.min(now - clockThen, slice) - (cpu - cpuThen) : 0;
    known = cpu > 0;
    clockThen = now;
    cpuThen = cpu;
    return Math.clamp(lost, 0, Integer.MAX_VALUE);
  }

  /** The thread is about to sleep, of its own will. */
  void forget() {
    known = false;
  }
}
