package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.util.ArrayList;
import java.util.List;

/** Many producers, one consumer that counts. Producers send in bursts and are fair in between. */
final class FanIn implements Workload {
  private static final int MESSAGES = 10_000_000;
  private static final int BURST = 100;

  private final int producers;

  FanIn(int producers) {
    this.producers = producers;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int each = stage.scaled(MESSAGES, 10 * producers) / producers;
    int total = each * producers;
    Finish finish = stage.finish(1);
    A consumer = stage.runtime().spawn(new Consumer<>(total, finish));
    List<A> addresses = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      addresses.add(stage.runtime().spawn(new Producer<>(consumer, each)));
    }

    long start = System.nanoTime();
    addresses.forEach(producer -> stage.runtime().send(producer, Cue.GO));
    finish.await();
    return Measurement.perSecond(total, total, System.nanoTime() - start);
  }

  /** Ends with the last message; if one is lost, it never ends and the wait for it fails. */
  private static final class Consumer<A> implements Behavior<A> {
    private final Finish finish;
    private int left;

    Consumer(int total, Finish finish) {
      this.left = total;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (--left > 0) {
        return Next.CONTINUE;
      }
      finish.crossed();
      return Next.STOP;
    }
  }

  private static final class Producer<A> implements Behavior<A> {
    private final A consumer;
    private int left;

    Producer(A consumer, int messages) {
      this.consumer = consumer;
      this.left = messages;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      int burst = Math.min(BURST, left);
      for (int i = 0; i < burst; i++) {
        self.send(consumer, Cue.WORK);
      }
      left -= burst;
      if (left == 0) {
        return Next.STOP;
      }
      self.send(self.address(), Cue.GO);
      return Next.CONTINUE;
    }
  }
}
