package io.turnwise.internal.scheduler;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The queues of a worker, each pushed to and taken from by one thread: the cost without a rival.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class QueueBenchmark {
  private final ReadyRing ring = new ReadyRing();
  private final ReadyRing thief = new ReadyRing();
  private final TaskQueue queue = new TaskQueue();
  private final Wheel wheel = new Wheel();
  private final Task task =
      new ForeignTask(
          () -> {},
          new Scheduler("bench", 1, 1, new Tick(System::nanoTime), false, () -> {}, said -> {}));

  @Benchmark
  public @Nullable Task ringPushPop() {
    ring.push(task);
    return ring.pop();
  }

  @Benchmark
  public @Nullable Task ringStealOne() {
    ring.push(task);
    ring.stealInto(thief);
    return thief.pop();
  }

  @Benchmark
  public @Nullable Task injectorPushPoll() {
    queue.push(task);
    queue.tryClaim();
    Task taken = queue.poll();
    queue.release();
    return taken;
  }

  @Benchmark
  public @Nullable Task wheelAddPoll() {
    wheel.add(task, wheel.position() + Wheel.SEGMENTS);
    return wheel.poll();
  }
}
