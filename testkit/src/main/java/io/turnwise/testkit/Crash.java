package io.turnwise.testkit;

import io.turnwise.ActorRef;

/**
 * An actor that ended by an exception.
 *
 * @param actor which
 * @param doing what it was handling: the type of the message or signal, or the method
 * @param cause what its handler threw
 */
public record Crash(ActorRef<?> actor, String doing, Throwable cause) {

  /** One line for people. */
  public String describe() {
    return "actor " + actor.path() + " crashed in " + doing + ": " + cause;
  }
}
