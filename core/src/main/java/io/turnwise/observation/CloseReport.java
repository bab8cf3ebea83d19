package io.turnwise.observation;

import java.time.Duration;
import java.util.List;

/**
 * What closing a system left undone.
 *
 * @param took how long it took
 * @param actorsLeft actors that had not ended at the deadline
 * @param messagesLeft messages that nobody handled: those in mailboxes when their actor stopped,
 *     and those of the actors left
 * @param stuck the first of the actors left, with what they were doing
 */
public record CloseReport(
    Duration took, long actorsLeft, long messagesLeft, List<ActorSnapshot> stuck) {
  public CloseReport {
    stuck = List.copyOf(stuck);
  }

  /** Whether every actor ended in time. */
  public boolean complete() {
    return actorsLeft == 0;
  }
}
