package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.ActorRuntime;
import io.turnwise.benchmarks.peer.Peer;
import java.time.Duration;

/**
 * Where a workload runs: an open peer, and how large the workload is to be.
 *
 * @param peer which peer it is
 * @param runtime the peer, open
 * @param workers how many workers it was given, 0 when the choice was left to the peer
 * @param scale what sizes and durations are divided by; 1 for real measurements
 * @param failures where the runtime reports behaviours that threw
 * @param <A> the peer's actor address
 */
public record Stage<A>(
    Peer peer, ActorRuntime<A> runtime, int workers, int scale, Failures failures) {

  public Stage {
    if (scale < 1) {
      throw new IllegalArgumentException(
          "Stage.scale is " + scale + "; use 1 for full sizes, or what to divide them by");
    }
  }

  /** A size, divided by the scale, at least {@code atLeast}. */
  int scaled(int size, int atLeast) {
    return Math.max(atLeast, size / scale);
  }

  /** A duration, divided by the scale, at least {@code atLeast}. */
  Duration scaled(Duration duration, Duration atLeast) {
    Duration divided = duration.dividedBy(scale);
    return divided.compareTo(atLeast) < 0 ? atLeast : divided;
  }

  Finish finish(int expected) {
    return new Finish(expected, failures);
  }

  /** As many as it has, of a peer that has as many as cores unless it is told. */
  int workersInUse() {
    return workers == 0 ? cores() : workers;
  }

  int cores() {
    return Runtime.getRuntime().availableProcessors();
  }
}
