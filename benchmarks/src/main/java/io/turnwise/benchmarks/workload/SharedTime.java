package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Herds that want all the time there is, and how much of it each is to get. */
final class SharedTime<A> {
  private static final Duration SETTLE = Duration.ofSeconds(1);
  private static final Duration SHORTEST = Duration.ofMillis(50);

  private final Stage<A> stage;
  private final Map<Herd<A>, Integer> weights = new LinkedHashMap<>();

  SharedTime(Stage<A> stage) {
    this.stage = stage;
  }

  void add(int weight, Herd<A> herd) {
    weights.put(herd, weight);
  }

  /** How far the worst of them is from its share, in percent of that share. */
  Measurement measure(Duration duration) throws InterruptedException {
    weights.keySet().forEach(Herd::begin);
    Thread.sleep(stage.scaled(SETTLE, SHORTEST)); // compiled, and spread over the workers
    Map<Integer, Double> blocks = new LinkedHashMap<>();
    Map<Integer, Double> ran = new LinkedHashMap<>();
    weights.forEach(
        (herd, weight) -> {
          blocks.put(weight, -(double) herd.total());
          ran.put(weight, -(double) herd.ranNanos());
        });
    Thread.sleep(stage.scaled(duration, SHORTEST));
    weights.forEach(
        (herd, weight) -> {
          blocks.merge(weight, (double) herd.total(), Double::sum);
          ran.merge(weight, (double) herd.ranNanos(), Double::sum);
        });
    for (Herd<A> herd : weights.keySet()) {
      herd.end();
    }
    stage.failures().throwIfAny();
    // Where others take the machine's time, a slice of the same length holds less work.
    return result(blocks).with("off_by_accounts", result(ran).value());
  }

  /**
   * @param blocks what was finished, by weight
   */
  static Measurement result(Map<Integer, Double> blocks) {
    double all = blocks.values().stream().mapToDouble(Double::doubleValue).sum();
    if (all == 0) {
      throw new WrongResultException("no loop finished a single block");
    }
    double weights = blocks.keySet().stream().mapToInt(Integer::intValue).sum();
    double worst = 0;
    Measurement result = new Measurement((long) all, 0);
    for (Map.Entry<Integer, Double> each : blocks.entrySet()) {
      double share = each.getValue() / all;
      worst = Math.max(worst, Math.abs(share * weights / each.getKey() - 1));
      result = result.with("share_of_" + each.getKey(), share);
    }
    return new Measurement(result.n(), 100 * worst, result.details());
  }
}
