package io.turnwise;

/** Why an actor crashed that had linked itself to another: that one did not end in good order. */
public final class LinkedActorEndedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LinkedActorEndedException(
      String message, @org.jspecify.annotations.Nullable Throwable cause) {
    super(message, cause);
  }
}
