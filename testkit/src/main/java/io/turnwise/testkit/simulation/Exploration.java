package io.turnwise.testkit.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of trying every schedule of a small system.
 *
 * @param runs how many were tried
 * @param complete whether these were all, within the bounds
 */
public record Exploration(long runs, boolean complete) {
  /**
   * Takes each way in turn, the last choice first. Choices beyond the depth, and stops beyond so
   * many polls, are not tried.
   */
  static final class Odometer extends Chooser {
    private final Schedule begin;
    private final int depth;
    private final int mostPolls;
    private final Schedule taken = new Schedule();
    private final Schedule ways = new Schedule();

    Odometer(Schedule begin, int depth, int mostPolls) {
      this.begin = begin;
      this.depth = depth;
      this.mostPolls = mostPolls;
    }

    @Override
    int next(List<?> ready, int window) {
      return of(window);
    }

    @Override
    int polls() {
      return of(mostPolls + 1);
    }

    @Override
    int of(int count) {
      int choice = begin.at(taken.size()) % count;
      taken.add(choice);
      ways.add(count);
      return choice;
    }

    /** Where the next run begins, or null: this was the last. */
    @Nullable Schedule next() {
      for (int i = Math.min(depth, taken.size()) - 1; i >= 0; i--) {
        if (taken.at(i) + 1 >= ways.at(i)) continue;
        var next = new Schedule();
        for (int j = 0; j < i; j++) next.add(taken.at(j));
        next.add(taken.at(i) + 1);
        return next;
      }
      return null;
    }
  }
}
