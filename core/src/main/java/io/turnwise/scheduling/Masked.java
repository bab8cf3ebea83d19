package io.turnwise.scheduling;

import io.turnwise.internal.scheduler.Seat;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * A short critical section of a handler that is not to be cancelled in the middle: two writes that
 * belong together, say. A cancellation that comes meanwhile waits for its end, but no longer than
 * its limit. Being preempted is no harm, and goes on.
 *
 * {@snippet file="ApiSnippets.java" region="masked"}
 */
public final class Masked {
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private Masked() {}

  /** Runs it. Outside of actors, just so. */
  public static void run(Duration limit, Runnable section) {
    Seat seat = begin(limit);
    try {
      section.run();
    } finally {
      end(seat);
    }
    Safepoint.poll();
  }

  /** The same for a section with a result. */
  public static <T> T call(Duration limit, Callable<T> section) throws Exception {
    Seat seat = begin(limit);
    T result;
    try {
      result = section.call();
    } finally {
      end(seat);
    }
    Safepoint.poll();
    return result;
  }

  /** Returns null where there is nothing to end: outside of actors, or inside another section. */
  private static @org.jspecify.annotations.Nullable Seat begin(Duration limit) {
    if (limit == null || limit.isNegative() || limit.isZero() || limit.compareTo(LONGEST) > 0)
      throw new IllegalArgumentException(
          "Masked: the limit is " + limit + "; use a positive duration up to 1 s");
    Seat seat = Seat.current();
    return seat != null && seat.mask(limit.toNanos()) ? seat : null;
  }

  private static void end(@org.jspecify.annotations.Nullable Seat seat) {
    if (seat != null) seat.unmask();
  }
}
