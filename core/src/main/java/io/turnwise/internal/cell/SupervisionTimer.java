package io.turnwise.internal.cell;

import io.turnwise.internal.supervisor.Child;
import io.turnwise.internal.timer.TimerEntry;

/** Tells a supervisor that the time of a child has come: to start, or to have stopped. */
final class SupervisionTimer extends TimerEntry {
  private final ActorCell<?> supervisor;
  private final Child child;
  final int ticket;

  SupervisionTimer(ActorCell<?> supervisor, Child child, long delayNanos, int ticket) {
    super(delayNanos, true);
    this.supervisor = supervisor;
    this.child = child;
    this.ticket = ticket;
  }

  @Override
  protected void fire() {
    supervisor.notify(new Notice.Due(child, ticket));
  }

  @Override
  protected void abandon() {
    // The system ends, and everybody in it.
  }
}
