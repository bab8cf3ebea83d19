package io.turnwise.internal.mailbox;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way, with the caller that waits for its answer, if any. The link makes it a node
 * of its lane; three references fit the space of two.
 */
public final class Envelope {
  /** In place of a message that has been taken out; the envelope stays until the next one comes. */
  static final Object TAKEN = new Object();

  /** The tail of a mailbox that takes nothing any more. */
  static final Envelope CLOSED = new Envelope(TAKEN, null);

  /** The tail of a mailbox whose actor is scheduled for something beside the normal lane. */
  static final Envelope WAKE = new Envelope(TAKEN, null);

  static final VarHandle NEXT;

  static {
    try {
      NEXT = MethodHandles.lookup().findVarHandle(Envelope.class, "next", Envelope.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Nullable Envelope next;
  private Object message;
  private @Nullable Object caller;

  public Envelope(Object message, @Nullable Object caller) {
    this.message = message;
    this.caller = caller;
  }

  /** The message; something else once it has been taken out. */
  public Object message() {
    return message;
  }

  public @Nullable Object caller() {
    return caller;
  }

  public boolean isTaken() {
    return message == TAKEN;
  }

  void markTaken() {
    message = TAKEN;
    caller = null;
  }

  /** Its answer has been taken care of. The owner. */
  public void clearCaller() {
    caller = null;
  }
}
