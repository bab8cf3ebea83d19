package io.turnwise.supervision;

/** Where a child stands with its supervisor. */
public enum ChildState {
  /** Not started yet, or to be started again: after its delay, or after those it depends on. */
  WAITING,
  /** Its constructor and its {@code init} run. */
  STARTING,
  /** It handles messages. */
  UP,
  /** It was told to stop, and will be started again or kept down. */
  STOPPING,
  /** It was told to stop for good. */
  ENDING,
  /** It has ended; its spec is kept. */
  ENDED
}
