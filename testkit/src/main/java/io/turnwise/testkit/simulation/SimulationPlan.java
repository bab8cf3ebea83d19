package io.turnwise.testkit.simulation;

import io.turnwise.SystemConfig;
import java.util.Objects;

/**
 * The settings of a simulation.
 *
 * @param strategy how it chooses what happens next
 * @param system the settings of the system in it; its workers are one, its slices one message
 * @param maxTurns after so many slices it is taken for one that never ends
 * @param preempts whether turns are stopped in the middle, at polls of woven code
 * @param shrinks whether a run that fails is made as short as possible
 * @param inputOutput whether its code may use files, sockets, processes and the keyboard; what
 *     comes from there is decided by no seed
 */
public record SimulationPlan(
    Strategy strategy,
    SystemConfig system,
    int maxTurns,
    boolean preempts,
    boolean shrinks,
    boolean inputOutput) {
  /**
   * Random walk, up to a million turns, turns stopped anywhere, failures made short, no input and
   * output.
   */
  public static final SimulationPlan DEFAULT =
      new SimulationPlan(
          Strategy.RANDOM,
          SystemConfig.DEFAULT.withCloseOnShutdown(false),
          1_000_000,
          true,
          true,
          false);

  public SimulationPlan {
    Objects.requireNonNull(strategy, "the strategy is null");
    Objects.requireNonNull(system, "the settings of the system are null");
    if (maxTurns < 1)
      throw new IllegalArgumentException("maxTurns is " + maxTurns + "; use 1 or more");
  }

  public SimulationPlan withStrategy(Strategy next) {
    return new SimulationPlan(next, system, maxTurns, preempts, shrinks, inputOutput);
  }

  public SimulationPlan withSystem(SystemConfig next) {
    return new SimulationPlan(strategy, next, maxTurns, preempts, shrinks, inputOutput);
  }

  public SimulationPlan withMaxTurns(int next) {
    return new SimulationPlan(strategy, system, next, preempts, shrinks, inputOutput);
  }

  public SimulationPlan withPreempts(boolean next) {
    return new SimulationPlan(strategy, system, maxTurns, next, shrinks, inputOutput);
  }

  public SimulationPlan withShrinks(boolean next) {
    return new SimulationPlan(strategy, system, maxTurns, preempts, next, inputOutput);
  }

  public SimulationPlan withInputOutput(boolean next) {
    return new SimulationPlan(strategy, system, maxTurns, preempts, shrinks, next);
  }
}
