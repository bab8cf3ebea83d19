package io.turnwise.internal.door;

import org.jspecify.annotations.Nullable;

/**
 * Something of the JDK's that is to be done, once in the JVM, on a platform thread, whoever needs
 * it first: a virtual thread would leave its scheduler behind there, and an interrupted one would
 * fail for good.
 */
final class OnPlatformThread implements Runnable {
  /** What is done. */
  interface Deed {
    void run() throws Throwable;
  }

  private final Deed deed;
  private volatile @Nullable Throwable failure;

  private OnPlatformThread(Deed deed) {
    this.deed = deed;
  }

  /** Returns when it is done. */
  static void run(Deed deed) throws Throwable {
    var once = new OnPlatformThread(deed);
    Thread doer = Thread.ofPlatform().daemon().unstarted(once);
    doer.start();
    boolean interrupted = false;
    while (doer.isAlive()) {
      try {
        doer.join();
      } catch (InterruptedException e) {
        interrupted = true; // for whoever called us; half of this is no use to anybody
      }
    }
    if (interrupted) Thread.currentThread().interrupt();
    Throwable failed = once.failure;
    if (failed != null) throw failed;
  }

  @Override
  public void run() {
    try {
      deed.run();
    } catch (Throwable e) {
      failure = e;
    }
  }
}
