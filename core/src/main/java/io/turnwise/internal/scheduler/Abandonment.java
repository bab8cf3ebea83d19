package io.turnwise.internal.scheduler;

/** Ends the thread of a handler whose actor went on without it. Never seen outside the runtime. */
final class Abandonment extends Error {
  private static final long serialVersionUID = 1L;

  static final Abandonment OVER = new Abandonment();

  private Abandonment() {
    super(null, null, false, false);
  }
}
