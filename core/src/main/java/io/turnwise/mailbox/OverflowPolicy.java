package io.turnwise.mailbox;

/** What a full mailbox does with one message more. */
public enum OverflowPolicy {
  /**
   * The sender waits for room: an actor's fiber or a plain thread, never a worker. Actors that
   * would wait for each other in a circle fail with {@link MailboxDeadlockException} instead.
   */
  WAIT,
  /** The send throws {@link MailboxFullException}. */
  FAIL,
  /** The new message becomes a dead letter. */
  DROP_NEWEST,
  /**
   * The oldest message of the lowest lane in which something waits becomes a dead letter. Nothing
   * makes room for a message of a lower lane: where all that waits is above the new message, the
   * new one becomes the dead letter.
   */
  DROP_OLDEST
}
