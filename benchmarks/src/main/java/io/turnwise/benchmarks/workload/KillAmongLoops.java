package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;

/**
 * From Go's own tests, three loops without a natural place to stop: one that calls a function
 * without calls, one without anything, one over a function object. And from Erlang's: while such
 * loops want every worker, somebody wants something of one of them. Here it is the most there is to
 * want: that they end.
 */
final class KillAmongLoops implements Workload {
  private static final Duration RUN = Duration.ofMillis(200);
  private static final Duration SHORTEST = Duration.ofMillis(20);
  private static final long LIMIT_SECONDS = 10;

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    List<A> loops = new ArrayList<>();
    for (int i = 0; i < stage.cores(); i++) {
      loops.add(stage.runtime().spawn(new LeafLoop<>()));
      loops.add(stage.runtime().spawn(new EmptyLoop<>()));
      loops.add(stage.runtime().spawn(new FunctionLoop<>(x -> x * 31 + 7)));
    }
    loops.forEach(loop -> stage.runtime().send(loop, Cue.GO));
    Thread.sleep(stage.scaled(RUN, SHORTEST));
    long start = System.nanoTime();
    List<Future<?>> kills = new ArrayList<>();
    loops.forEach(loop -> kills.add(stage.runtime().kill(loop)));
    for (Future<?> kill : kills) {
      kill.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
    double millis = (System.nanoTime() - start) / 1e6;
    return new Measurement(loops.size(), millis);
  }

  private static final class LeafLoop<A> implements Behavior<A> {
    private long state = 1;

    @Override
    public Next receive(Object message, Self<A> self) {
      while (true) {
        state = leaf(state);
      }
    }

    private static long leaf(long x) {
      return x * 6364136223846793005L + 1442695040888963407L;
    }
  }

  private static final class EmptyLoop<A> implements Behavior<A> {
    @Override
    public Next receive(Object message, Self<A> self) {
      while (true) {}
    }
  }

  private static final class FunctionLoop<A> implements Behavior<A> {
    private final LongUnaryOperator step;
    private long state = 1;

    FunctionLoop(LongUnaryOperator step) {
      this.step = step;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      while (true) {
        state = step.applyAsLong(state);
      }
    }
  }
}
