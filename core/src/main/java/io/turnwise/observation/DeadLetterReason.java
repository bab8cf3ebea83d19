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
  /** It is not of the type its recipient handles. */
  WRONG_TYPE,
  /** The system was closed and its deadline had passed. */
  SYSTEM_CLOSED
}
