package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * From Go's own tests: two senders flood a receiver without end; a signal after 20 ms must be seen
 * all the same. How late is it?
 */
final class TimerInAFlood implements Workload {
  private static final long DUE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int BURST = 100;
  private static final long LIMIT_MILLIS = 5_000;

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    AtomicLong seenAt = new AtomicLong();
    CountDownLatch seen = new CountDownLatch(1);
    A listener =
        stage
            .runtime()
            .spawn(
                (message, self) -> {
                  seenAt.set(System.nanoTime());
                  seen.countDown();
                  return Next.STOP;
                });
    A sink = stage.runtime().spawn((message, self) -> Next.CONTINUE);
    Sender<A> one = new Sender<>(sink);
    Sender<A> other = new Sender<>(sink);
    List<A> senders = List.of(stage.runtime().spawn(one), stage.runtime().spawn(other));
    senders.forEach(sender -> stage.runtime().send(sender, Cue.GO));
    long due = System.nanoTime() + DUE_NANOS;
    for (long left = DUE_NANOS; left > 0; left = due - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    stage.runtime().send(listener, Cue.GO);
    boolean inTime = seen.await(LIMIT_MILLIS / stage.scale() + 500, TimeUnit.MILLISECONDS);
    one.over = true;
    other.over = true;
    stage.runtime().stop(sink);
    return new Measurement(1, inTime ? (seenAt.get() - due) / 1e6 : Double.NaN)
        .with("unhandled", inTime ? 0 : 1);
  }

  private static final class Sender<A> implements Behavior<A> {
    private final A sink;
    private volatile boolean over;

    Sender(A sink) {
      this.sink = sink;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (over) {
        return Next.STOP;
      }
      for (int i = 0; i < BURST; i++) {
        self.send(sink, Cue.WORK);
      }
      self.send(self.address(), Cue.GO);
      return Next.CONTINUE;
    }
  }
}
