package io.turnwise;

import io.turnwise.observation.WorkerLoad;
import io.turnwise.scheduling.SchedulingConfig;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A set of workers with its own queues. Actors of one dispatcher never wait for those of another.
 */
public sealed interface Dispatcher permits io.turnwise.internal.cell.WorkerDispatcher {
  /** {@code default}, or the name the configuration gave it. */
  String name();

  /** How many workers run now. */
  int workers();

  /**
   * Grows or shrinks the set while it runs. A removed worker's actors move to the others. Does not
   * wait: a removed worker ends after the turn in hand, which is asked to stop and goes on
   * elsewhere; if that is in code that cannot be stopped, only after that. If it is wanted again
   * before, it stays.
   *
   * @throws IllegalArgumentException unless it is 1 to {@link SystemConfig#MAX_WORKERS}
   * @throws IllegalStateException when the system is closed
   */
  void resize(int workers);

  /** The scheduling of actors that bring none of their own. */
  SchedulingConfig scheduling();

  /**
   * Changes it while running; slices that have begun keep what they began with. Of changes made at
   * the same time none is lost: one that meets another is applied again, to what that one made.
   *
   * @throws IllegalStateException when the system is closed
   * @throws IllegalArgumentException when the result has a {@link
   *     io.turnwise.scheduling.ShareGroup}: that is for actors, by their specs
   */
  void configure(UnaryOperator<SchedulingConfig> change);

  /** The load of each worker, as last published by itself. */
  List<WorkerLoad> loads();
}
