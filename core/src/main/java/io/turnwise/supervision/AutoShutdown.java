package io.turnwise.supervision;

/** Whether a supervisor stops when children that it is there for have ended by themselves. */
public enum AutoShutdown {
  /** It does not. */
  NEVER,
  /** When one significant child has ended. */
  ANY_SIGNIFICANT,
  /** When the last significant child has ended. */
  ALL_SIGNIFICANT
}
