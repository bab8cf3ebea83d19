package io.turnwise.internal.cell;

import io.turnwise.SystemConfig;
import io.turnwise.internal.scheduler.Seat;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * A system without workers and without a ticker of its own, on a clock that somebody else moves:
 * nothing happens in it until its driver says so, and then on the driver's thread. The door of the
 * testkit.
 *
 * <p>One thread at a time drives it. Handlers run on fibers as always, so that they may wait in the
 * middle; what waits goes on when the driver runs the system again.
 */
public final class DrivenSystem {
  private final LocalActorSystem system;

  private DrivenSystem(LocalActorSystem system) {
    this.system = system;
  }

  /**
   * @param nanoTime the clock of everything inside: timeouts, quanta, how long a turn has taken
   */
  public static DrivenSystem open(String name, SystemConfig config, LongSupplier nanoTime) {
    return new DrivenSystem(LocalActorSystem.open(name, config, nanoTime::getAsLong, false));
  }

  /**
   * From now on strangers' code (listeners, completions of stages) runs on the driver's thread as
   * well, and so does whatever a plain thread waits for: an answer, room in a mailbox, the end of a
   * close. Such a thread makes this step until its wait is over; nobody else would.
   *
   * @param step moves the system on; returns false when nothing more can happen
   */
  public void driveBy(BooleanSupplier step) {
    system.driver = step;
  }

  /** Whether the current thread runs a handler. */
  public boolean isInTurn() {
    return Seat.current() != null;
  }

  public LocalActorSystem system() {
    return system;
  }

  /**
   * Fires what is due, and runs everything that can run at this moment of the clock. Returns
   * whether anything did.
   */
  public boolean runUntilIdle() {
    return runUntilIdle(_ -> {});
  }

  /**
   * The same for a driver that wants to look round now and then, and may end it by throwing.
   *
   * @param look called between two slices with how many there were so far, if there are many
   */
  public boolean runUntilIdle(LongConsumer look) {
    long first = system.slices();
    boolean any = false;
    for (; ; ) {
      long before = system.slices();
      boolean more = system.runUntilIdle();
      long after = system.slices();
      // Once more after the last slice: its timers count from now, not from the next moment.
      if (!more && before == after) return any;
      any = true;
      look.accept(after - first);
    }
  }

  /**
   * One beat of the ticker: the coarse clock catches up, and what is due fires. Returns whether
   * there must be another: where there is nobody who works or waits for one, a ticker dozes.
   */
  public boolean beat() {
    return system.ticker.beatOnce();
  }

  /** Calls that wait for an answer, as {@code Total to /shop/cart}. As of the last beat. */
  public List<String> callsUnderWay() {
    List<String> calls = new ArrayList<>();
    system.ticker.forEach(
        timer -> {
          if (timer instanceof PendingCall<?> call && call.isAwaited())
            calls.add(call.requestType() + " to " + call.callee().path());
        });
    return calls;
  }

  /** How many timers of actors wait. As of the last beat. */
  public long actorTimers() {
    return system.actorTimers();
  }

  /**
   * A moment before which no timer is due, and at which a beat brings one nearer; empty when none
   * waits. Counts what was scheduled before the last beat.
   */
  public OptionalLong nextDeadline() {
    long next = system.ticker.nextDeadline();
    return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
  }
}
