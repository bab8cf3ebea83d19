package io.turnwise.scheduling;

/** The kind of thread an actor's turns run on. */
public enum Backend {
  /** The workers of its dispatcher, on lent fibers. For nearly everything, blocking included. */
  ASYNC,
  /** Platform threads that come and go with demand, 1,024 at most. For native calls that block. */
  BLOCKING,
  /** One platform thread of its own, for as long as the actor lives. */
  THREAD
}
