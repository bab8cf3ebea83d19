package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.result.Measurement;

/** Something to measure. Called once per repetition; leaves no living actor behind. */
@FunctionalInterface
public interface Workload {
  /**
   * Runs one repetition.
   *
   * @throws WrongResultException when the peer did not do the work it was given
   */
  <A> Measurement run(Stage<A> stage) throws Exception;
}
