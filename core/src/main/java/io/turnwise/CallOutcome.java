package io.turnwise;

/**
 * How a call ended, as data: what {@link Context#callToSelf} turns into a message.
 *
 * @param <R> the type of the reply
 */
public sealed interface CallOutcome<R> {
  /** The callee answered. The value is null where the callee replied null. */
  record Answered<R>(R value) implements CallOutcome<R> {}

  /** No answer: timed out, stopped, crashed or refused. The cause says which. */
  record Failed<R>(Throwable cause) implements CallOutcome<R> {}
}
