package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;

/**
 * As many endless loops with a quantum of 20 ms as with one of 5: do they get four times as much?
 */
final class QuantumShares implements Workload {
  private static final int LOOPS_PER_WORKER = 3;
  private static final int TIMES = 4;
  private static final Duration SHORT = Duration.ofMillis(5);

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int loops = LOOPS_PER_WORKER * stage.workersInUse();
    SharedTime<A> time = new SharedTime<>(stage);
    time.add(1, Herd.withQuantum(stage, loops, SHORT));
    time.add(TIMES, Herd.withQuantum(stage, loops, SHORT.multipliedBy(TIMES)));
    return time.measure(Duration.ofSeconds(5));
  }
}
