package io.turnwise.scheduling;

/** What happens to a handler that takes longer than it may. */
public enum TimeoutAction {
  /** It is reported once, with its stack, and runs on. */
  WARN,
  /**
   * It ends at its next poll or wake-up with {@link io.turnwise.HandlerCancelled}. A caller is told
   * so; the actor lives on with the next message.
   */
  CANCEL,
  /** It ends in the same way, and the actor with it, as if it had crashed. */
  STOP
}
