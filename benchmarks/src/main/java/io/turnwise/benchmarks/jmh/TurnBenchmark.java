package io.turnwise.benchmarks.jmh;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Context;
import java.util.concurrent.TimeUnit;
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

/**
 * A turn: an actor sends itself the next message, so each operation is one cast from inside and one
 * handler call, and no other actor or thread is involved.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class TurnBenchmark {
  private static final int TURNS = 100_000;

  private enum Message {
    GO
  }

  private final Gate finished = new Gate();

  @SuppressWarnings("NullAway.Init") // JMH sets it up
  private ActorRef<Message> looper;

  @Setup(Level.Trial)
  public void spawn(Opened opened) {
    looper = opened.system.spawn(Looper::new);
  }

  @Benchmark
  @OperationsPerInvocation(TURNS)
  public void messageToSelf() {
    looper.cast(Message.GO);
    finished.pass();
  }

  private final class Looper implements Actor<Message> {
    private int left = TURNS;

    @Override
    public void receive(Message message, Context<Message> context) {
      if (--left > 0) {
        context.self().cast(message);
      } else {
        left = TURNS;
        finished.open();
      }
    }
  }
}
