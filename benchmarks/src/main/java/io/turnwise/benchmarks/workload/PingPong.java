package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;

/** Two actors and one message that goes to and fro between them. */
final class PingPong implements Workload {
  private static final int ROUND_TRIPS = 2_000_000;

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int rounds = stage.scaled(ROUND_TRIPS, 100);
    Finish finish = stage.finish(1);
    Pong<A> pong = new Pong<>();
    A pongAddress = stage.runtime().spawn(pong);
    pong.ping = stage.runtime().spawn(new Ping<>(pongAddress, rounds, finish));

    long start = System.nanoTime();
    stage.runtime().send(pong.ping, Cue.GO);
    finish.await();
    long nanos = System.nanoTime() - start;

    WrongResultException.unlessEqual("messages that pong received", rounds, pong.received);
    stage.runtime().stop(pongAddress);
    return Measurement.perSecond(rounds, 2L * rounds, nanos);
  }

  private static final class Ping<A> implements Behavior<A> {
    private final A pong;
    private final Finish finish;
    private int left;

    Ping(A pong, int rounds, Finish finish) {
      this.pong = pong;
      this.left = rounds;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (message == Cue.WORK && --left == 0) {
        finish.crossed();
        return Next.STOP;
      }
      self.send(pong, Cue.WORK);
      return Next.CONTINUE;
    }
  }

  private static final class Pong<A> implements Behavior<A> {
    @SuppressWarnings("NullAway.Init") // set before the first message, which publishes it
    A ping;

    int received;

    @Override
    public Next receive(Object message, Self<A> self) {
      received++;
      self.send(ping, Cue.WORK);
      return Next.CONTINUE;
    }
  }
}
