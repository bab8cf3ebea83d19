package io.turnwise.time;

import java.time.Duration;

/**
 * The timers of one actor, each known by a key: an enum constant, a string, whatever has a sensible
 * {@code equals}. A timer sends its message to the actor itself, through its mailbox, bounded or
 * not. Used only inside the actor's own turns: elsewhere its methods throw {@link
 * IllegalStateException}.
 *
 * <p>To start a timer under a key in use replaces the one before. All timers die with the actor. A
 * message of a timer that was cancelled, replaced or has died is never handled, not even one that
 * waits in the mailbox already.
 *
 * <p>Never early. Periodic timers do not flood a slow actor: of each key at most one message waits
 * in the mailbox, and what would have come meanwhile is left out and counted in {@link
 * TimerMetrics#missedTicks}.
 *
 * @param <M> the actor's messages
 */
public sealed interface ActorTimers<M> permits io.turnwise.internal.cell.KeyedTimers {

  /**
   * Sends the message once, after the delay.
   *
   * @throws IllegalArgumentException when the delay is negative
   */
  void once(Object key, Duration delay, M message);

  /**
   * Sends the message after each period, by the clock: times do not drift. Those that come while
   * the message before them still waits are left out.
   *
   * @throws IllegalArgumentException when the period is not positive
   */
  void atFixedRate(Object key, Duration period, M message);

  /**
   * Sends the message after the delay, and again so long after each has been handled.
   *
   * @throws IllegalArgumentException when the delay is not positive
   */
  void withFixedDelay(Object key, Duration delay, M message);

  /** Ends the timer of this key. Returns whether there was one. */
  boolean cancel(Object key);

  /** Whether a message of this key's timer is still to come. */
  boolean isActive(Object key);
}
