package io.turnwise.time;

/** Where a timer stands. */
public enum TimerState {
  /** Its callback is still to come; for a periodic one, the next time. */
  PENDING,
  /** Its callback runs. */
  RUNNING,
  /** Its callback has run. */
  DONE,
  /** Its callback has thrown. */
  FAILED,
  /** Its callback does not begin any more. */
  CANCELLED
}
