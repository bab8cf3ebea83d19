package io.turnwise.testkit.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * By what a failure is known again in another run, whose texts may tell of other numbers: its
 * types, and the way through the code that is tried to where it was thrown. A test that can fail in
 * two places would else be shortened to the one that fails more easily, and the seed's own failure
 * would never be seen.
 *
 * @param types of the failure and its causes
 * @param way the frames, those of the JDK and the runtime left out; empty where the JVM does not
 *     tell
 */
record Fingerprint(List<String> types, List<String> way) {
  private static final int DEEPEST = 8;

  /** Their lines depend on what else happened. */
  private static final List<String> NOT_OF_THE_CODE =
      List.of("java.", "javax.", "jdk.", "sun.", "io.turnwise.internal.", "io.turnwise.weaving.");

  /** Below it is whoever lends the thread. */
  private static final String BEGIN = Simulation.Run.class.getName();

  static Fingerprint of(Throwable failure) {
    List<String> types = new ArrayList<>();
    @Nullable Throwable next = failure;
    for (; next != null && types.size() < DEEPEST; next = next.getCause())
      types.add(next.getClass().getName());
    return new Fingerprint(types, way(failure.getStackTrace()));
  }

  private static List<String> way(StackTraceElement[] frames) {
    List<String> way = new ArrayList<>();
    for (StackTraceElement frame : frames) {
      String type = frame.getClassName();
      if (type.equals(BEGIN)) return way;
      if (NOT_OF_THE_CODE.stream().noneMatch(type::startsWith))
        way.add(type + "." + frame.getMethodName() + ":" + frame.getLineNumber());
    }
    return List.of(); // thrown by another thread, or found by the simulation itself
  }

  /** Whether it may be the same failure. */
  boolean isLike(Fingerprint other) {
    return types.equals(other.types)
        && (way.isEmpty() || other.way.isEmpty() || way.equals(other.way));
  }
}
