package io.turnwise.faults.trial;

import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Everything the runtime logs, given to somebody who counts, throws or blocks. Until closed. */
public final class RuntimeLog implements AutoCloseable {
  private static final Logger RUNTIME = Logger.getLogger("io.turnwise");

  private final Handler handler;
  private final Level before = RUNTIME.getLevel();
  private final boolean parents = RUNTIME.getUseParentHandlers();

  public RuntimeLog(Consumer<LogRecord> reader) {
    this.handler = new Reading(reader);
    RUNTIME.setLevel(Level.ALL);
    RUNTIME.setUseParentHandlers(false);
    RUNTIME.addHandler(handler);
  }

  @Override
  public void close() {
    RUNTIME.removeHandler(handler);
    RUNTIME.setLevel(before);
    RUNTIME.setUseParentHandlers(parents);
  }

  private static final class Reading extends Handler {
    private final Consumer<LogRecord> reader;

    Reading(Consumer<LogRecord> reader) {
      this.reader = reader;
    }

    @Override
    public void publish(LogRecord record) {
      reader.accept(record);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
