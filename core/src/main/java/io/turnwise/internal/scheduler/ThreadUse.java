package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.ThreadMeter;
import io.turnwise.observation.Usage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a task has used on platform threads of the other backends. There each slice is measured: two
 * readings are little beside the waking of a thread, and nobody else looks at these threads.
 *
 * <p>Written by whose hand the task is in. Under a lock all the same, so that who looks in the
 * middle of a slice adds what it has used so far exactly once.
 */
final class ThreadUse {
  private long ranNanos;
  private long cpuNanos;
  private long allocatedBytes;

  /** The thread that has a slice in hand, and what its readings were; or null. */
  private @Nullable Thread on;

  private long since;
  private long cpuBefore;
  private long bytesBefore;

  /** Its thread begins a slice, or goes on with it. */
  synchronized void begin(ThreadSeat seat, long now) {
    on = seat.thread;
    since = now;
    cpuBefore = seat.cpuNanos;
    bytesBefore = seat.allocatedBytes;
  }

  /** Its thread is about to let go of it, and has just looked at its meters. */
  synchronized void end(ThreadSeat seat, long now) {
    if (on == null) return;
    end(now, seat.cpuNanos, seat.allocatedBytes);
  }

  /** The task goes on without that thread, which may use what it likes from now on. */
  synchronized void leave(Tick tick) {
    Thread left = on;
    if (left == null) return;
    try {
      end(tick.nanoTime(), ThreadMeter.cpuNanos(left), ThreadMeter.allocatedBytes(left));
    } catch (OutOfMemoryError e) { // the task must go on all the same
      end(tick.nanoTime(), cpuBefore, bytesBefore);
    }
  }

  private void end(long now, long cpu, long bytes) {
    ranNanos += now - since;
    cpuNanos += Math.max(0, cpu - cpuBefore); // a thread that has ended reads 0
    allocatedBytes += Math.max(0, bytes - bytesBefore);
    on = null;
  }

  /** Any thread. */
  synchronized Usage usage(Tick tick, Duration waited) {
    long ran = ranNanos;
    long cpu = cpuNanos;
    long bytes = allocatedBytes;
    Thread running = on;
    if (running != null) {
      ran += tick.nanoTime() - since;
      cpu += Math.max(0, ThreadMeter.cpuNanos(running) - cpuBefore);
      bytes += Math.max(0, ThreadMeter.allocatedBytes(running) - bytesBefore);
    }
    return new Usage(Duration.ofNanos(ran), Duration.ofNanos(cpu), bytes, waited, 0);
  }
}
