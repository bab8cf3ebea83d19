package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;

/**
 * What a message costs among few and among very many actors: a fixed number of tokens wander at
 * random, so only the number of actors differs from one size to the next.
 */
final class Scaling implements Workload {
  private static final int HOPS = 5_000_000;
  private static final int TOKENS = 1_000;

  private final int actors;

  Scaling(int actors) {
    this.actors = actors;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int population = stage.scaled(actors, 10);
    int hopsEach = stage.scaled(HOPS, 10 * TOKENS) / TOKENS;
    Finish built = stage.finish(population);
    Finish finish = stage.finish(TOKENS);
    Object[] addresses = new Object[population];
    Wanderers<A> wanderers = new Wanderers<>(addresses, built, finish);
    A parent = stage.runtime().spawn(parent(wanderers, addresses));
    stage.runtime().send(parent, Cue.GO);
    built.await();

    long start = System.nanoTime();
    for (int seed = 1; seed <= TOKENS; seed++) {
      Token token = new Token(seed, hopsEach);
      stage.runtime().send(wanderers.next(token), token);
    }
    finish.await();
    double nanos = System.nanoTime() - start;

    for (int i = 0; i < population; i++) {
      stage.runtime().stop(wanderers.at(i));
    }
    stage.runtime().stop(parent);
    long messages = (long) TOKENS * hopsEach;
    return new Measurement(messages, nanos / messages).with("actors", population);
  }

  /** Creates all of them from inside, where every peer is quickest at it, and gets them going. */
  private static <A> Behavior<A> parent(Behavior<A> child, Object[] addresses) {
    return (message, self) -> {
      for (int i = 0; i < addresses.length; i++) {
        A address = self.spawn(child);
        addresses[i] = address;
        self.send(address, Cue.GO);
      }
      return Next.CONTINUE;
    };
  }

  /** Carries its own randomness, so that senders share nothing and every run goes the same way. */
  private static final class Token {
    private long state;
    private int left;

    Token(long seed, int hops) {
      this.state = seed;
      this.left = hops;
    }

    /** A linear congruential step; its upper bits choose among {@code bound}. */
    int draw(int bound) {
      state = state * 6364136223846793005L + 1442695040888963407L;
      return (int) (((state >>> 32) * bound) >>> 32);
    }
  }

  /** The behaviour of all of them at once: they have no state but the table of addresses. */
  private record Wanderers<A>(Object[] addresses, Finish built, Finish finish)
      implements Behavior<A> {
    @Override
    public Next receive(Object message, Self<A> self) {
      if (message == Cue.GO) {
        built.crossed();
        return Next.CONTINUE;
      }
      Token token = (Token) message;
      if (--token.left == 0) {
        finish.crossed();
      } else {
        self.send(next(token), token);
      }
      return Next.CONTINUE;
    }

    A next(Token token) {
      return at(token.draw(addresses.length));
    }

    @SuppressWarnings("unchecked") // the parent put nothing else in
    A at(int place) {
      return (A) addresses[place];
    }
  }
}
