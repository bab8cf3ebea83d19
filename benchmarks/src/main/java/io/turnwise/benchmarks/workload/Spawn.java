package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/** One actor creates a million others; each handles one message and ends. */
final class Spawn implements Workload {
  private static final int ACTORS = 1_000_000;

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int actors = stage.scaled(ACTORS, 100);
    long[] createNanos = new long[actors];
    Finish finish = stage.finish(1);
    A parent = stage.runtime().spawn(new Parent<>(new Child<>(actors, finish), createNanos));

    long start = System.nanoTime();
    stage.runtime().send(parent, Cue.GO);
    finish.await();
    long nanos = System.nanoTime() - start;

    stage.runtime().stop(parent);
    return Measurement.perSecond(actors, actors, nanos).withLatencies(histogram(createNanos));
  }

  private static Histogram histogram(long[] nanos) {
    Histogram histogram = new Histogram(3);
    for (long value : nanos) {
      histogram.recordValue(value);
    }
    return histogram;
  }

  /** Measures the create call alone; two reads of the clock are in every value. */
  private static final class Parent<A> implements Behavior<A> {
    private final Child<A> child;
    private final long[] createNanos;

    Parent(Child<A> child, long[] createNanos) {
      this.child = child;
      this.createNanos = createNanos;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      for (int i = 0; i < createNanos.length; i++) {
        long before = System.nanoTime();
        A created = self.spawn(child);
        createNanos[i] = System.nanoTime() - before;
        self.send(created, Cue.WORK);
      }
      return Next.CONTINUE;
    }
  }

  /** Shared by all children: it has no state of one of them. */
  private static final class Child<A> implements Behavior<A> {
    private final AtomicInteger left;
    private final Finish finish;

    Child(int actors, Finish finish) {
      this.left = new AtomicInteger(actors);
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (left.decrementAndGet() == 0) {
        finish.crossed();
      }
      return Next.STOP;
    }
  }
}
