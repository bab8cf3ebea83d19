package io.turnwise.testkit.simulation;

import io.turnwise.ActorRef;
import java.util.ArrayList;
import java.util.List;

/** What happened, step by step, in words. */
final class Story {
  private static final int LONGEST = 80;
  private static final int MOST_STEPS = 200;

  /** Time that passes for longer than this, while nobody can run, is marked. */
  private static final long A_WHILE = 500_000;

  private final List<String> steps = new ArrayList<>();
  private long beganAt;
  private long stoodUntil;
  private int untold;
  private boolean ended;

  void beginAt(long nanos) {
    beganAt = nanos;
    stoodUntil = nanos;
  }

  /** What follows is the end of the system, and not worth telling. */
  void end() {
    ended = true;
  }

  int size() {
    return steps.size() + untold;
  }

  void handles(long now, ActorRef<?> actor, Object message) {
    tell(now, actor.path() + " handles " + describe(message));
  }

  void happens(long now, String what) {
    tell(now, what);
  }

  private void tell(long now, String what) {
    if (ended) return;
    if (steps.size() >= MOST_STEPS) {
      untold++;
      return;
    }
    double seconds = (now - beganAt) / 1e9;
    String passed = now - stoodUntil >= A_WHILE ? "…" : " ";
    stoodUntil = now;
    int end = what.indexOf('\n');
    String line = end < 0 ? what : what.substring(0, end);
    steps.add("%4d %s%11.6f s  %s".formatted(steps.size() + 1, passed, seconds, line));
  }

  /** What a record or a constant says of itself; of others, which may say anything, the type. */
  static String describe(Object message) {
    String text =
        message instanceof Record
                || message instanceof CharSequence
                || message instanceof Number
                || message instanceof Enum<?>
            ? String.valueOf(message)
            : nameOf(message.getClass());
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
  }

  /** The same in every run: hidden classes have numbers in their names. */
  static String nameOf(Class<?> type) {
    String name = type.getName();
    int lambda = name.indexOf("$$Lambda");
    if (lambda >= 0) return name.substring(name.lastIndexOf('.', lambda) + 1, lambda) + "'s lambda";
    return name.substring(name.lastIndexOf('.') + 1);
  }

  @Override
  public String toString() {
    String told = String.join("\n", steps);
    return untold == 0 ? told : told + "\n      … and " + untold + " more";
  }
}
