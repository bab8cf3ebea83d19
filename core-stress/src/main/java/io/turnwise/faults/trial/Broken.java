package io.turnwise.faults.trial;

/** The runtime did not hold. */
public final class Broken extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Broken(String text) {
    super(text);
  }
}
