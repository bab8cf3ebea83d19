package io.turnwise.internal.timer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Linux wakes who sleeps for a time up to 50 microseconds late, on purpose: so it can wake several
 * at once. Each thread may say how late is right for it, in a file of its own.
 */
final class TimerSlack {
  private TimerSlack() {}

  /**
   * The current thread is to be woken in time. Returns false where that cannot be asked for: on
   * other systems, or where the file is not to be had.
   */
  static boolean refuse() {
    try {
      Files.writeString(fileOfThisThread(), "1"); // nanosecond; zero means what is usual
      return true;
    } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
      return false; // then it is as late as before
    }
  }

  /** Listed by the number of the thread, not only of its process. */
  static Path fileOfThisThread() throws IOException {
    Path thread = Path.of("/proc/thread-self").toRealPath();
    return Path.of("/proc").resolve(thread.getFileName()).resolve("timerslack_ns");
  }
}
