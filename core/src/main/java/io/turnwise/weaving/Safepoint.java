package io.turnwise.weaving;

import io.turnwise.internal.weaving.PollFlag;

/** What woven code calls where a loop or a recursion passes. Not for use by hand. */
public final class Safepoint {
  private Safepoint() {}

  /** Where a turn may be preempted or cancelled. */
  public static void poll() {
    if (PollFlag.raised) PollFlag.answer();
  }

  /**
   * Before a call that recursion may pass: where a turn may be preempted, and cancelled only if it
   * is in a recursion: the call may be the first of a {@code finally}.
   */
  public static void pollCall() {
    if (PollFlag.raised) PollFlag.answerAtCall();
  }

  /**
   * Before a call that the same method makes in a {@code finally}: where a turn may be preempted,
   * and is ended only if its actor has gone on without it.
   */
  public static void pollPause() {
    if (PollFlag.raised) PollFlag.answerInCleanUp();
  }
}
