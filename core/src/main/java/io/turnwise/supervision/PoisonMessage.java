package io.turnwise.supervision;

import io.turnwise.ActorRef;

/**
 * A message that has failed as often as its recipient's spec lets it be tried.
 *
 * @param tries how often it was handled
 * @param cause what the last of them threw
 */
public record PoisonMessage(ActorRef<?> recipient, Object message, int tries, Throwable cause) {}
