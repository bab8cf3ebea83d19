package io.turnwise.benchmarks.peer;

import java.util.function.Consumer;

/**
 * How to open a peer in this JVM.
 *
 * @param workers how many worker threads; {@link #PEERS_CHOICE} leaves it to the peer
 * @param onFailure told when a behaviour throws, which no workload expects
 */
public record RuntimeSettings(int workers, Consumer<Throwable> onFailure) {
  /** The value of {@code workers} that leaves the number to the peer's defaults. */
  public static final int PEERS_CHOICE = 0;

  public RuntimeSettings {
    if (workers < 0) {
      throw new IllegalArgumentException(
          "RuntimeSettings.workers is " + workers + "; use 0 for the peer's default, or a count");
    }
  }

  int workersOr(int otherwise) {
    return workers == PEERS_CHOICE ? otherwise : workers;
  }
}
