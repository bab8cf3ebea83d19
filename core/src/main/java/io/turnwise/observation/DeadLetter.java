package io.turnwise.observation;

/**
 * A message that was accepted and will not be handled.
 *
 * @param message the message itself
 * @param recipient the path of the actor it was meant for
 * @param reason why
 */
public record DeadLetter(Object message, String recipient, DeadLetterReason reason) {}
