package io.turnwise.mailbox;

/** A send to a full mailbox whose policy is FAIL. The message was not accepted. */
public final class MailboxFullException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  public MailboxFullException(String text) {
    super(text);
  }
}
