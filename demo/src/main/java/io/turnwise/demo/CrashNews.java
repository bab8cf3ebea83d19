package io.turnwise.demo;

import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Catches what the runtime logs, so that it shows in the picture instead of running through it. */
final class CrashNews extends Handler {
  private static final Logger RUNTIME = Logger.getLogger("io.turnwise"); // kept: it is held weakly
  private volatile String last = "none yet";

  void listen() {
    RUNTIME.setUseParentHandlers(false);
    RUNTIME.addHandler(this);
  }

  void stopListening() {
    RUNTIME.removeHandler(this);
    RUNTIME.setUseParentHandlers(true);
  }

  String last() {
    return last;
  }

  @Override
  public void publish(@Nullable LogRecord record) {
    if (record == null || record.getThrown() == null) return;
    String where = record.getMessage().replaceAll("^Actor (\\S+) crashed.*", "$1");
    last = where + ": " + record.getThrown().getMessage();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
