package io.turnwise.benchmarks.workload;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How much memory this process uses.
 *
 * @param heap bytes of live objects
 * @param resident bytes of RAM, NaN where the system does not say
 */
record Footprint(long heap, double resident) {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final int COLLECTIONS = 3;

  /** Collects the garbage first, with a pause after each collection. */
  static Footprint afterCollections(long pauseMillis) throws InterruptedException, IOException {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
      Thread.sleep(pauseMillis);
    }
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    return new Footprint(heap, residentBytes());
  }

  private static double residentBytes() throws IOException {
    List<String> lines = Files.isReadable(STATUS) ? Files.readAllLines(STATUS) : List.of();
    for (String line : lines) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024.0;
      }
    }
    return Double.NaN;
  }
}
