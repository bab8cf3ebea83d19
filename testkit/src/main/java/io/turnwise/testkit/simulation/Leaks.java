package io.turnwise.testkit.simulation;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * What the code of a run has used that differs from run to run. Also told by threads outside: that
 * they have a hand in it is such a thing.
 */
final class Leaks {
  private static final Set<String> KEPT = new ConcurrentSkipListSet<>();

  // Guarded by this.
  private final Map<String, Long> firstTurns = new LinkedHashMap<>();

  /** Returns false if that was known. */
  synchronized boolean add(String what, long turn) {
    return firstTurns.putIfAbsent(what, turn) == null;
  }

  /** A class initialiser used it, in the run that came first: all others see what came of it. */
  static void keep(String what) {
    KEPT.add(what);
  }

  /** A line each, the first one first; empty: none was seen. */
  synchronized String describe(String before) {
    var text = new StringBuilder();
    firstTurns.forEach(
        (what, turn) -> text.append(before).append(what).append(", first in turn ").append(turn));
    return text.toString();
  }

  /** The same of what earlier runs have left behind for all. */
  static String describeKept(String before) {
    var text = new StringBuilder();
    for (String what : KEPT)
      text.append(before).append(what).append(", once, when a class was initialised");
    return text.toString();
  }
}
