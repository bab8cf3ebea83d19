package io.turnwise;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Takes down what the runtime logs during a test, and keeps it from the console. */
final class LogWatch extends Handler implements BeforeEachCallback, AfterEachCallback {
  private static final Logger LOG = Logger.getLogger("io.turnwise");

  private final List<LogRecord> records = new ArrayList<>();
  private boolean toConsole;

  @Override
  public void beforeEach(ExtensionContext test) {
    Complaints.take();
    toConsole = LOG.getUseParentHandlers();
    LOG.setUseParentHandlers(false);
    LOG.setLevel(Level.INFO);
    LOG.addHandler(this);
  }

  @Override
  public void afterEach(ExtensionContext test) {
    LOG.removeHandler(this);
    LOG.setLevel(Level.SEVERE);
    LOG.setUseParentHandlers(toConsole);
  }

  @Override
  public void publish(LogRecord record) {
    synchronized (records) {
      records.add(record);
    }
  }

  List<LogRecord> records() {
    synchronized (records) {
      return List.copyOf(records);
    }
  }

  /** The same as they would be printed. */
  List<String> printed() {
    return records().stream().map(new SimpleFormatter()::format).toList();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
