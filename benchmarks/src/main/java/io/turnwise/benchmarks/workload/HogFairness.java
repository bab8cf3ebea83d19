package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/** Eight endless loops and nothing else: how equal are the shares they get? */
final class HogFairness implements Workload {
  private static final int HOGS = 8;
  private static final Duration TIME = Duration.ofSeconds(5);
  private static final Duration SHORTEST = Duration.ofMillis(100);

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    Herd<A> herd = new Herd<>(stage, HOGS);
    herd.begin();
    Thread.sleep(stage.scaled(TIME, SHORTEST));
    List<Long> blocks = herd.blocks();
    herd.end();
    stage.failures().throwIfAny();
    long all = blocks.stream().mapToLong(Long::longValue).sum();
    if (all == 0) {
      throw new WrongResultException("no loop finished a single block");
    }
    return new Measurement(HOGS, jainsIndex(blocks))
        .with("min_over_max", Collections.min(blocks) / (double) Collections.max(blocks))
        .with("blocks", all);
  }

  /** 1 when all are equal, 1 / n when one has everything. */
  static double jainsIndex(List<Long> shares) {
    double sum = 0;
    double squares = 0;
    for (double share : shares) {
      sum += share;
      squares += share * share;
    }
    return sum * sum / (shares.size() * squares);
  }
}
