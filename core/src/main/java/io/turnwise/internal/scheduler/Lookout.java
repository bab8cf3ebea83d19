package io.turnwise.internal.scheduler;

import java.util.function.BooleanSupplier;

/**
 * A time that one of the idle workers looks out for while it sleeps, because it brings work. Others
 * look out for it as well: a worker is only who needs not be woken.
 */
public interface Lookout {
  /** By each worker's thread, before it looks out for the first time. */
  void prepare();

  /** Whether there is anything to look out for. */
  boolean isNeeded();

  /**
   * Sleeps until the time has come or the thread is woken, and spins at most for the last
   * microseconds, while it is asleep. Returns whether the time has come.
   */
  boolean sleep(Object parkReason, BooleanSupplier asleep);

  /**
   * The time has come, and the worker is awake: brings the work. Throws nothing, and waits for
   * nothing: who holds what it waited for might be a fiber that only this worker could run.
   */
  void ring();
}
