package io.turnwise.internal.scheduler;

import java.util.List;

/** A stack as people see it: its innermost frames, since a recursion would fill pages. */
public final class ShownStack {
  private static final int MOST_FRAMES = 40;

  private ShownStack() {}

  public static List<StackTraceElement> innermost(List<StackTraceElement> stack) {
    return stack.subList(0, Math.min(stack.size(), MOST_FRAMES));
  }

  public static void appendTo(StringBuilder text, List<StackTraceElement> stack) {
    appendTo(text, "\n  ", stack);
  }

  /** The same, each line behind these words. */
  public static void appendTo(StringBuilder text, String before, List<StackTraceElement> stack) {
    for (StackTraceElement frame : innermost(stack))
      text.append(before).append("at ").append(frame);
    if (stack.size() > MOST_FRAMES)
      text.append(before).append("… ").append(stack.size() - MOST_FRAMES).append(" more");
  }
}
