package io.turnwise.benchmarks.jmh;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Context;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The whole life of an actor: an actor creates it, it handles one message and stops. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class SpawnBenchmark {
  private static final int CHILDREN = 1_000;

  private enum Message {
    SPAWN,
    LIVE
  }

  private final Gate finished = new Gate();
  private final AtomicInteger living = new AtomicInteger();

  @SuppressWarnings("NullAway.Init") // JMH sets it up
  private ActorRef<Message> parent;

  @Setup(Level.Trial)
  public void spawn(Opened opened) {
    parent = opened.system.spawn(Parent::new);
  }

  @Benchmark
  @OperationsPerInvocation(CHILDREN)
  public void spawnHandleStop() {
    living.set(CHILDREN);
    parent.cast(Message.SPAWN);
    finished.pass();
  }

  private final class Parent implements Actor<Message> {
    @Override
    public void receive(Message message, Context<Message> context) {
      for (int i = 0; i < CHILDREN; i++) {
        ActorRef<Message> child = context.spawn(Child::new);
        child.cast(Message.LIVE);
      }
    }
  }

  private final class Child implements Actor<Message> {
    @Override
    public void receive(Message message, Context<Message> context) {
      context.stop();
      if (living.decrementAndGet() == 0) {
        finished.open();
      }
    }
  }
}
