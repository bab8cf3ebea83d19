package io.turnwise.internal.scheduler;

/** Why a thread of the runtime is parked: the blocker that a thread dump shows. */
public enum ParkReason {
  WAITING_FOR_WORK,
  WAITING_FOR_NEXT_DEADLINE,
  WAITING_FOR_REPLY,
  WAITING_FOR_MAILBOX_ROOM,
  WAITING_FOR_SYSTEM_TO_CLOSE,
  ABANDONED
}
