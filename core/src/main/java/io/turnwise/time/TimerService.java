package io.turnwise.time;

import java.time.Duration;
import java.util.List;

/**
 * Calls back later, for code that is no actor; an actor has timers of its own ({@link
 * ActorTimers}). Any thread may use it.
 *
 * {@snippet file="ApiSnippets.java" region="timers"}
 *
 * <p>A callback never begins early. It runs on the workers of the default dispatcher like a
 * handler: it may block, and is preempted if it computes for long. One that throws is counted and
 * reported, and a periodic one goes on. Time is the system's clock: setting the calendar's clock
 * has no effect, and tests move it by hand.
 *
 * <p>Where the system is closed, everything that is pending is cancelled, and all methods that
 * schedule throw {@link IllegalStateException}; so they do while as many are pending as {@code
 * SystemConfig.maxPendingTimers} allows.
 */
public sealed interface TimerService permits io.turnwise.internal.timer.WheelTimers {

  /**
   * Calls back once, after the delay.
   *
   * @throws IllegalArgumentException when the delay is negative
   */
  TimerHandle scheduleDelayed(Runnable callback, Duration delay);

  /**
   * The same under a name.
   *
   * @throws IllegalArgumentException when a pending timer has that name
   */
  TimerHandle scheduleDelayed(Runnable callback, Duration delay, String id);

  /**
   * Calls back after the delay, and then after each period, by the clock: times do not drift. A
   * time that comes while the callback still runs is left out, and so are those that passed while
   * the process stood still: it goes on with the next one that lies ahead, and counts the others as
   * missed.
   *
   * @throws IllegalArgumentException when the delay is negative or the period is not positive
   */
  TimerHandle scheduleAtFixedRate(Runnable callback, Duration initialDelay, Duration period);

  /** The same under a name. */
  TimerHandle scheduleAtFixedRate(
      Runnable callback, Duration initialDelay, Duration period, String id);

  /**
   * Calls back after the first delay, and then so long after each callback has ended. Misses
   * nothing.
   *
   * @throws IllegalArgumentException when the first delay is negative or the other is not positive
   */
  TimerHandle scheduleWithFixedDelay(Runnable callback, Duration initialDelay, Duration delay);

  /** The same under a name. */
  TimerHandle scheduleWithFixedDelay(
      Runnable callback, Duration initialDelay, Duration delay, String id);

  /** Cancels the pending timer of that name; see {@link TimerHandle#cancel}. */
  boolean cancel(String id);

  /**
   * Those that wait for their time, the next one first. One whose time has come and that waits for
   * a worker is not among them any more; {@link #metrics} counts it. Looks at each: not for every
   * millisecond.
   */
  List<TimerHandle> pending();

  /** Counters since the system was opened. Looks at each that is pending, for the oldest one. */
  TimerMetrics metrics();
}
