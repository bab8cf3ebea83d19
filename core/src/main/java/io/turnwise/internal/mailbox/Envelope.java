package io.turnwise.internal.mailbox;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A message on its way, with the caller that waits for its answer, if any. The link makes it a node
 * of its lane; three references fit the space of two.
 */
public sealed class Envelope permits Bundle {
  private static final Object NOTHING = new Object();

  /** The tail of a mailbox that takes nothing any more. */
  static final Envelope CLOSED = new Envelope(NOTHING, null);

  /** The tail of a mailbox whose actor is scheduled for something beside the normal lane. */
  static final Envelope WAKE = new Envelope(NOTHING, null);

  static final VarHandle NEXT;

  static {
    try {
      NEXT = MethodHandles.lookup().findVarHandle(Envelope.class, "next", Envelope.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @Nullable Envelope next;
  private final Object message;
  private @Nullable Object caller;

  public Envelope(Object message, @Nullable Object caller) {
    this.message = message;
    this.caller = caller;
  }

  public final Object message() {
    return message;
  }

  public final @Nullable Object caller() {
    return caller;
  }

  /** What its owner gets: the envelope, or the bare message if it is but the first of a bundle. */
  final Object asItem() {
    return getClass() == Envelope.class ? this : message;
  }

  /** The same as a test of the type for what was taken out, where a bundle cannot be. */
  public static @Nullable Envelope ofItem(Object item) {
    return item.getClass() == Envelope.class ? (Envelope) item : null;
  }

  /** The message of what was taken out of a mailbox: an envelope, or a bare message. */
  public static Object messageOf(Object item) {
    return item instanceof Envelope envelope ? envelope.message : item;
  }

  /** Who waits for the answer to what was taken out of a mailbox, or null. */
  public static @Nullable Object callerOf(Object item) {
    return item instanceof Envelope envelope ? envelope.caller : null;
  }

  /** Its answer has been taken care of. The owner. */
  public final void clearCaller() {
    caller = null;
  }
}
