package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * From Go's own tests: loops that hand a token on by spinning, each in a handler that does not come
 * back. With fewer workers than loops, it goes on only if who waits can be stopped; with as many,
 * only if all of them run at once.
 */
final class SpinningToken implements Workload {
  /** As many loops as cores. */
  static final int ONE_PER_CORE = 0;

  private static final int ROUNDS = 50;
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private final int loops;

  SpinningToken(int loops) {
    this.loops = loops;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int spinners = loops == ONE_PER_CORE ? stage.cores() : loops;
    int handOvers = stage.scaled(ROUNDS, 1) * spinners;
    Token token = new Token(handOvers);
    long start = System.nanoTime();
    List<A> all = new ArrayList<>(); // created before the first begins: it may not let others in
    for (int i = 0; i < spinners; i++) {
      all.add(stage.runtime().spawn(new Spinner<>(token, i, spinners)));
    }
    all.forEach(spinner -> stage.runtime().send(spinner, Cue.GO));
    long limit = stage.scaled(LIMIT, Duration.ofMillis(500)).toNanos();
    while (token.at < handOvers && System.nanoTime() - start < limit) {
      Thread.sleep(1);
    }
    int done = token.at;
    double millis = (System.nanoTime() - start) / 1e6;
    token.over = true;
    return new Measurement(handOvers, done < handOvers ? Double.NaN : millis / handOvers)
        .with("unhandled", handOvers - done);
  }

  private static final class Token {
    private final int last;
    private volatile int at;
    private volatile boolean over;

    Token(int last) {
      this.last = last;
    }
  }

  private record Spinner<A>(Token token, int place, int spinners) implements Behavior<A> {
    @Override
    public Next receive(Object message, Self<A> self) {
      while (!token.over) {
        int at = token.at;
        if (at >= token.last) {
          return Next.STOP;
        }
        if (at % spinners == place) {
          token.at = at + 1; // only who has the token writes
        }
      }
      return Next.STOP;
    }
  }
}
