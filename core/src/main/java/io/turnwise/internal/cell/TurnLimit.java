package io.turnwise.internal.cell;

import io.turnwise.internal.scheduler.ShownStack;
import io.turnwise.internal.timer.Ticker;
import io.turnwise.internal.timer.TimerEntry;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.HandlerTimeout;

/**
 * The timeout of one handler that is under way. The actor holds the one in force: whoever comes too
 * late finds another one there, or none, and does nothing.
 */
final class TurnLimit extends TimerEntry {
  final ActorCell<?> cell;
  final HandlerKind handler;
  final HandlerTimeout timeout;

  /** What the process had stood still, in all, when the handler began. */
  private long stoodStill;

  TurnLimit(ActorCell<?> cell, HandlerKind handler, HandlerTimeout timeout) {
    super(ActorCell.nanos(timeout.limit()), true);
    this.cell = cell;
    this.handler = handler;
    this.timeout = timeout;
    this.stoodStill = cell.kind.system.ticker.stoodStill();
  }

  @Override
  protected void fire() {
    if (cell.limitInForce() != this || isGivenMoreTime()) return;
    switch (timeout.action()) {
      case WARN -> cell.kind.system.looks.execute(this::warn);
      case CANCEL, STOP -> new Cancellation(cell, this, "its timeout").begin();
    }
  }

  /**
   * A handler is not to be blamed for a time in which nobody ran. Whoever ends the turn meanwhile
   * does not find this with the ticker: then it comes once more, and finds itself not in force.
   */
  private boolean isGivenMoreTime() {
    Ticker ticker = cell.kind.system.ticker;
    long lost = ticker.stoodStill() - stoodStill;
    if (lost <= 0) return false;
    stoodStill += lost;
    ticker.scheduleAgain(this, cell.kind.system.tick.nanoTime() + lost);
    return true;
  }

  @Override
  protected void abandon() {
    // The system ends, and with it the turn.
  }

  /** Looking at a stack takes its time: not on the ticking thread. */
  private void warn() {
    var text = new StringBuilder(describe()).append(", and runs on. [HANDLER-OVERDUE]");
    ShownStack.appendTo(text, cell.stack());
    if (cell.limitInForce() == this) cell.kind.system.reporter.say(text.toString());
  }

  String describe() {
    return "Handler "
        + handler
        + " of "
        + cell.path()
        + " has taken longer than "
        + timeout.limit().toMillis()
        + " ms";
  }
}
