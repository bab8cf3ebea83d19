package io.turnwise.testkit.simulation;

import io.turnwise.observation.ActorSnapshot;
import java.util.List;

/** Nothing can happen any more, and somebody still waits. */
final class DeadlockException extends RuntimeException {
  DeadlockException(List<ActorSnapshot> waiting) {
    super(text(waiting));
  }

  private static String text(List<ActorSnapshot> waiting) {
    var text = new StringBuilder("Nothing can happen any more, and these wait. [SIMULATION-DEADLOCK]");
    for (ActorSnapshot actor : waiting) text.append("\n  ").append(actor.describe());
    return text.toString();
  }
}
