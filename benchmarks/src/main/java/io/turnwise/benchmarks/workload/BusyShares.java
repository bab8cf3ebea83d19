package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Erlang's own test of fairness: 500 and 500 processes that never stop working. What does the worst
 * served get, compared with the mean of its class?
 */
final class BusyShares implements Workload {

  /** What an actor of the second class gets on average, in parts of one of the first. */
  static final String LOW_SHARE = "low_share";

  private static final int CLASS = 500;
  private static final Duration RUN_IN = Duration.ofSeconds(2);
  private static final Duration TIME = Duration.ofSeconds(10);
  private static final Duration SHORTEST = Duration.ofMillis(100);
  private static final Duration NORMAL = Duration.ofMillis(1);

  /** Erlang runs processes of low priority every eighth time. */
  private static final int LOW_PART = 8;

  /** How the two classes differ. */
  enum Classes {
    EQUAL,
    NORMAL_AND_LOW
  }

  private final Classes classes;

  BusyShares(Classes classes) {
    this.classes = classes;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int size = stage.scaled(CLASS, 4);
    Herd<A> first = Herd.withShortSlices(stage, size);
    Herd<A> second =
        switch (classes) {
          case EQUAL -> Herd.withShortSlices(stage, size);
          case NORMAL_AND_LOW -> Herd.withQuantum(stage, size, NORMAL.dividedBy(LOW_PART));
        };
    first.begin();
    second.begin();
    Thread.sleep(stage.scaled(RUN_IN, SHORTEST)); // whose code is not compiled yet works slowly
    List<Long> firstBefore = first.blocks();
    List<Long> secondBefore = second.blocks();
    Thread.sleep(stage.scaled(TIME, SHORTEST));
    List<Long> normal = since(firstBefore, first.blocks());
    List<Long> low = since(secondBefore, second.blocks());
    first.end();
    second.end();
    stage.failures().throwIfAny();

    double worst = Math.min(worstOverMean(normal), worstOverMean(low));
    Measurement measurement =
        new Measurement(2L * size, worst).with("hogs_that_ran", thatRan(normal) + thatRan(low));
    return classes == Classes.EQUAL
        ? measurement
        : measurement.with(LOW_SHARE, mean(low) / mean(normal));
  }

  private static List<Long> since(List<Long> before, List<Long> now) {
    List<Long> blocks = new ArrayList<>();
    for (int i = 0; i < now.size(); i++) {
      blocks.add(now.get(i) - before.get(i));
    }
    return blocks;
  }

  private static long thatRan(List<Long> blocks) {
    return blocks.stream().filter(finished -> finished > 0).count();
  }

  private static double mean(List<Long> shares) {
    return shares.stream().mapToLong(Long::longValue).average().orElse(0);
  }

  static double worstOverMean(List<Long> shares) {
    double mean = mean(shares);
    return mean == 0 ? 0 : Collections.min(shares) / mean;
  }
}
