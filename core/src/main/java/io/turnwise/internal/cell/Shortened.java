package io.turnwise.internal.cell;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Stands in the log for an exception that is too long to be printed, or cannot be: its text, its
 * causes and its frames up to a bound. What fits is logged itself.
 *
 * <p>Who writes an exception decides what its methods do. They are called on the log's own thread,
 * as a logger would, and may throw or go round in a circle.
 */
final class Shortened extends Exception {
  private static final long serialVersionUID = 1L;

  static final int TEXT = 2_000;

  /** Of a whole line without its exception. */
  static final int LINE = 16_000;

  /** An exception, its causes, and those that were suppressed, all together. */
  static final int EXCEPTIONS = 30;

  /** Of all of them together: what two full stacks have. */
  static final int FRAMES = 2_048;

  private final String text;

  private Shortened(String text, @Nullable Throwable cause) {
    super(null, cause);
    this.text = text;
  }

  @Override
  public Throwable fillInStackTrace() {
    return this; // it gets those of the exception it stands for
  }

  @Override
  public String getMessage() {
    return text;
  }

  @Override
  public String toString() {
    return text;
  }

  /** The exception itself, or what is shown in its place. */
  static Throwable of(Throwable cause) {
    return new Measure().fits(cause) ? cause : new Measure().copy(cause);
  }

  static String cut(String whole, int most) {
    if (whole.length() <= most) return whole;
    int end = Character.isHighSurrogate(whole.charAt(most - 1)) ? most - 1 : most;
    return whole.substring(0, end) + "… (" + (whole.length() - end) + " more characters)";
  }

  /** What is left of the bounds while one exception is gone through. */
  private static final class Measure {
    private final Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private int exceptions = EXCEPTIONS;
    private int frames = FRAMES;

    /** Not in a circle either: not every logger looks for that. No deeper than the bound. */
    boolean fits(Throwable one) {
      if (--exceptions < 0 || !seen.add(one)) return false;
      try {
        frames -= one.getStackTrace().length;
        if (frames < 0 || one.toString().length() > TEXT) return false;
        for (Throwable other : one.getSuppressed()) if (!fits(other)) return false;
        Throwable cause = one.getCause();
        return cause == null || fits(cause);
      } catch (Throwable broken) { // it cannot be printed
        return false;
      }
    }

    private Shortened copy(Throwable one) {
      exceptions--;
      seen.add(one);
      var copy = new Shortened(textOf(one), causeOf(one));
      StackTraceElement[] stack = stackOf(one);
      int shown = Math.min(stack.length, frames);
      frames -= shown;
      copy.setStackTrace(Arrays.copyOf(stack, shown));
      for (Throwable other : one.getSuppressed()) {
        copy.addSuppressed(next(other));
        if (exceptions <= 0) break;
      }
      return copy;
    }

    private @Nullable Throwable causeOf(Throwable one) {
      Throwable cause;
      try {
        cause = one.getCause();
      } catch (Throwable broken) {
        return new Shortened("(its cause cannot be had: " + nameOf(broken) + ")", null);
      }
      return cause == null ? null : next(cause);
    }

    private Throwable next(Throwable other) {
      if (seen.contains(other)) return new Shortened("(again: " + nameOf(other) + ")", null);
      if (exceptions <= 0) return new Shortened("(more of them are left out)", null);
      return copy(other);
    }

    private static String textOf(Throwable one) {
      try {
        return cut(one.toString(), TEXT);
      } catch (Throwable broken) {
        return nameOf(one) + " (which cannot be printed: " + nameOf(broken) + ")";
      }
    }

    private static StackTraceElement[] stackOf(Throwable one) {
      try {
        StackTraceElement[] stack = one.getStackTrace();
        if (Arrays.stream(stack).allMatch(frame -> frame != null)) return stack;
      } catch (Throwable broken) {
        // It has none to show.
      }
      return new StackTraceElement[0];
    }

    private static String nameOf(Throwable one) {
      return one.getClass().getName();
    }
  }
}
