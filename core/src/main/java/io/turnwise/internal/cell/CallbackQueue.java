package io.turnwise.internal.cell;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/** Strangers' code in a system that is driven: waits until the driver runs it. */
final class CallbackQueue implements Executor {
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;

  /** Any thread. Once nobody drives any more, it runs here and now. */
  @Override
  public void execute(Runnable callback) {
    if (closed) callback.run();
    else waiting.add(callback);
  }

  /** Whoever drives, between two slices. Returns if there was any. */
  boolean runAll() {
    boolean any = false;
    Runnable next;
    while ((next = waiting.poll()) != null) {
      any = true;
      next.run();
    }
    return any;
  }

  void close() {
    closed = true;
    runAll();
  }
}
