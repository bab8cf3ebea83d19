package io.turnwise.internal.scheduler;

/** Ends the thread of a handler whose actor went on without it. */
final class Abandonment extends Error {
  private static final long serialVersionUID = 1L;

  static final Abandonment OVER = new Abandonment();

  private Abandonment() {
    super("The actor of this handler has gone on without it", null, false, false);
  }
}
