package io.turnwise.internal.mailbox;

/** The call that a request belongs to. Once it is over, nobody wants room for the request. */
public interface TimedRequest {
  /**
   * Whether it is over. Once true, it stays true; always false where nobody waits for an answer.
   */
  boolean isWithdrawn();

  /** The sender waits for room: from now on it is told when the call is over. It looks after. */
  void beginWait(Runnable sender);

  /** This sender waits no more. */
  void endWait(Runnable sender);
}
