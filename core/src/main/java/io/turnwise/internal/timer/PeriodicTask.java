package io.turnwise.internal.timer;

import org.jspecify.annotations.Nullable;

/** One that comes again, and is on its way at most once: the next time is set when it has run. */
final class PeriodicTask extends TimerTask {
  private final long createdAt;
  private final long step;
  private final boolean atRate;

  /** It has run. Who runs it. */
  private boolean again;

  /** It was counted. Under the wheel's lock. */
  private boolean known;

  PeriodicTask(
      WheelTimers service,
      Runnable callback,
      @Nullable String id,
      long createdAt,
      long delay,
      long step,
      boolean atRate) {
    super(service, callback, id, createdAt, delay);
    this.createdAt = createdAt;
    this.step = step;
    this.atRate = atRate;
  }

  @Override
  long createdAtNanos() {
    return createdAt;
  }

  @Override
  long askedNanos() {
    return again ? step : super.askedNanos();
  }

  @Override
  boolean isPeriodic() {
    return true;
  }

  @Override
  protected void arrived() {
    if (known) return;
    known = true;
    super.arrived();
  }

  /** The rule for missed times: skip to the next that lies ahead, and count the others. */
  @Override
  void ended(boolean failed) {
    again = true;
    long now = service.ticker.now();
    long next = now + step;
    if (atRate) {
      long late = Math.max(0, now - deadline);
      long steps = Math.max(1, late / step + (late % step == 0 ? 0 : 1));
      if (steps > 1) service.missed.add(steps - 1);
      next = deadline + steps * step;
    }
    if (!beginAgain(next)) return; // cancelled meanwhile
    service.ticker.schedule(this);
    if (service.isClosed()) cancel(); // as in WheelTimers.start
  }
}
