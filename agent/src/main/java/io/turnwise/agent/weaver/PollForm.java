package io.turnwise.agent.weaver;

/** How a poll is built into the code around it. */
public enum PollForm {
  /** Once each round, before the branch that closes the loop or in the handler that does. */
  PLAIN,
  /** Between strips of a counted loop that run without one, and so leave it as fast as it was. */
  STRIP,
  /** When a local counter of work done has run out: the branch back is doubled, hot and cold. */
  BUDGET,
  /** Before a call that recursion may pass. */
  CALL
}
