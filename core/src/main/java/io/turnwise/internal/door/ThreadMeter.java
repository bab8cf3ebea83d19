package io.turnwise.internal.door;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import org.jspecify.annotations.Nullable;

/** What platform threads have used, as far as this JVM measures it. */
public final class ThreadMeter {
  private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
  private static final boolean CPU =
      BEAN.isThreadCpuTimeSupported() && BEAN.isThreadCpuTimeEnabled();

  private static final com.sun.management.@Nullable ThreadMXBean BYTES =
      BEAN instanceof com.sun.management.ThreadMXBean own
              && own.isThreadAllocatedMemorySupported()
              && own.isThreadAllocatedMemoryEnabled()
          ? own
          : null;

  private ThreadMeter() {}

  /** Whether {@link #cpuNanos} says anything. */
  public static boolean measuresCpu() {
    return CPU;
  }

  /**
   * Whether a platform thread is in native code, or waits: then it does not come past a poll,
   * however much of the processor it is given.
   */
  public static boolean isOutsideJava(Thread thread) {
    if (thread.getState() != Thread.State.RUNNABLE) return true;
    ThreadInfo info = BEAN.getThreadInfo(thread.threadId());
    return info != null && info.isInNative();
  }

  /** Processor time in ns since the thread began, or 0. */
  public static long cpuNanos(Thread thread) {
    return CPU ? Math.max(0, BEAN.getThreadCpuTime(thread.threadId())) : 0;
  }

  /** Bytes allocated since the thread began, or 0. */
  public static long allocatedBytes(Thread thread) {
    return BYTES == null ? 0 : Math.max(0, BYTES.getThreadAllocatedBytes(thread.threadId()));
  }

  /** The same for the current thread, which must be a platform thread: needs no memory. */
  public static long cpuNanosHere() {
    return CPU ? Math.max(0, BEAN.getCurrentThreadCpuTime()) : 0;
  }

  public static long allocatedBytesHere() {
    return BYTES == null ? 0 : Math.max(0, BYTES.getCurrentThreadAllocatedBytes());
  }
}
