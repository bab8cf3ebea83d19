package io.turnwise;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Endless loops on one worker, until so much time has passed in all. They stop at the poll at the
 * end of each step, and nowhere else, wherever tests are woven: see {@link Unwoven}. They write
 * into the same books.
 */
final class Race {
  static final Duration STEP = Duration.ofNanos(100_000);

  private final long limit;
  final Map<String, Long> used = new TreeMap<>();
  long passed;
  private long sinceTick;

  Race(Duration limit) {
    this.limit = limit.toNanos();
  }

  Supplier<Actor<String>> hog(ManualSystem kit, String group) {
    return () ->
        (_, _) -> {
          while (goesOn()) {
            passed += STEP.toNanos();
            sinceTick += STEP.toNanos();
            used.merge(group, STEP.toNanos(), Long::sum);
            if (sinceTick >= 1_000_000) {
              sinceTick = 0;
              kit.passAndTick(STEP);
            } else {
              kit.pass(STEP);
            }
            Safepoint.poll();
          }
        };
  }

  boolean goesOn() {
    return passed < limit;
  }

  /** Nobody can run: a millisecond passes. Returns whether there is another beat after it. */
  boolean waits(ManualSystem kit) {
    passed += 1_000_000;
    sinceTick = 0;
    return kit.passAndTick(Duration.ofMillis(1));
  }

  double share(String group) {
    return (double) used.get(group) / passed;
  }
}
