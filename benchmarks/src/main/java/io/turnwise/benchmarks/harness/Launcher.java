package io.turnwise.benchmarks.harness;

import java.util.List;
import java.util.Optional;

/** Knows how a peer's process is started. */
interface Launcher {
  /** Gets ready; says what is missing if the peer cannot run here. Called once, first. */
  Optional<String> prepare();

  List<String> command(RunOrder order);
}
