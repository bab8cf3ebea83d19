package io.turnwise.benchmarks.peer;

/** Plain tasks: no mailbox, no address, each runs once. */
@FunctionalInterface
public interface TaskPool {
  /** Runs the task soon. From a plain thread or from inside another task. */
  void execute(Runnable task);
}
