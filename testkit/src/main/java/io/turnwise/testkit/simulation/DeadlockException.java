package io.turnwise.testkit.simulation;

import java.util.List;
import java.util.function.BiFunction;

/** Nothing can happen any more, or nothing but that time runs out, and somebody still waits. */
final class DeadlockException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private DeadlockException(String text) {
    super(text);
  }

  /**
   * Each waits for the next one, and the last for the first.
   *
   * @param sentence who a thread belongs to, and since when it waits for that
   */
  static DeadlockException of(
      List<Circle.Link> circle, BiFunction<Thread, String, String> sentence) {
    var text = new StringBuilder("Actors wait for each other. [SIMULATION-DEADLOCK]");
    for (Circle.Link link : circle)
      text.append("\n  ").append(sentence.apply(link.thread(), link.what()));
    return new DeadlockException(text.toString());
  }

  /** One line for each that waits. */
  static DeadlockException of(List<String> waiting) {
    return new DeadlockException(
        "Nothing can happen any more, and these wait. [SIMULATION-DEADLOCK]\n  "
            + String.join("\n  ", waiting));
  }
}
