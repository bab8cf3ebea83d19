package io.turnwise.time;

import java.time.Duration;
import java.time.Instant;

/** A callback that was scheduled, for who wants to look at it or take it back. Any thread. */
public sealed interface TimerHandle permits io.turnwise.internal.timer.TimerTask {

  /** The name it was given, or one like {@code task-17}. */
  String id();

  /**
   * When it was scheduled. Both times follow the clock that measures delays, not the calendar's: a
   * calendar clock that is set anew since the system was opened does not move them.
   */
  Instant createdAt();

  /** When it is due; for a periodic one, the next time. */
  Instant executeAt();

  /** How long after it was scheduled it was to run; for a periodic one, the first time. */
  Duration delay();

  TimerState state();

  /**
   * Takes it back. True means that its callback had not begun and never will; for a periodic one,
   * that it does not begin once more. Of several who cancel, one gets true. What runs is not
   * interrupted.
   */
  boolean cancel();
}
