package io.turnwise;

import io.turnwise.mailbox.MailboxConfig;

/** A full mailbox dropped the request, as its policy says: the called actor never saw it. */
public final class RequestDroppedException extends CallException {
  private static final long serialVersionUID = 1L;

  public RequestDroppedException(String callee, String request, MailboxConfig mailbox) {
    super(
        callee,
        request,
        "The full mailbox of "
            + callee
            + " (capacity "
            + mailbox.capacity()
            + ", policy "
            + mailbox.overflow()
            + ") dropped "
            + request
            + " before the actor saw it. [REQUEST-DROPPED]\n"
            + "  next:  try again later, send less, or give the mailbox more room or another policy",
        null);
  }
}
