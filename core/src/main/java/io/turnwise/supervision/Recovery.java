package io.turnwise.supervision;

/** Who is started again together with a child that failed. */
public enum Recovery {
  /** The child alone. */
  ONE,
  /** The child and all that it depends on, directly or through others. */
  UPSTREAM,
  /** The child and all that depend on it, directly or through others. */
  DOWNSTREAM,
  /** Every child. */
  ALL
}
