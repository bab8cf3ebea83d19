package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * After Erlang's tests of priority inversion: while endless loops want every worker, somebody wants
 * to know what one more of them does, and then that it ends.
 */
final class InspectionAmongLoops implements Workload {
  private static final Duration RUN = Duration.ofMillis(200);
  private static final Duration SHORTEST = Duration.ofMillis(20);
  private static final long LIMIT_SECONDS = 10;

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    Herd<A> herd = new Herd<>(stage, 2 * stage.workersInUse());
    Hog<A> inspected = new Hog<>(7);
    A actor = stage.runtime().spawn(inspected);
    herd.begin();
    stage.runtime().send(actor, Cue.GO);
    try {
      Thread.sleep(stage.scaled(RUN, SHORTEST));
      long start = System.nanoTime();
      String seen = stage.runtime().inspect(actor);
      long inspectedAt = System.nanoTime();
      stage.runtime().kill(actor).get(LIMIT_SECONDS, TimeUnit.SECONDS);
      long end = System.nanoTime();
      if (!seen.contains(Hog.class.getName())) {
        throw new WrongResultException("nothing was seen of what it does: " + seen);
      }
      return new Measurement(1, (end - start) / 1e6)
          .with("inspection_ms", (inspectedAt - start) / 1e6)
          .with("kill_ms", (end - inspectedAt) / 1e6);
    } finally {
      inspected.end(); // where it had to be left behind
      herd.end();
    }
  }
}
