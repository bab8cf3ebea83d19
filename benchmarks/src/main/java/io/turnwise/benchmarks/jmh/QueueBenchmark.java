package io.turnwise.benchmarks.jmh;

import io.turnwise.internal.scheduler.Scheduler;
import io.turnwise.internal.scheduler.Tick;
import java.lang.invoke.MethodHandle;
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
  private static final Insides RING = new Insides("ReadyLine");
  private static final MethodHandle RING_PUSH = RING.method("push");
  private static final MethodHandle RING_POP = RING.method("pop");
  private static final MethodHandle RING_STEAL = RING.method("stealInto");

  private static final Insides QUEUE = new Insides("TaskQueue");
  private static final MethodHandle QUEUE_PUSH = QUEUE.method("push");
  private static final MethodHandle QUEUE_CLAIM = QUEUE.method("tryClaim");
  private static final MethodHandle QUEUE_POLL = QUEUE.method("poll");
  private static final MethodHandle QUEUE_RELEASE = QUEUE.method("release");

  private static final Insides WHEEL = new Insides("Wheel");
  private static final MethodHandle WHEEL_ADD = WHEEL.method("add");
  private static final MethodHandle WHEEL_POLL = WHEEL.method("poll");
  private static final MethodHandle WHEEL_POSITION = WHEEL.method("position");

  private static final int ONE_TURN = 16;

  private final Object ring;
  private final Object thief;
  private final Object queue;
  private final Object wheel;
  private final Object task;

  public QueueBenchmark() {
    var scheduler =
        new Scheduler("bench", 1, 1, new Tick(System::nanoTime), false, () -> {}, _ -> {});
    Runnable nothing = () -> {};
    try {
      ring = (Object) RING.constructor().invokeExact();
      thief = (Object) RING.constructor().invokeExact();
      queue = (Object) QUEUE.constructor().invokeExact();
      wheel = (Object) WHEEL.constructor().invokeExact();
      MethodHandle newTask =
          new Insides("ForeignTask").constructor(Runnable.class, Scheduler.class);
      task = (Object) newTask.invokeExact((Object) nothing, (Object) scheduler);
    } catch (Throwable e) {
      throw new LinkageError("a queue could not be made", e);
    }
  }

  @Benchmark
  public @Nullable Object ringPushPop() throws Throwable {
    boolean _ = (boolean) RING_PUSH.invokeExact(ring, task);
    return (Object) RING_POP.invokeExact(ring);
  }

  @Benchmark
  public @Nullable Object ringStealOne() throws Throwable {
    boolean _ = (boolean) RING_PUSH.invokeExact(ring, task);
    int _ = (int) RING_STEAL.invokeExact(ring, thief);
    return (Object) RING_POP.invokeExact(thief);
  }

  @Benchmark
  public @Nullable Object injectorPushPoll() throws Throwable {
    QUEUE_PUSH.invokeExact(queue, task);
    boolean _ = (boolean) QUEUE_CLAIM.invokeExact(queue);
    Object taken = (Object) QUEUE_POLL.invokeExact(queue);
    QUEUE_RELEASE.invokeExact(queue);
    return taken;
  }

  @Benchmark
  public @Nullable Object wheelAddPoll() throws Throwable {
    int now = (int) WHEEL_POSITION.invokeExact(wheel);
    WHEEL_ADD.invokeExact(wheel, task, now + ONE_TURN);
    return (Object) WHEEL_POLL.invokeExact(wheel);
  }
}
