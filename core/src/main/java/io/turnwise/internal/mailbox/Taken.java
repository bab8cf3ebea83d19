package io.turnwise.internal.mailbox;

import org.jspecify.annotations.Nullable;

/** The message in hand. One for each actor, filled anew for each message. */
public class Taken {
  private @Nullable Object message;
  private @Nullable Object caller;

  final Taken fill(Envelope envelope) {
    message = envelope.message();
    caller = envelope.caller();
    return this;
  }

  /** The message in hand, or null between two turns. Observers may look too. */
  public final @Nullable Object message() {
    return message;
  }

  public final @Nullable Object caller() {
    return caller;
  }

  protected final void hold(Object message, @Nullable Object caller) {
    this.message = message;
    this.caller = caller;
  }

  protected final void letGo() {
    message = null;
    caller = null;
  }

  /** The answer has been taken care of. */
  protected final void clearCaller() {
    caller = null;
  }
}
