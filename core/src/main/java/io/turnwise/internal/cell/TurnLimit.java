package io.turnwise.internal.cell;

import io.turnwise.internal.scheduler.Scheduler;
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

  TurnLimit(ActorCell<?> cell, HandlerKind handler, HandlerTimeout timeout) {
    super(ActorCell.nanos(timeout.limit()), true);
    this.cell = cell;
    this.handler = handler;
    this.timeout = timeout;
  }

  @Override
  protected void fire() {
    if (cell.limitInForce() != this) return;
    switch (timeout.action()) {
      case WARN -> cell.kind.system.callbacks.execute(this::warn);
      case CANCEL, STOP -> new Cancellation(cell, this, "its timeout").begin();
    }
  }

  @Override
  protected void abandon() {
    // The system ends, and with it the turn.
  }

  /** Looking at a stack takes its time: not on the ticking thread. */
  private void warn() {
    var text = new StringBuilder(describe()).append(", and runs on. [HANDLER-OVERDUE]");
    Scheduler.appendTo(text, cell.stack());
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
