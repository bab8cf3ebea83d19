package io.turnwise.benchmarks.harness;

import java.util.List;
import java.util.Optional;

/**
 * The heap that every JVM gets.
 *
 * @param initialMegabytes at the start
 * @param largestMegabytes at most
 */
record HeapSize(long initialMegabytes, long largestMegabytes) {
  static final HeapSize USUAL = new HeapSize(4 * 1024, 8 * 1024);
  private static final double ENOUGH_GIGABYTES = 10;
  private static final double SHARE_OF_A_SMALL_MACHINE = 0.6;

  static HeapSize fitting(double memoryGigabytes) {
    if (memoryGigabytes >= ENOUGH_GIGABYTES) {
      return USUAL;
    }
    long largest = (long) (memoryGigabytes * 1024 * SHARE_OF_A_SMALL_MACHINE);
    return new HeapSize(Math.min(USUAL.initialMegabytes, largest / 2), largest);
  }

  List<String> flags() {
    return List.of("-Xms" + initialMegabytes + "m", "-Xmx" + largestMegabytes + "m");
  }

  /**
   * For a workload that repeats: all of the heap from the start, and touched before the first
   * repetition. Else whoever allocates pays for the kernel's clearing of pages, now one peer and
   * now another, and that is most of what one sees of a quick one; and a heap that grows does so in
   * a pause of the collector, which then took a second or two.
   */
  List<String> touchedFlags() {
    return List.of(
        "-Xms" + largestMegabytes + "m", "-Xmx" + largestMegabytes + "m", "-XX:+AlwaysPreTouch");
  }

  /** What to tell the reader when it is not the usual one. */
  Optional<String> remark() {
    return equals(USUAL)
        ? Optional.empty()
        : Optional.of(
            "this machine has less than "
                + (int) ENOUGH_GIGABYTES
                + " GB: the JVM peers get at most "
                + largestMegabytes
                + " MB of heap instead of "
                + USUAL.largestMegabytes);
  }
}
