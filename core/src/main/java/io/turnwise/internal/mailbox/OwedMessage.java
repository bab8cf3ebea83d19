package io.turnwise.internal.mailbox;

/**
 * What the runtime itself puts into a mailbox, and owes its actor: bounds do not hold for it, and
 * it is not dropped. A class: to ask whether a message implements an interface takes far longer,
 * each time, if it does not.
 */
public abstract class OwedMessage {}
