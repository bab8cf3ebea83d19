package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.util.ArrayList;
import java.util.List;

/** A thousand actors in a ring and one token that is handed on. */
final class Ring implements Workload {
  private static final int NODES = 1_000;
  private static final int HOPS = 2_000_000;

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int hops = stage.scaled(HOPS, 2 * NODES + 1);
    Finish finish = stage.finish(1);
    List<Node<A>> nodes = new ArrayList<>();
    List<A> addresses = new ArrayList<>();
    for (int place = 0; place < NODES; place++) {
      nodes.add(new Node<>(place, finish));
      addresses.add(stage.runtime().spawn(nodes.get(place)));
    }
    for (int place = 0; place < NODES; place++) {
      nodes.get(place).next = addresses.get((place + 1) % NODES);
    }

    Token token = new Token(hops);
    long start = System.nanoTime();
    stage.runtime().send(addresses.getFirst(), token);
    finish.await();
    long nanos = System.nanoTime() - start;

    WrongResultException.unlessEqual("place where the token ended", hops % NODES, token.endedAt);
    addresses.forEach(stage.runtime()::stop);
    return Measurement.perSecond(hops, hops, nanos);
  }

  private static final class Token {
    private int left;
    private int endedAt = -1;

    Token(int hops) {
      this.left = hops;
    }
  }

  private static final class Node<A> implements Behavior<A> {
    private final int place;
    private final Finish finish;

    @SuppressWarnings("NullAway.Init") // set before the token starts, which publishes it
    A next;

    Node(int place, Finish finish) {
      this.place = place;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      Token token = (Token) message;
      if (token.left-- == 0) {
        token.endedAt = place;
        finish.crossed();
      } else {
        self.send(next, token);
      }
      return Next.CONTINUE;
    }
  }
}
