package io.turnwise.internal.door;

/**
 * Makes the JDK's socket poller before a fiber can. The first blocking read makes it, and there it
 * would inherit that fiber's scheduler and stop with it, and with it the input of every virtual
 * thread in the JVM. Made from a platform thread it belongs to the JDK.
 */
final class SocketPoller {
  private SocketPoller() {}

  static void make() throws Throwable {
    OnPlatformThread.run(SocketPoller::load);
  }

  private static void load() {
    try {
      Class.forName("sun.nio.ch.Poller", true, null);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("This JDK has no sun.nio.ch.Poller; use a JDK 25", e);
    }
  }
}
