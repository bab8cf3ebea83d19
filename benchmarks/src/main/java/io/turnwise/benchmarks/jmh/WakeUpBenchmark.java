package io.turnwise.benchmarks.jmh;

import io.turnwise.ActorRef;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The way from a cast of a plain thread to the handler of an actor that was idle. */
@BenchmarkMode({Mode.AverageTime, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class WakeUpBenchmark {
  private enum Message {
    WAKE
  }

  private final Gate awake = new Gate();

  @SuppressWarnings("NullAway.Init") // JMH sets it up
  private ActorRef<Message> sleeper;

  @Setup(Level.Trial)
  public void spawn(Opened opened) {
    sleeper = opened.system.spawn(() -> (message, context) -> awake.open());
  }

  @Benchmark
  public void castToIdleActor() {
    sleeper.cast(Message.WAKE);
    awake.pass();
  }
}
