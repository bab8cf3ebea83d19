package io.turnwise.internal.mailbox;

import org.jspecify.annotations.Nullable;

/**
 * How far the owner of a mailbox is with its normal lane, and what it has in hand. Only the owner
 * writes; observers may look.
 *
 * <p>An object of its own, because the owner writes here for each message: beside the mailbox's
 * tail, which senders swap, the two would take the cache line from each other with every message.
 * For the same reason the envelopes of the normal lane are only read.
 */
public class Hand {
  /**
   * The envelope of the normal lane that was taken last, or null: then it is the mailbox's head, if
   * {@code pastHead}, or none.
   */
  @Nullable Envelope cursor;

  /** The message in hand, if it does not come from the normal lane. */
  @Nullable Envelope aside;

  /** In a bundle, the first place not taken yet. */
  short place;

  /** How many steps the cursor has gone since the head was last moved up to it. */
  byte steps;

  /** Whether the mailbox's head has been taken. */
  boolean pastHead;

  /** Whether a message is in hand. */
  boolean holds;
}
