package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Group;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.List;

/**
 * Three groups of endless loops whose weights are 1 : 2 : 4, the lightest with the most loops. How
 * far is the worst of them from its share?
 */
final class GroupShares implements Workload {
  private static final int UNIT = 100;
  private static final List<Integer> WEIGHTS = List.of(1, 2, 4);
  private static final List<Integer> LOOPS_PER_WORKER = List.of(4, 3, 2);

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int workers = stage.workersInUse();
    SharedTime<A> time = new SharedTime<>(stage);
    for (int i = 0; i < WEIGHTS.size(); i++) {
      int weight = WEIGHTS.get(i);
      Group group = new Group("weight-" + weight, weight * UNIT, 1);
      time.add(weight, Herd.inGroup(stage, LOOPS_PER_WORKER.get(i) * workers, group));
    }
    return time.measure(Duration.ofSeconds(5));
  }
}
