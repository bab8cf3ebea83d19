package io.turnwise.testkit.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Chooses, by a strategy. Zero is what would happen if nobody chose. */
abstract class Chooser {
  /** Which of the first tasks that can run goes next. More than one. */
  abstract int next(List<?> ready, int window);

  /** After how many polls the slice that begins is stopped; zero: not at all. */
  abstract int polls();

  /** One of so many ways, the first of which is the plain one. */
  abstract int of(int ways);

  static Chooser of(Strategy strategy, long seed) {
    return switch (strategy) {
      case Strategy.RandomWalk _ -> new Walk(seed);
      case Strategy.RankChanges(int changes, int turns) -> new Ranks(seed, changes, turns);
      case Strategy.Replay(String schedule) -> new Again(Schedule.parse(schedule));
    };
  }

  private static class Walk extends Chooser {
    final SplittableRandom random;

    Walk(long seed) {
      random = new SplittableRandom(seed);
    }

    @Override
    int next(List<?> ready, int window) {
      return random.nextInt(window);
    }

    /** Half of the slices run to their end; of the others more are stopped early than late. */
    @Override
    int polls() {
      int bits = random.nextInt();
      return bits < 0 ? 0 : 1 + (random.nextInt() >>> 1) % (1 << (1 + (bits & 7)));
    }

    @Override
    int of(int ways) {
      return random.nextInt(ways);
    }
  }

  /**
   * Probabilistic concurrency testing. Each change has a rank of its own below all that are drawn,
   * and the changes are in no order of time: so who was lowered first may go before or after who
   * was lowered later. If the later one were always the lower, some orders would never be taken.
   */
  private static final class Ranks extends Walk {
    private final Map<Object, Integer> ranks = new HashMap<>();
    private final int[] moments;
    private int turn;

    Ranks(long seed, int changes, int turns) {
      super(seed);
      moments = random.ints(changes, 0, turns).toArray();
    }

    @Override
    int next(List<?> ready, int window) {
      int best = 0;
      for (int i = 1; i < window; i++) if (rank(ready.get(i)) > rank(ready.get(best))) best = i;
      for (int i = 0; i < moments.length; i++)
        if (moments[i] == turn) ranks.put(ready.get(best), -1 - i);
      turn++;
      int after = 0;
      for (int i = 1; i < window; i++) if (rank(ready.get(i)) > rank(ready.get(after))) after = i;
      return after;
    }

    private int rank(Object task) {
      return ranks.computeIfAbsent(task, _ -> random.nextInt() >>> 1);
    }
  }

  /** What somebody chose before. Where there are fewer ways now, one of these. */
  static final class Again extends Chooser {
    private final Schedule schedule;
    private int at;

    Again(Schedule schedule) {
      this.schedule = schedule;
    }

    @Override
    int next(List<?> ready, int window) {
      return schedule.at(at++) % window;
    }

    @Override
    int polls() {
      return schedule.at(at++);
    }

    @Override
    int of(int ways) {
      return schedule.at(at++) % ways;
    }
  }
}
