package io.turnwise.internal.cell;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Strangers' code that wants to be shown things: called one at a time on a callback thread, so that
 * it may throw, block or be slow without anybody else noticing. What it cannot keep up with is
 * passed over.
 */
final class Listener<T> {
  private static final int BACKLOG = 10_000;

  private final String what;
  private final Consumer<? super T> consumer;
  private final LocalActorSystem system;
  private final BlockingQueue<T> backlog = new ArrayBlockingQueue<>(BACKLOG);
  private final AtomicBoolean running = new AtomicBoolean();
  private volatile boolean closed;

  Listener(String what, Consumer<? super T> consumer, LocalActorSystem system) {
    this.what = what;
    this.consumer = consumer;
    this.system = system;
  }

  /** Any thread. */
  void show(T event) {
    if (closed || !backlog.offer(event)) return;
    if (!running.compareAndSet(false, true)) return;
    try {
      system.callbacks.execute(this::drain);
    } catch (Throwable noThread) { // shown with the next one, if there is a thread for that
      running.set(false);
    }
  }

  void close() {
    closed = true;
    backlog.clear();
  }

  private void drain() {
    do {
      @Nullable T event;
      while (!closed && (event = backlog.poll()) != null) {
        try {
          consumer.accept(event);
        } catch (Throwable e) {
          system.listenerFailed(what, consumer, e);
        }
      }
      running.set(false);
      // Who came between the last poll and this step saw us running: look once more.
    } while (!closed && !backlog.isEmpty() && running.compareAndSet(false, true));
  }
}
