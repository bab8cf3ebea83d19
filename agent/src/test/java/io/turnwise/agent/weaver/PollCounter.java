package io.turnwise.agent.weaver;

/** What woven fixtures poll: counts, and may throw. */
public final class PollCounter {
  static final PollTarget TARGET =
      new PollTarget("io/turnwise/agent/weaver/PollCounter", "poll", "pollCall", "pollPause");

  private static long polls;
  private static long throwAt = -1;

  private PollCounter() {}

  /** The polls of one thread: tests that use this do not run side by side. */
  static long during(Runnable run) {
    polls = 0;
    throwAt = -1;
    run.run();
    return polls;
  }

  /** The poll of that number throws, once. */
  static void throwAt(long number) {
    polls = 0;
    throwAt = number;
  }

  public static void poll() {
    if (++polls == throwAt) throw new Stopped();
  }

  public static void pollCall() {
    poll();
  }

  /** Ends nothing. */
  public static void pollPause() {}

  /** As an error, so that no fixture catches it by accident. */
  static final class Stopped extends Error {
    private static final long serialVersionUID = 1;
  }
}
