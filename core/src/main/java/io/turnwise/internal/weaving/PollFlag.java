package io.turnwise.internal.weaving;

/**
 * The one flag of the whole JVM that every poll reads. Raised while some turn is to stop; whose it
 * is, the answer finds out.
 */
public final class PollFlag {
  private static final Runnable NOBODY = () -> {};

  /** Read by every poll. Volatile: a plain load would be hoisted out of the loop it is for. */
  public static volatile boolean raised;

  private static volatile Runnable answer = NOBODY;

  private PollFlag() {}

  /** Any thread. */
  public static void raise() {
    if (!raised) raised = true;
  }

  /** Any thread. Whoever lowers it looks afterwards whether somebody still needs it. */
  public static void lower() {
    raised = false;
  }

  /** What a poll does while the flag is up, on whatever thread polls. */
  public static void answerBy(Runnable next) {
    answer = next;
  }

  /** Called by polls that found the flag up. */
  public static void answer() {
    answer.run();
  }
}
