package io.turnwise;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * What the runtime logs about its own defects, and nothing else: crashes that tests cause on
 * purpose would bury them.
 */
public final class Complaints {
  private static final Logger LOG = Logger.getLogger("io.turnwise");
  private static final List<String> SEEN = new ArrayList<>();

  static {
    LOG.setLevel(Level.SEVERE);
    LOG.addHandler(
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            if (record.getLevel().intValue() < Level.SEVERE.intValue()) return;
            synchronized (SEEN) {
              SEEN.add(record.getMessage() + ": " + record.getThrown());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        });
  }

  private Complaints() {}

  /** Those since the last time, taken out. */
  public static List<String> take() {
    synchronized (SEEN) {
      var taken = List.copyOf(SEEN);
      SEEN.clear();
      return taken;
    }
  }
}
