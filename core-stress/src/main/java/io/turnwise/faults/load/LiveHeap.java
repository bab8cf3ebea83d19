package io.turnwise.faults.load;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.concurrent.locks.LockSupport;

/** What lives on the heap. */
final class LiveHeap {
  private LiveHeap() {}

  /**
   * What the last collection left, as the collector counted it. The heap's own figure, read after a
   * collection, also holds the allocation buffers that threads took since, a megabyte now and then.
   * The first collection queues what only cleaners hold, the second finds it gone.
   */
  static long bytes() {
    for (int i = 0; i < 2; i++) {
      System.gc();
      LockSupport.parkNanos(20_000_000);
    }
    long bytes = 0;
    for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans())
      if (pool.getType() == MemoryType.HEAP) bytes += pool.getCollectionUsage().getUsed();
    return bytes;
  }
}
