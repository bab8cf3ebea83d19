package io.turnwise.benchmarks.harness;

import java.time.Duration;

/**
 * How thoroughly to measure.
 *
 * @param warmups repetitions that are not counted
 * @param reps repetitions that are
 * @param budget for each peer and workload: no repetition begins once it is spent
 * @param grace how long after its budget a process may take before it is ended
 * @param scale what sizes are divided by; 1 for numbers that mean something
 * @param rounds how often all peers take their turn, each time in a new process: what a process has
 *     for good, the layout of its code and data, and what the machine does for a while, then hits
 *     all of them
 * @param workers how many workers every peer gets, 0 for each peer's default
 */
public record CampaignOptions(
    int warmups, int reps, int rounds, Duration budget, Duration grace, int scale, int workers) {

  public static final CampaignOptions DEFAULT =
      new CampaignOptions(2, 5, 1, Duration.ofSeconds(75), Duration.ofSeconds(120), 1, 0);

  public CampaignOptions {
    if (warmups < 0 || reps < 1 || rounds < 1 || scale < 1 || workers < 0 || budget.isNegative()) {
      throw new IllegalArgumentException(
          "repetitions, rounds and scale must be at least 1, warm-ups, budget and workers at least 0");
    }
  }

  Duration limit() {
    return budget.plus(grace);
  }
}
