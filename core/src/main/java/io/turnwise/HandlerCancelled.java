package io.turnwise;

/**
 * Thrown in the middle of a handler that is to end: it took longer than its timeout, or its actor
 * is killed. An error, so that {@code catch (Exception)} lets it through; let it through as well.
 */
public final class HandlerCancelled extends Error {
  private static final long serialVersionUID = 1L;

  /** For the runtime. */
  public HandlerCancelled(String message) {
    super(message);
  }
}
