package io.turnwise.faults.trial;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Crashes and dead letters are what the rows are about: only what the runtime must not say shows.
 */
public final class QuietLog {
  /** Kept, because the logging framework forgets loggers that nobody holds. */
  private static final Logger RUNTIME = Logger.getLogger("io.turnwise");

  private QuietLog() {}

  public static void install() {
    RUNTIME.setLevel(Level.SEVERE);
  }
}
