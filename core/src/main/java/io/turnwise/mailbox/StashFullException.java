package io.turnwise.mailbox;

/** A stash that holds as many messages as its spec allows. The message in hand is still in hand. */
public final class StashFullException extends IllegalStateException {
  private static final long serialVersionUID = 1L;

  public StashFullException(String text) {
    super(text);
  }
}
