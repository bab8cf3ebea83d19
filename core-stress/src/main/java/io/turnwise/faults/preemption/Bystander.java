package io.turnwise.faults.preemption;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Broken;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * An innocent actor that gets a message about every millisecond, from a plain thread, and how long
 * each of them waited. Ends with its system, or when closed.
 */
final class Bystander implements AutoCloseable {
  private static final int KEPT = 1 << 20;

  private final ActorSystem system;
  private final ActorRef<Long> actor;
  private final long[] waits = new long[KEPT];
  private final AtomicLong handled = new AtomicLong();
  private volatile boolean closed;

  Bystander(ActorSystem system) {
    this.system = system;
    this.actor =
        system.spawn(
            () ->
                (sentAt, context) -> {
                  waits[(int) (handled.get() % KEPT)] = System.nanoTime() - sentAt;
                  handled.incrementAndGet();
                });
    Thread.ofPlatform()
        .daemon()
        .name("faults-bystander")
        .start(
            () -> {
              while (!closed) {
                actor.cast(System.nanoTime());
                LockSupport.parkNanos(900_000);
              }
            });
  }

  /** What counts from here. Only where nothing is being handled that matters. */
  void forget() {
    handled.set(0);
  }

  long handled() {
    return handled.get();
  }

  /** Whatever else happens, it gets on. */
  void awaitMore(int messages) {
    long goal = handled.get() + messages;
    long began = System.nanoTime();
    while (handled.get() < goal) {
      if (System.nanoTime() - began > 120_000_000_000L)
        throw new Broken("an innocent actor stands still:\n" + system.dump());
      LockSupport.parkNanos(200_000);
    }
  }

  /** Part of the messages waited less than this. */
  double millis(double part) {
    int count = (int) Math.min(KEPT, handled.get());
    if (count == 0) return 0;
    long[] sorted = Arrays.copyOf(waits, count);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(count - 1, (long) (count * part))] / 1e6;
  }

  String figures() {
    return String.format(
        Locale.ROOT,
        "others waited p50 %.2f, p99 %.2f, at most %.1f ms (%d messages)",
        millis(0.5),
        millis(0.99),
        millis(1),
        handled.get());
  }

  @Override
  public void close() {
    closed = true;
  }
}
