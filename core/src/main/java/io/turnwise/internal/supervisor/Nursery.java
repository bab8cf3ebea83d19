package io.turnwise.internal.supervisor;

import io.turnwise.StopReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a supervisor can do to its children. Nothing here waits: what comes of it is told to the
 * {@link SupervisorLoop} later, as an event.
 */
public interface Nursery {
  /**
   * Makes the child's place, without starting it.
   *
   * @throws IllegalArgumentException when there can be none, and nothing has changed
   */
  void create(Child child);

  /** Starts a child that is down. Then comes {@code up}, or {@code asks}. */
  void start(Child child);

  /** The child goes on where it was. */
  void resume(Child child);

  /** Ends the child's present life, so that it can be started again. Then comes {@code down}. */
  void takeDown(Child child, boolean toRestart);

  /**
   * Ends the child for good. Then comes {@code ended}.
   *
   * @param reason why; null for the reason that it has given itself
   */
  void end(Child child, @Nullable StopReason reason);

  /**
   * The child, which has asked, does nothing more at its end: there is no time. Comes before {@link
   * #takeDown} or {@link #end}, and leaves its reason as it is.
   */
  void leaveOutEnd(Child child);

  /** The child did not stop in time. Then comes {@code down} or {@code ended}, as it was told. */
  void kill(Child child);

  /** Brings {@code due} with this ticket, after the delay. */
  void schedule(Child child, Duration delay, int ticket);

  /** Takes it back, unless it has come. */
  void unschedule(Child child, int ticket);

  /** The supervisor is to fail. Then comes {@code stopAll}. */
  void fail(RuntimeException cause);

  /** The supervisor is to stop in good order. Then comes {@code stopAll}. */
  void finish();

  /**
   * One of very many steps of an event is done: others may run for a while. No event comes
   * meanwhile.
   */
  void breathe();

  /** On the clock of the timers. */
  long nanoTime();

  /** From 0 to 1. */
  double chance();
}
