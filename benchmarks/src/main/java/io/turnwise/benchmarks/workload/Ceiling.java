package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Group;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;

/**
 * Endless loops in a group that may use a quarter of all workers, and nobody else. How far is what
 * they use from that? By what loops finish that may use all, so that nobody's accounts count: as
 * many of these as can run at once, for where several processors are busy each is slower.
 */
final class Ceiling implements Workload {
  private static final double CEILING = 0.25;
  private static final Duration SETTLE = Duration.ofSeconds(1);
  private static final Duration TIME = Duration.ofSeconds(5);
  private static final Duration SHORTEST = Duration.ofMillis(50);

  private final int loops;

  Ceiling(int loops) {
    this.loops = loops;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int atOnce = Math.min(loops, stage.workersInUse());
    Rates whole = rates(stage, new Herd<>(stage, atOnce), SETTLE.multipliedBy(2));
    Group group = new Group("quarter", 100, CEILING);
    Rates used = rates(stage, Herd.inGroup(stage, loops, group), TIME);
    if (whole.blocks == 0) {
      throw new WrongResultException("a loop alone finished no block");
    }
    double part = used.blocks / whole.blocks * atOnce / stage.workersInUse();
    return new Measurement(loops, 100 * Math.abs(part / CEILING - 1))
        .with("part", part)
        .with("part_by_accounts", used.ran / stage.workersInUse());
  }

  /** In a second: blocks finished, and seconds that its loops had a thread. */
  private record Rates(double blocks, double ran) {}

  private static <A> Rates rates(Stage<A> stage, Herd<A> herd, Duration time)
      throws InterruptedException {
    herd.begin();
    Thread.sleep(stage.scaled(SETTLE, SHORTEST));
    long before = herd.total();
    long ranBefore = herd.ranNanos();
    long began = System.nanoTime();
    Thread.sleep(stage.scaled(time, SHORTEST));
    long finished = herd.total() - before;
    long ran = herd.ranNanos() - ranBefore;
    double nanos = System.nanoTime() - began;
    herd.end();
    stage.failures().throwIfAny();
    return new Rates(finished * 1e9 / nanos, ran / nanos);
  }
}
