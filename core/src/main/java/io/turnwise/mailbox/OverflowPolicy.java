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
   * The message that has waited longest in the lane of the new one becomes a dead letter. Where
   * nothing waits in that lane, it is the oldest of the lowest lane in which something waits.
   */
  DROP_OLDEST
}
