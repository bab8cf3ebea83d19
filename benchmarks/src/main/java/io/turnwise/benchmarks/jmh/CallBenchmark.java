package io.turnwise.benchmarks.jmh;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.CallOutcome;
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

/** A question and its answer: from a plain thread, and from an actor in both styles. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class CallBenchmark {
  private static final int CALLS = 1_000;

  private sealed interface Message {
    record Wait() implements Message {}

    record Begin() implements Message {}

    record Answered(CallOutcome<Integer> outcome) implements Message {}
  }

  private static final Message WAIT = new Message.Wait();
  private static final Message BEGIN = new Message.Begin();

  private final Gate finished = new Gate();

  @SuppressWarnings("NullAway.Init") // JMH sets it up
  private ActorRef<Echo.Say> echo;

  @SuppressWarnings("NullAway.Init") // JMH sets it up
  private ActorRef<Message> asker;

  @Setup(Level.Trial)
  public void spawn(Opened opened) {
    echo = opened.system.spawn(Echo::new);
    asker = opened.system.spawn(Asker::new);
  }

  @Benchmark
  public int fromPlainThread() {
    return echo.call(Echo.SAY);
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public void fromActorThatWaits() {
    asker.cast(WAIT);
    finished.pass();
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public void fromActorByMessages() {
    asker.cast(BEGIN);
    finished.pass();
  }

  private final class Asker implements Actor<Message> {
    private int left;

    @Override
    public void receive(Message message, Context<Message> context) {
      switch (message) {
        case Message.Wait _ -> waitForAll();
        case Message.Begin _ -> {
          left = CALLS;
          askNext(context);
        }
        case Message.Answered(CallOutcome.Answered<Integer>(Integer value)) -> {
          Echo.check(value);
          askNext(context);
        }
        case Message.Answered(CallOutcome.Failed<Integer>(Throwable cause)) ->
            throw new IllegalStateException("no answer", cause);
      }
    }

    private void waitForAll() {
      for (int i = 0; i < CALLS; i++) {
        Echo.check(echo.call(Echo.SAY));
      }
      finished.open();
    }

    private void askNext(Context<Message> context) {
      if (left-- > 0) {
        context.callToSelf(echo, Echo.SAY, Message.Answered::new);
      } else {
        finished.open();
      }
    }
  }
}
