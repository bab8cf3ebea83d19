package io.turnwise.observation;

/** Why a message was not handled. */
public enum DeadLetterReason {
  /** Its recipient had stopped before it was sent. */
  RECIPIENT_STOPPED,
  /** It was queued or stashed when its recipient stopped. */
  LEFT_BEHIND,
  /** Its recipient's mailbox was full, and the policy drops the newest. */
  DROPPED_NEWEST,
  /** Its recipient's mailbox was full, and the policy drops the oldest. */
  DROPPED_OLDEST,
  /** Its recipient was down and waited for its restart, with as many messages as its spec keeps. */
  HELD_TOO_MANY,
  /** Its handler failed as often as its recipient's spec lets it be tried. */
  POISON,
  /** It is not of the type its recipient handles. */
  WRONG_TYPE,
  /** The system was closed and its deadline had passed. */
  SYSTEM_CLOSED
}
