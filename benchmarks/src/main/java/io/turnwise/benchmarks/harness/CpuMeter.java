package io.turnwise.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * Tells how much of the machine's CPU other processes took while one of ours ran: all that was busy
 * less what this process and its finished children used, both from the kernel's counters. Says
 * nothing where there are none.
 */
final class CpuMeter {
  private static final Path MACHINE = Path.of("/proc/stat");
  private static final Path OURSELVES = Path.of("/proc/self/stat");
  private static final double TICKS_PER_SECOND = 100; // the unit of both files on every Linux

  private final int cores;
  private final Reading start;

  private CpuMeter(int cores, Reading start) {
    this.cores = cores;
    this.start = start;
  }

  static CpuMeter start(int cores) {
    return new CpuMeter(cores, Reading.now());
  }

  /** From 0 to 1. Call it after the child was waited for: only then are its ticks ours. */
  OptionalDouble shareOfOthers() {
    Reading end = Reading.now();
    double seconds = (end.nanos - start.nanos) / 1e9;
    double others = (end.busy - start.busy) - (end.own - start.own);
    double share = others / TICKS_PER_SECOND / (seconds * cores);
    return Double.isNaN(share)
        ? OptionalDouble.empty()
        : OptionalDouble.of(Math.min(1, Math.max(0, share)));
  }

  private record Reading(long nanos, double busy, double own) {
    static Reading now() {
      try {
        return new Reading(System.nanoTime(), busyTicks(), ownTicks());
      } catch (IOException | RuntimeException noSuchCounters) {
        return new Reading(System.nanoTime(), Double.NaN, Double.NaN);
      }
    }

    /** user, nice, system, (idle, iowait), irq, softirq: the idle ones and what follows are out. */
    private static double busyTicks() throws IOException {
      String[] fields = Files.readAllLines(MACHINE).getFirst().split(" +");
      return ticks(fields, 1, 2, 3, 6, 7);
    }

    /** utime, stime, cutime, cstime, counted from behind the program's name in parentheses. */
    private static double ownTicks() throws IOException {
      String line = Files.readString(OURSELVES);
      String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
      return ticks(fields, 11, 12, 13, 14);
    }

    private static double ticks(String[] fields, int... places) {
      return Arrays.stream(places).mapToDouble(place -> Double.parseDouble(fields[place])).sum();
    }
  }
}
