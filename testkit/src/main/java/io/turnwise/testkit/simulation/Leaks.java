package io.turnwise.testkit.simulation;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What the code of a run has used that differs from run to run. Also told by threads outside: that
 * they have a hand in it is such a thing.
 */
final class Leaks {
  // Guarded by this.
  private final Map<String, Long> firstTurns = new LinkedHashMap<>();

  synchronized void add(String what, long turn) {
    firstTurns.putIfAbsent(what, turn);
  }

  /** A line each, the first one first; empty: none was seen. */
  synchronized String describe(String before) {
    var text = new StringBuilder();
    firstTurns.forEach(
        (what, turn) -> text.append(before).append(what).append(", first in turn ").append(turn));
    return text.toString();
  }
}
