package io.turnwise.mailbox;

/**
 * The lane a message travels in. Signals of the runtime come before all of them.
 *
 * <p>A higher lane goes first, but not for ever: while the normal lane waits, at most 16 messages
 * in a row are taken from the high one; while the low lane waits, at most 16 in a row from the two
 * above it. Order between two actors is kept within a lane, not across lanes.
 */
public enum Priority {
  HIGH,
  NORMAL,
  LOW
}
