package io.turnwise.supervision;

/** After which ends a child is started again. */
public enum RestartType {
  /** After every end that its supervisor did not order. */
  PERMANENT,
  /** After a crash or a kill; not after it has stopped in good order. */
  TRANSIENT,
  /** Never. Its spec is forgotten when it has ended. */
  TEMPORARY
}
