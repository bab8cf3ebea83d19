package io.turnwise.testkit.simulation;

import io.turnwise.ActorRef;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What happened, step by step: in words, and for a picture. */
final class Story {
  private static final int LONGEST = 80;
  private static final int MOST_STEPS = 200;

  private final int mostSteps;

  /** Time that passes for longer than this, while nobody can run, is marked. */
  private static final long A_WHILE = 500_000;

  /**
   * @param actor whose step it is, or empty
   * @param message what it handles, or empty
   * @param from who sent that, and in which step; or null
   */
  record Step(
      long time, String actor, String message, String what, @Nullable Sender from, boolean late) {
    @Override
    public String toString() {
      return seconds(time) + " s  " + actor + (actor.isEmpty() ? "" : " ") + what;
    }
  }

  record Sender(String actor, int step) {}

  private record Letter(ActorRef<?> to, Object message, Sender from) {}

  private final List<Step> steps = new ArrayList<>();

  /** For each step, a number for all that had happened until then. */
  private final List<Long> marks = new ArrayList<>();

  private LongSupplier mark = () -> 0;
  private final List<Letter> underWay = new ArrayList<>();
  private long beganAt;
  private long stoodUntil;
  private int untold;
  private boolean ended;

  Story() {
    this(MOST_STEPS);
  }

  /**
   * @param mostSteps later ones are counted, and not told
   */
  Story(int mostSteps) {
    this.mostSteps = mostSteps;
  }

  /**
   * @param marking gives a number for all that has happened so far
   */
  void beginAt(long nanos, LongSupplier marking) {
    mark = marking;
    beganAt = nanos;
    stoodUntil = nanos;
  }

  /** What follows is the end of the system, and not worth telling. */
  void end() {
    ended = true;
  }

  List<Step> steps() {
    return steps;
  }

  /** Its number in the story; 0 if there is none. */
  int lastStepOf(String actor) {
    int step = steps.size();
    while (step > 0 && !steps.get(step - 1).actor().equals(actor)) step--;
    return step;
  }

  List<Long> marks() {
    return marks;
  }

  void sends(String from, ActorRef<?> to, Object message) {
    if (!ended) underWay.add(new Letter(to, message, new Sender(from, steps.size())));
  }

  /**
   * @param what the message in words
   */
  void handles(long now, ActorRef<?> actor, Object message, String what) {
    tell(now, actor.path(), what, "handles " + what, sender(actor, message));
  }

  private @Nullable Sender sender(ActorRef<?> to, Object message) {
    for (Iterator<Letter> each = underWay.iterator(); each.hasNext(); ) {
      Letter letter = each.next();
      if (letter.to() != to || letter.message() != message) continue;
      each.remove();
      return letter.from();
    }
    return null;
  }

  /** Something happens to an actor. */
  void happens(long now, String actor, String what) {
    tell(now, actor, "", what, null);
  }

  private void tell(long now, String actor, String message, String what, @Nullable Sender from) {
    if (ended) return;
    if (steps.size() >= mostSteps) {
      untold++;
      return;
    }
    int end = what.indexOf('\n');
    String line = end < 0 ? what : what.substring(0, end);
    steps.add(new Step(now - beganAt, actor, message, line, from, now - stoodUntil >= A_WHILE));
    marks.add(mark.getAsLong());
    stoodUntil = now;
  }

  /** The same in every country. */
  static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.6f", nanos / 1e9);
  }

  /** What a record or a constant says of itself; of others, which may say anything, the type. */
  static String describe(Object message) {
    boolean plain =
        message instanceof Record
            || message instanceof CharSequence
            || message instanceof Number
            || message instanceof Enum<?>;
    String text = plain ? String.valueOf(message) : nameOf(message.getClass());
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
    var text = new StringBuilder();
    for (int i = 0; i < steps.size(); i++) {
      Step step = steps.get(i);
      if (i > 0) text.append('\n');
      text.append(
          "%4s %s%11s s  %s"
              .formatted(
                  Integer.toString(i + 1),
                  step.late() ? "…" : " ",
                  seconds(step.time()),
                  step.actor()));
      if (!step.actor().isEmpty()) text.append(' ');
      text.append(step.what());
      if (step.from() != null && !step.from().actor().isEmpty())
        text.append("  (from ").append(step.from().actor()).append(')');
    }
    if (untold > 0) text.append("\n      … and ").append(untold).append(" more");
    return text.toString();
  }
}
