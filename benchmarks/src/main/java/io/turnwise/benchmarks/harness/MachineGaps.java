package io.turnwise.benchmarks.harness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How long the machine itself keeps threads waiting that want nothing but to run: one on each core,
 * which look at the clock all the time. No latency that is measured beside it can be better than
 * this for long: a share of 1 % is what a p99 is made of, 0.1 % a p99.9.
 *
 * @param over100Micros share of the time, 0 to 1, in gaps of more than 0.1 ms
 * @param over500Micros the same for 0.5 ms
 * @param longestNanos the longest gap
 */
public record MachineGaps(double over100Micros, double over500Micros, long longestNanos) {
  private static final long SHORT_NANOS = 100_000;
  private static final long LONG_NANOS = 500_000;

  /** Takes as long as is said, on all cores. */
  public static MachineGaps measure(Duration time) throws InterruptedException {
    List<Spinner> spinners = new ArrayList<>();
    long end = System.nanoTime() + time.toNanos();
    for (int core = 0; core < Runtime.getRuntime().availableProcessors(); core++) {
      spinners.add(new Spinner(end));
    }
    spinners.forEach(Thread::start);
    for (Spinner spinner : spinners) {
      spinner.join();
    }
    double all = (double) time.toNanos() * spinners.size();
    return new MachineGaps(
        spinners.stream().mapToLong(spinner -> spinner.inShort).sum() / all,
        spinners.stream().mapToLong(spinner -> spinner.inLong).sum() / all,
        spinners.stream().mapToLong(spinner -> spinner.longest).max().orElse(0));
  }

  public String describe() {
    return "the machine by itself: gaps of more than 0.1 ms %.2f %% of the time, of more than 0.5 ms"
            .formatted(100 * over100Micros)
        + " %.2f %%, the longest %.1f ms".formatted(100 * over500Micros, longestNanos / 1e6);
  }

  /** For the line that opens a run in a results file. */
  Map<String, Object> fields() {
    return Map.of(
        "gaps_100us", over100Micros, "gaps_500us", over500Micros, "longest_gap", longestNanos);
  }

  private static final class Spinner extends Thread {
    private final long end;
    private long inShort;
    private long inLong;
    private long longest;

    Spinner(long end) {
      super("gaps");
      this.end = end;
    }

    @Override
    public void run() {
      long last = System.nanoTime();
      while (last - end < 0) {
        long now = System.nanoTime();
        long gap = now - last;
        if (gap > SHORT_NANOS) {
          inShort += gap;
        }
        if (gap > LONG_NANOS) {
          inLong += gap;
        }
        longest = Math.max(longest, gap);
        last = now;
      }
    }
  }
}
