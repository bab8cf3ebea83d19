package io.turnwise.internal.scheduler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a turn was when its actor went on without it, for people.
 *
 * @param stack innermost first; empty if there was no memory to take it
 * @param waitsFor the lock, or what else it waits for, where that is known
 * @param monitors those that it has entered, where that is known
 */
public record AbandonedTurn(
    List<StackTraceElement> stack, @Nullable String waitsFor, List<String> monitors) {
  private static final AbandonedTurn SOMEWHERE = new AbandonedTurn(List.of(), null, List.of());

  /** A turn that nobody runs meanwhile. */
  static AbandonedTurn of(Thread thread) {
    try {
      return new AbandonedTurn(
          List.of(thread.getStackTrace()),
          LockWait.describeSuspended(thread),
          LockWait.monitorsOf(thread));
    } catch (OutOfMemoryError e) { // the actor must go on all the same
      return SOMEWHERE;
    }
  }

  static AbandonedTurn of(Thread thread, StackTraceElement[] stack) {
    try {
      return new AbandonedTurn(List.of(stack), LockWait.describe(thread), List.of());
    } catch (OutOfMemoryError e) {
      return SOMEWHERE;
    }
  }

  /** On the turn's own thread, in a poll or after a wait: without our own frames. */
  public static AbandonedTurn here() {
    try {
      StackTraceElement[] stack = Thread.currentThread().getStackTrace();
      int first = 1; // getStackTrace itself
      while (first < stack.length && isOurs(stack[first].getClassName())) first++;
      return new AbandonedTurn(List.of(stack).subList(first, stack.length), null, List.of());
    } catch (OutOfMemoryError | StackOverflowError e) {
      return SOMEWHERE;
    }
  }

  private static boolean isOurs(String className) {
    return className.startsWith("io.turnwise.internal.")
        || className.startsWith("io.turnwise.weaving.")
        || className.equals("java.lang.Thread")
        || className.equals("java.lang.VirtualThread");
  }

  /** Says where it is. */
  public void appendTo(StringBuilder text) {
    if (waitsFor != null) text.append("\n  waits for ").append(waitsFor);
    for (String monitor : monitors) text.append("\n  holds the monitor of ").append(monitor);
    ShownStack.appendTo(text, stack);
  }
}
