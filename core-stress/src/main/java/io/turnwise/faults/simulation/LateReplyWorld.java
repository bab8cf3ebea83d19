package io.turnwise.faults.simulation;

import io.turnwise.faults.life.LateReplies;
import io.turnwise.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.SplittableRandom;

/** F8 from seeds: answers that come when their callers have given up, and ask again. */
final class LateReplyWorld {
  private static final int CALLERS = 2;
  private static final int CALLS = 12;

  private LateReplyWorld() {}

  static void live(Simulation simulation) throws Exception {
    var late = new LateReplies(1_000_000, CALLERS);
    var random = new SplittableRandom(simulation.seed());
    if (random.nextBoolean()) simulation.mayStall(Duration.ofMillis(5));
    late.begin(simulation.system(), random, CALLS);
    simulation.sleep(Duration.ofSeconds(1));
    if (!late.isDone()) throw new AssertionError("a call has not ended");
    late.check();
  }
}
