package io.turnwise.supervision;

/** What becomes of a child whose handler threw. */
public enum FailureAction {
  /** It is started again, by its {@link RestartType}, with a fresh state. */
  RESTART,
  /**
   * It goes on with the next message and keeps its state, its stash, its links and its children.
   * Not counted as a restart. The message that failed is done with, whatever {@link
   * ChildSpec#tries} says: on the state that it has half changed it is not tried again. Where the
   * constructor or {@code init} failed, or the handler had to be left behind, there is no state to
   * keep, and this is {@link #RESTART}.
   */
  RESUME,
  /** It ends for good. */
  STOP,
  /** Its supervisor fails with it. */
  ESCALATE
}
