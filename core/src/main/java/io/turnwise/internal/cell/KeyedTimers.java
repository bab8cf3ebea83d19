package io.turnwise.internal.cell;

import io.turnwise.time.ActorTimers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one actor. Everything here is its owner's; the ticker sees single timers only.
 *
 * <p>A tick counts if the timer that sent it is in {@code live} (or is {@code idle}) when it is
 * taken from the mailbox. To cancel, to replace and to end are to take it out of there; that the
 * ticker is told as well only saves its work.
 */
public final class KeyedTimers<M> implements ActorTimers<M> {
  final ActorCell<M> cell;
  final Map<Object, KeyedTimer<M>> live = new HashMap<>();
  KeyedTimer.@Nullable Idle<M> idle;

  /** Its message is in hand: to be scheduled again when that is done. */
  private KeyedTimer.@Nullable WithDelay<M> inHand;

  /** A message that counts was handled since the last look. */
  private boolean handled;

  KeyedTimers(ActorCell<M> cell) {
    this.cell = cell;
  }

  // ---- what the actor asks for -----------------------------------------------------------------

  @Override
  public void once(Object key, Duration delay, M message) {
    check("once", key, message);
    long nanos = delayNanos("ActorTimers.once", delay);
    start(key, new KeyedTimer.Once<>(this, key, message, now() + nanos));
  }

  @Override
  public void atFixedRate(Object key, Duration period, M message) {
    check("atFixedRate", key, message);
    long nanos = periodNanos("ActorTimers.atFixedRate: the period", period);
    start(key, new KeyedTimer.AtRate<>(this, key, message, now(), nanos));
  }

  @Override
  public void withFixedDelay(Object key, Duration delay, M message) {
    check("withFixedDelay", key, message);
    long nanos = periodNanos("ActorTimers.withFixedDelay: the delay", delay);
    start(key, new KeyedTimer.WithDelay<>(this, key, message, now(), nanos));
  }

  @Override
  public boolean cancel(Object key) {
    TurnContext.checkTurn(cell, "timers");
    Objects.requireNonNull(key, "ActorTimers.cancel: the key is null; name the timer");
    KeyedTimer<M> before = live.remove(key);
    if (before == null) return false;
    cell.kind.system.ticker.cancel(before);
    return true;
  }

  @Override
  public boolean isActive(Object key) {
    TurnContext.checkTurn(cell, "timers");
    Objects.requireNonNull(key, "ActorTimers.isActive: the key is null; name the timer");
    return live.containsKey(key);
  }

  void receiveTimeout(Duration timeout, M message) {
    Objects.requireNonNull(
        message, "Context.receiveTimeout: the message is null; pass what is to come then");
    long nanos = periodNanos("Context.receiveTimeout: the timeout", timeout);
    cancelReceiveTimeout();
    var timer = new KeyedTimer.Idle<>(this, message, now(), nanos);
    idle = timer;
    handled = true; // the message in hand, when it is done
    cell.kind.system.ticker.schedule(timer);
    cell.timersNeedLooks(true);
  }

  void cancelReceiveTimeout() {
    KeyedTimer.Idle<M> before = idle;
    idle = null;
    if (before != null) cell.kind.system.ticker.cancel(before);
  }

  private void check(String what, Object key, M message) {
    TurnContext.checkTurn(cell, "timers");
    Objects.requireNonNull(key, () -> "ActorTimers." + what + ": the key is null; name the timer");
    Objects.requireNonNull(
        message, () -> "ActorTimers." + what + ": the message is null; pass what is to come then");
  }

  private void start(Object key, KeyedTimer<M> timer) {
    KeyedTimer<M> before = live.put(key, timer);
    if (before != null) cell.kind.system.ticker.cancel(before);
    cell.kind.system.ticker.schedule(timer);
  }

  static long delayNanos(String what, Duration delay) {
    if (delay == null || delay.isNegative())
      throw new IllegalArgumentException(
          what + ": the delay is " + delay + "; use Duration.ZERO or a positive one");
    return delay.isZero() ? 0 : ActorCell.nanos(delay);
  }

  static long periodNanos(String what, Duration period) {
    if (period == null || period.isNegative() || period.isZero())
      throw new IllegalArgumentException(what + " is " + period + "; use a positive duration");
    return ActorCell.nanos(period);
  }

  private long now() {
    return cell.kind.system.tick.nanoTime();
  }

  // ---- the turns of the actor -------------------------------------------------------------------

  void again(KeyedTimer<M> timer, long deadline) {
    cell.kind.system.ticker.scheduleAgain(timer, deadline);
  }

  void againAfterTurn(KeyedTimer.WithDelay<M> timer) {
    inHand = timer;
    cell.timersNeedLooks(true);
  }

  void missed(long ticks) {
    cell.kind.system.timers.addMissed(ticks);
  }

  /**
   * Between two turns.
   *
   * @param next whether one of the actor's messages comes now
   */
  void look(boolean next) {
    long now = now();
    KeyedTimer.WithDelay<M> done = inHand;
    inHand = null;
    if (done != null) done.turnEnded(now);
    KeyedTimer.Idle<M> waiting = idle;
    if (waiting == null) {
      cell.timersNeedLooks(false);
      return;
    }
    if (handled) waiting.since = now;
    handled = next;
  }

  /** What came as the runtime's own has become one of the actor's messages. */
  void becomesMessage() {
    handled = true;
  }

  /** The actor ends, or begins anew: none of these timers sends anything any more. */
  void endAll() {
    for (KeyedTimer<M> timer : live.values()) cell.kind.system.ticker.cancel(timer);
    live.clear();
    inHand = null;
    cancelReceiveTimeout();
  }
}
