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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A cast to an actor that is busy: the message is queued and nobody is woken. The actor is held in
 * one handler while a batch is sent, and handles the batch between two measurements.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class SendBenchmark {
  private static final int BATCH = 10_000;

  private enum Message {
    HOLD,
    COUNTED,
    LAST
  }

  private final Gate held = new Gate();
  private final Gate release = new Gate();
  private final Gate drained = new Gate();

  @SuppressWarnings("NullAway.Init") // JMH sets it up
  private ActorRef<Message> busy;

  @Setup(Level.Trial)
  public void spawn(Opened opened) {
    busy = opened.system.spawn(Busy::new);
  }

  @Setup(Level.Invocation)
  public void hold() {
    busy.cast(Message.HOLD);
    held.pass();
  }

  @TearDown(Level.Invocation)
  public void drain() {
    busy.cast(Message.LAST);
    release.open();
    drained.pass();
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void castToBusyActor() {
    for (int i = 0; i < BATCH; i++) {
      busy.cast(Message.COUNTED);
    }
  }

  private final class Busy implements Actor<Message> {
    private int counted;

    @Override
    public void receive(Message message, Context<Message> context) {
      switch (message) {
        case HOLD -> {
          held.open();
          release.pass();
        }
        case COUNTED -> counted++;
        case LAST -> {
          if (counted != BATCH) {
            throw new IllegalStateException("sent " + BATCH + " messages, handled " + counted);
          }
          counted = 0;
          drained.open();
        }
      }
    }
  }
}
