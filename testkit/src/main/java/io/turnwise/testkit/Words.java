package io.turnwise.testkit;

import io.turnwise.internal.cell.LocalActorSystem;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.DeadLetter;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How failures put things. */
final class Words {
  private static final int SHOWN = 10;
  private static final int LONGEST = 300;

  private Words() {}

  /** A message as it describes itself; cut, if it has much to say. */
  static String message(Object message) {
    String text;
    try {
      text = String.valueOf(message);
    } catch (RuntimeException e) {
      return message.getClass().getName() + ", whose toString threw " + e;
    }
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }

  /** One of a type: {@code an Order}. */
  static String one(Class<?> type) {
    String name = type.getSimpleName();
    return ("AEIOU".indexOf(name.charAt(0)) < 0 ? "a " : "an ") + name;
  }

  static String letter(DeadLetter letter) {
    return message(letter.message()) + " to " + letter.recipient() + " (" + letter.reason() + ")";
  }

  static String time(Duration time) {
    if (time.toNanosPart() == 0) return time.toSeconds() + " s";
    if (time.toNanosPart() % 1_000_000 == 0) return time.toMillis() + " ms";
    return time.toNanos() + " ns";
  }

  /** A line of its own: the last of them, oldest first. */
  static <T> String list(String title, List<T> all, Function<? super T, String> describe) {
    String head = "\n  " + title + ": ";
    if (all.isEmpty()) return head + "none";
    List<T> last = all.subList(Math.max(0, all.size() - SHOWN), all.size());
    return head
        + (last.size() < all.size() ? "the last " + SHOWN + " of " + all.size() + ": " : "")
        + last.stream().map(describe).collect(Collectors.joining("; "));
  }

  /** A line with who is not at rest; empty when all are. */
  static String underWay(LocalActorSystem system) {
    List<ActorSnapshot> busy = system.actors().stream().filter(a -> !rests(a)).toList();
    return busy.isEmpty() ? "" : list("under way", busy, Words::actor);
  }

  /** What it does, and where in its own code: {@code … 0 queued, in sleep at Cart.add(…:88)}. */
  static String actor(ActorSnapshot actor) {
    StackTraceElement inner = null;
    for (StackTraceElement frame : actor.stack()) {
      if (!isLibrary(frame.getClassName()))
        return actor.describe()
            + (inner == null ? "" : ", in " + inner.getMethodName())
            + " at "
            + frame;
      inner = frame;
    }
    return actor.describe();
  }

  /** Of the JDK or of the runtime: who reads a failure looks for the code under test. */
  private static boolean isLibrary(String type) {
    return type.startsWith("java.")
        || type.startsWith("jdk.")
        || type.startsWith("io.turnwise.internal.")
        || type.startsWith("io.turnwise.weaving.");
  }

  static boolean rests(ActorSnapshot actor) {
    return actor.state() == ActorState.HALTED
        || actor.state() == ActorState.RESTARTING // its supervisor's timer brings it back
        || actor.state() == ActorState.RECEIVING && actor.queued() == 0;
  }
}
