package io.turnwise;

/** What a system does when a supervisor at the top of its tree has given up. */
public enum RootFailure {
  /** It closes in good order, and logs why and what was left. */
  CLOSE,
  /** It says so, and the rest goes on. */
  GO_ON
}
