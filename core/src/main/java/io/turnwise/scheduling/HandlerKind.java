package io.turnwise.scheduling;

/** What a handler is called for. */
public enum HandlerKind {
  /** The factory and {@code init}. */
  INIT,
  /** {@code receive}, for a message whose sender waits for an answer. */
  CALL,
  /** {@code receive}, for any other message. */
  CAST,
  /** {@code info}. */
  INFO,
  /** {@code teardown}. */
  TEARDOWN
}
