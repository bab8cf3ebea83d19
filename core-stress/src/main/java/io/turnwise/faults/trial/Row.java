package io.turnwise.faults.trial;

/** One kind of fault, and what must hold while it happens. */
public interface Row {
  /** What it is called on the command line, for example {@code F9}. */
  String id();

  /** What is broken, in a few words. */
  String what();

  /**
   * Runs it.
   *
   * @return the size it had, in a few words
   * @throws Exception {@link Broken} when the runtime did not hold; anything else is as bad
   */
  String run(Trial trial) throws Exception;
}
