package io.turnwise.agent.weaver;

/** What a redirected call is about. */
public enum RedirectKind {
  CLOCK,
  SLEEP,
  /** What is to happen later, on another thread. */
  TIMER,
  /** What runs on the common pool unless told otherwise. */
  POOL,
  RANDOMNESS,
  /** The order of immutable sets and maps, which is another in each JVM. */
  ORDER,
  /** Identity hash codes: cannot be made the same in each run, but can be noticed. */
  IDENTITY,
  /** Files, sockets, processes, the keyboard: whether that is allowed is asked before. */
  INPUT_OUTPUT,
  /** Threads outside of any simulation, and what is counted for all of the JVM: noticed as well. */
  OUTSIDE
}
