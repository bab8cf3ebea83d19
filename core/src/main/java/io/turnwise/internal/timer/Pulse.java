package io.turnwise.internal.timer;

/** What the {@link Ticker} does once a millisecond while anybody works. On its thread. */
@FunctionalInterface
public interface Pulse {
  /** Tells whether anybody works. */
  boolean beat();

  /** After a beat: whether there is to be a {@link #look} before the next one. */
  default boolean wantsLook() {
    return false;
  }

  /** Soon after a beat that wanted it. */
  default void look() {}

  /** After deadlines may have fired, without the wheel's lock: the time for what they have left. */
  default void fired() {}
}
