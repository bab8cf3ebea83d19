package io.turnwise.benchmarks.peer;

/** One-shot timers, as a peer's users would use them. */
public interface TimerSource {
  /** Calls back after the delay. Returns what {@link #cancel} wants. */
  Object schedule(long delayNanos, Runnable callback);

  /** Takes it back. */
  void cancel(Object timer);
}
