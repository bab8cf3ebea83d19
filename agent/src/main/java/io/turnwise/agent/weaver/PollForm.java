package io.turnwise.agent.weaver;

/** How a poll is built into the code around it. */
public enum PollForm {
  /** Once each round, before the branch that closes the loop or in the handler that does. */
  PLAIN,
  /** Before a call that recursion may pass. */
  CALL
}
