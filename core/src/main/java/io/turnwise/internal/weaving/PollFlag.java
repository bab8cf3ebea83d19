package io.turnwise.internal.weaving;

/**
 * The one flag of the whole JVM that every poll reads. Raised while some worker's turn is to stop;
 * whose it is, the answer finds out.
 */
public final class PollFlag {
  private static final Runnable NOBODY = () -> {};

  /** Read by every poll. Volatile: a plain load would be hoisted out of the loop it is for. */
  public static volatile boolean raised;

  private static volatile Runnable answer = NOBODY;

  private PollFlag() {}

  /**
   * What a poll does while the flag is up. Runs on whatever thread polls; never throws by itself.
   */
  public static void answerBy(Runnable next) {
    answer = next;
  }

  /** Called by polls that found the flag up. */
  public static void answer() {
    answer.run();
  }
}
