package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Erlang's own test of fairness: 500 and 500 processes that never stop working. What does the worst
 * served get, compared with the mean of its class? Here both classes have the same priority.
 */
final class BusyShares implements Workload {
  private static final int CLASS = 500;
  private static final Duration RUN_IN = Duration.ofSeconds(2);
  private static final Duration TIME = Duration.ofSeconds(10);
  private static final Duration SHORTEST = Duration.ofMillis(100);

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int size = stage.scaled(CLASS, 4);
    Herd<A> herd = Herd.withShortSlices(stage, 2 * size);
    herd.begin();
    Thread.sleep(stage.scaled(RUN_IN, SHORTEST)); // whose code is not compiled yet works slowly
    List<Long> before = herd.blocks();
    Thread.sleep(stage.scaled(TIME, SHORTEST));
    List<Long> blocks = new ArrayList<>(herd.blocks());
    for (int i = 0; i < blocks.size(); i++) {
      blocks.set(i, blocks.get(i) - before.get(i));
    }
    long ran = blocks.stream().filter(finished -> finished > 0).count();
    herd.end();
    stage.failures().throwIfAny();
    double first = worstOverMean(blocks.subList(0, size));
    double second = worstOverMean(blocks.subList(size, 2 * size));
    return new Measurement(2L * size, Math.min(first, second)).with("hogs_that_ran", ran);
  }

  static double worstOverMean(List<Long> shares) {
    double mean = shares.stream().mapToLong(Long::longValue).average().orElse(0);
    return mean == 0 ? 0 : Collections.min(shares) / mean;
  }
}
