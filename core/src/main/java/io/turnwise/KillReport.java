package io.turnwise;

import java.time.Duration;

/**
 * What it took to kill an actor.
 *
 * @param path whose
 * @param force the most that had to be done
 * @param took from the call of {@code kill} until the actor was gone
 */
public record KillReport(String path, Force force, Duration took) {
  /** How far it had to go, least first. */
  public enum Force {
    /** Nothing of its code was under way, or it came to its end by itself. */
    NONE,
    /** Its handler waited for something, and was woken by an interrupt. */
    INTERRUPTED,
    /** Its handler was ended by {@link HandlerCancelled}. */
    CANCELLED,
    /**
     * Its handler did not end. The actor is gone without it: what the handler holds, locks above
     * all, it holds on to.
     */
    ABANDONED
  }
}
