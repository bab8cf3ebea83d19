package io.turnwise.testkit.simulation;

import io.turnwise.ActorRef;
import io.turnwise.observation.ActorSnapshot;
import java.util.List;
import java.util.function.ToLongFunction;

/** Nothing can happen any more, or nothing but that time runs out, and somebody still waits. */
final class DeadlockException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private DeadlockException(String text) {
    super(text);
  }

  /** Each waits for the next one's answer, and the last for the first one's. */
  static DeadlockException of(List<ActorRef<?>> circle, ToLongFunction<ActorRef<?>> lastTurn) {
    var text = new StringBuilder("Actors wait for each other. [SIMULATION-DEADLOCK]");
    for (int i = 0; i < circle.size(); i++)
      text.append("\n  ")
          .append(circle.get(i).path())
          .append(" waits since turn ")
          .append(lastTurn.applyAsLong(circle.get(i)))
          .append(" for the answer of ")
          .append(circle.get((i + 1) % circle.size()).path());
    return new DeadlockException(text.toString());
  }

  static DeadlockException of(List<ActorSnapshot> waiting) {
    var text =
        new StringBuilder("Nothing can happen any more, and these wait. [SIMULATION-DEADLOCK]");
    for (ActorSnapshot actor : waiting) text.append("\n  ").append(actor.describe());
    return new DeadlockException(text.toString());
  }
}
