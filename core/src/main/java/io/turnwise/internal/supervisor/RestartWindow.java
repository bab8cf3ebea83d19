package io.turnwise.internal.supervisor;

import io.turnwise.supervision.RestartLimit;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** The restarts that count together. */
final class RestartWindow {
  private final RestartLimit limit;
  private final long windowNanos;
  private final @Nullable ArrayDeque<Long> times;
  long count;

  RestartWindow(RestartLimit limit) {
    this.limit = limit;
    this.windowNanos = limit.window() == null ? 0 : limit.window().toNanos();
    this.times = limit.window() == null ? null : new ArrayDeque<>();
  }

  /** Counts a restart. Returns false when it is one too many. */
  boolean allows(long now) {
    if (limit.restarts() == Integer.MAX_VALUE) return true; // whatever it is, it is no limit
    if (times == null) return ++count <= limit.restarts();
    Long first;
    while ((first = times.peekFirst()) != null && now - first > windowNanos) times.pollFirst();
    times.add(now);
    return times.size() <= limit.restarts();
  }
}
