package io.turnwise.testkit.simulation;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Where runs with the same seed part. */
final class Difference {
  private static final int RUNS = 8;

  private Difference() {}

  /**
   * Runs it again some times, and tells the first step that was another.
   *
   * @param runs a new run with the same choices each time, which tells its story
   */
  static String find(Supplier<Simulation.Run> runs) {
    Simulation.Run first = null;
    for (int i = 0; i < RUNS; i++) {
      Simulation.Run next = runs.get();
      next.go();
      if (first == null) first = next;
      else if (next.hash() != first.hash()) return between(first, next);
    }
    return "\n  where:  in "
        + RUNS
        + " more runs it did not differ again: maybe by what happens once in a JVM, such as the"
        + " initialiser of a class"
        + seen(first);
  }

  private static String between(Simulation.Run one, Simulation.Run other) {
    List<Story.Step> left = one.steps();
    List<Story.Step> right = other.steps();
    int same = 0;
    while (same < left.size() && same < right.size() && left.get(same).equals(right.get(same)))
      same++;
    var text = new StringBuilder("\n  where:  ");
    int alike = 0;
    while (alike < same && one.marks().get(alike).equals(other.marks().get(alike))) alike++;
    if (alike < same) {
      text.append("at ").append(left.get(alike));
      text.append("\n          what that message holds, or what was answered or chosen since the")
          .append(" step before, is one thing one time and another thing another time");
    } else if (same == left.size() && same == right.size()) {
      text.append("in no step that is told, but in what was answered or chosen after them");
    } else {
      if (same > 0) text.append("after ").append(left.get(same - 1)).append("\n          ");
      text.append("one time ").append(same < left.size() ? left.get(same) : "it was over");
      text.append("\n          another ")
          .append(same < right.size() ? right.get(same) : "it was over");
    }
    return text.append(seen(other)).toString();
  }

  private static String seen(Simulation.@Nullable Run run) {
    String leaks = Objects.requireNonNull(run).leaks();
    String own =
        leaks.isEmpty()
            ? "\n  likely: what nobody could notice: clocks and chance in code that is not woven or is called"
                + " by reflection, threads of your own, what one run leaves behind for the next in static"
                + " fields, the order of sets of objects without a hashCode"
            : "\n  likely:" + leaks;
    return own + Leaks.describeKept("\n          ");
  }
}
