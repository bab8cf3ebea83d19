package io.turnwise.internal.cell;

import io.turnwise.ActorRef;
import io.turnwise.observation.DeadLetter;

/**
 * Sees every crash and every dead letter when it happens, on the thread where it happens. For the
 * testkit: it must not miss any, and must neither block nor throw.
 */
public interface Witness {
  /**
   * @param doing what the actor was handling, in a word or two
   */
  void crashed(ActorRef<?> actor, String doing, Throwable cause);

  void deadLetter(DeadLetter letter);
}
