package io.turnwise.internal.cell;

import io.turnwise.ActorSystem.Registration;
import io.turnwise.observation.MailboxGrowth;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Finds unbounded mailboxes that grow, before they have filled the heap. Sends do not count, so
 * somebody has to walk through the mailboxes: on a thread of its own, only while the heap is
 * filling up, and for a small part of the time. What counts as used includes garbage: a look too
 * many costs little.
 */
final class GrowthWatch {
  /** From here on it looks. */
  static final double FILLING = 0.4;

  static final long MANY = 10_000;

  /** Of the time, at most one part of so many goes into looking. */
  private static final int PART = 200;

  private static final long SHORTEST_PAUSE_NANOS = 10_000_000;
  private static final int MORE = 4;

  private final DoubleSupplier heapUsed;
  private final LongSupplier clock;
  private final Executor thread;
  private final Supplier<List<ActorCell<?>>> actors;
  private final Consumer<MailboxGrowth> report;
  private final List<Consumer<? super MailboxGrowth>> listeners = new CopyOnWriteArrayList<>();

  /** Set by the ticking thread, and taken back by the one that has looked. */
  private volatile boolean looking;

  /** Written by who has looked, before {@code looking}. */
  private long nextLook;

  /** How many waited when it was last said. Who looks. */
  private Map<ActorCell<?>, Long> told = new IdentityHashMap<>();

  /**
   * @param thread must not run it on the spot
   * @param report says it to a person
   */
  GrowthWatch(
      DoubleSupplier heapUsed,
      LongSupplier clock,
      Executor thread,
      Supplier<List<ActorCell<?>>> actors,
      Consumer<MailboxGrowth> report) {
    this.heapUsed = heapUsed;
    this.clock = clock;
    this.thread = thread;
    this.actors = actors;
    this.report = report;
    this.nextLook = clock.getAsLong();
  }

  static double heapUsed() {
    Runtime runtime = Runtime.getRuntime();
    return (double) (runtime.totalMemory() - runtime.freeMemory()) / runtime.maxMemory();
  }

  Registration listen(Consumer<? super MailboxGrowth> listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  /** The ticking thread. */
  void beat() {
    if (looking || clock.getAsLong() - nextLook < 0) return;
    double used = heapUsed.getAsDouble();
    if (used < FILLING) return;
    looking = true;
    try {
      thread.execute(() -> look(used));
    } catch (Throwable noThread) { // the heap is filling indeed: another time
      pause(clock.getAsLong());
    }
  }

  private void look(double used) {
    long began = clock.getAsLong();
    try {
      Map<ActorCell<?>, Long> still = new IdentityHashMap<>();
      for (ActorCell<?> actor : actors.get()) {
        if (actor.isIdle() || actor.bounded() != null) continue;
        long queued = actor.countQueued();
        Long before = told.get(actor);
        if (queued < (before == null ? MANY : MANY / 2)) continue;
        boolean say = before == null || queued >= MORE * before;
        still.put(actor, say ? Long.valueOf(queued) : before);
        if (say) say(new MailboxGrowth(actor.path(), queued, used));
      }
      told = still;
    } catch (OutOfMemoryError e) {
      // Too late to look: whoever asked for that memory first is told the same.
    } finally {
      pause(began);
    }
  }

  private void say(MailboxGrowth growth) {
    report.accept(growth);
    for (Consumer<? super MailboxGrowth> listener : listeners) listener.accept(growth);
  }

  private void pause(long began) {
    long now = clock.getAsLong();
    nextLook = now + Math.max(SHORTEST_PAUSE_NANOS, PART * (now - began));
    looking = false;
  }
}
