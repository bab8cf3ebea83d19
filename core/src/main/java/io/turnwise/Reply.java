package io.turnwise;

/**
 * The place where a deferred answer goes; made by {@link Context#defer}. May be kept in the actor's
 * state, handed to another thread, and used once: the first answer counts, later ones are ignored.
 * When the actor stops first, the caller is told at once.
 *
 * @param <R> the type of the reply
 */
public sealed interface Reply<R> permits io.turnwise.internal.cell.PendingCall {

  /**
   * Answers the caller. Returns false when nobody waits, or no longer: the request was answered,
   * has timed out, or was sent with {@link ActorRef#cast}.
   */
  boolean send(R value);

  /**
   * Fails the call: the caller gets a {@link CalleeFailedException} with this cause. Returns false
   * when nobody waits for it.
   */
  boolean fail(Throwable cause);
}
