package io.turnwise.internal.cell;

import io.turnwise.internal.mailbox.Envelope;
import io.turnwise.internal.scheduler.Scheduler;
import io.turnwise.internal.timer.TimerEntry;
import org.jspecify.annotations.Nullable;

/**
 * One timer of an actor, from its start until it is cancelled, replaced or over: its identity is
 * what a tick is checked against when it is taken from the mailbox.
 *
 * <p>At any moment it is with the ticker, or its one tick is in the mailbox, or neither. The ticker
 * gives it up before it puts the tick there, and the actor schedules it again only after it has
 * taken the tick out: so at most one tick waits, and nobody writes what another reads.
 */
abstract sealed class KeyedTimer<M> extends TimerEntry {
  final KeyedTimers<M> timers;
  final M message;
  private final Tick<M> tick = new Tick<>(this);

  KeyedTimer(KeyedTimers<M> timers, M message, long deadline) {
    super(deadline);
    this.timers = timers;
    this.message = message;
  }

  /** What is put into the mailbox: not one of the actor's messages yet. */
  static final class Tick<M> extends ActorCell.RuntimeMessage {
    private final KeyedTimer<M> timer;

    Tick(KeyedTimer<M> timer) {
      this.timer = timer;
    }

    /** The message, or null: the timer is not in force any more. In the actor's turn. */
    @Nullable M take(long now) {
      return timer.take(now);
    }
  }

  abstract @Nullable M take(long now);

  @Override
  protected final void fire() {
    timers.cell.deliver(new Envelope(tick, null));
  }

  /** A bounded mailbox has a lock, and so have the threads of those that run on no worker. */
  @Override
  protected final boolean mayWait() {
    return timers.cell.bounded() != null || !(timers.cell.runner() instanceof Scheduler);
  }

  @Override
  protected final void abandon() {
    // The system ends, and with it the actor.
  }

  /** Sends its message once. */
  static final class Once<M> extends KeyedTimer<M> {
    private final Object key;

    Once(KeyedTimers<M> timers, Object key, M message, long deadline) {
      super(timers, message, deadline);
      this.key = key;
    }

    @Override
    @Nullable M take(long now) {
      return timers.live.remove(key, this) ? message : null;
    }
  }

  /** Sends its message at times that lie one period apart. */
  static final class AtRate<M> extends KeyedTimer<M> {
    private final Object key;
    private final long period;
    private long due;

    AtRate(KeyedTimers<M> timers, Object key, M message, long now, long period) {
      super(timers, message, now + period);
      this.key = key;
      this.period = period;
      this.due = now + period;
    }

    @Override
    @Nullable M take(long now) {
      if (timers.live.get(key) != this) return null;
      long missed = Math.max(0, now - due) / period;
      if (missed > 0) timers.missed(missed);
      due += (missed + 1) * period;
      timers.again(this, due);
      return message;
    }
  }

  /** Sends its message, and again so long after it was handled. */
  static final class WithDelay<M> extends KeyedTimer<M> {
    private final Object key;
    private final long delay;

    WithDelay(KeyedTimers<M> timers, Object key, M message, long now, long delay) {
      super(timers, message, now + delay);
      this.key = key;
      this.delay = delay;
    }

    @Override
    @Nullable M take(long now) {
      if (timers.live.get(key) != this) return null;
      timers.againAfterTurn(this);
      return message;
    }

    void turnEnded(long now) {
      if (timers.live.get(key) == this) timers.again(this, now + delay);
    }
  }

  /**
   * Sends its message when no other was handled for so long. Messages only note when they were
   * done; the timer looks at that when its time has come, and waits on for the rest.
   */
  static final class Idle<M> extends KeyedTimer<M> {
    private final long timeout;

    /** When the last message was done. */
    long since;

    Idle(KeyedTimers<M> timers, M message, long now, long timeout) {
      super(timers, message, now + timeout);
      this.timeout = timeout;
      this.since = now;
    }

    @Override
    @Nullable M take(long now) {
      if (timers.idle != this) return null;
      boolean due = now - (since + timeout) >= 0;
      timers.again(this, due ? now + timeout : since + timeout);
      return due ? message : null;
    }
  }
}
