package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;

/** Endless loops in some actors: do light actors still get their turn, and how soon? */
final class Hogs implements Workload {
  /** As many hogs as make every worker choose between two of them. */
  static final int TWO_PER_CORE = 0;

  private static final int LIGHT_ACTORS = 100;
  private static final Duration PERIOD = Duration.ofMillis(10);
  private static final Duration WARM_UP = Duration.ofSeconds(1);
  private static final Duration SETTLE = Duration.ofMillis(500);
  private static final Duration TIME = Duration.ofSeconds(10);
  static final Duration SHORTEST = Duration.ofMillis(100);

  private final int hogs;

  Hogs(int hogs) {
    this.hogs = hogs;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    Ticks<A> ticks = new Ticks<>(stage, LIGHT_ACTORS);
    ticks.warmUp(stage.scaled(WARM_UP, PERIOD), PERIOD);
    Herd<A> herd = new Herd<>(stage, hogs == TWO_PER_CORE ? 2 * stage.cores() : hogs);
    herd.begin();
    try {
      Thread.sleep(stage.scaled(SETTLE, SHORTEST));
      ticks.measure(stage.scaled(TIME, SHORTEST), PERIOD);
      return ticks
          .result(stage.scaled(Ticks.PATIENCE, SHORTEST))
          .with("hogs", herd.size())
          .with("hogs_that_ran", herd.thatRan());
    } finally {
      herd.end();
      ticks.stop();
    }
  }
}
