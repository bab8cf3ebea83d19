package io.turnwise;

/**
 * What a system does when a supervisor at the top of its tree has failed: it gave up, it crashed,
 * or it was killed. One that was told to stop, or had no more to do, has not failed.
 */
public enum RootFailure {
  /** It closes in good order, and logs why and what was left. */
  CLOSE,
  /** It says so, and the rest goes on. */
  GO_ON
}
