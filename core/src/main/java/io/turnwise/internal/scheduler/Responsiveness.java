package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.ThreadMeter;
import org.jspecify.annotations.Nullable;

/**
 * Whether code that was asked for something and has not answered is not going to, or has just not
 * been run: on a machine with too much to do a thread may get no processor for many milliseconds.
 * By one thread at a time.
 */
public final class Responsiveness {
  /** Woven code comes past a poll far more often. */
  private static final long ENOUGH_NANOS = 3_000_000;

  private @Nullable Thread watched;
  private long cpuBefore;

  /** From now on. */
  public void watch(@Nullable Thread thread) {
    watched = thread;
    try {
      if (thread != null) cpuBefore = ThreadMeter.cpuNanos(thread);
    } catch (OutOfMemoryError e) {
      watched = null;
    }
  }

  /** The thread that is watched, if any. */
  public @Nullable Thread watched() {
    return watched;
  }

  /** Whether it has had the chance to answer, or is where it cannot. */
  public boolean hadItsChance() {
    Thread thread = watched;
    try {
      return thread == null
          || !ThreadMeter.measuresCpu()
          || ThreadMeter.cpuNanos(thread) - cpuBefore >= ENOUGH_NANOS
          || ThreadMeter.isOutsideJava(thread);
    } catch (OutOfMemoryError e) { // then it is helped too early rather than not at all
      return true;
    }
  }
}
