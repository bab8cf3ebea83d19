package io.turnwise.mailbox;

/** Actors that wait for room in each other's full mailboxes. The message was not accepted. */
public final class MailboxDeadlockException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  public MailboxDeadlockException(String text) {
    super(text);
  }
}
