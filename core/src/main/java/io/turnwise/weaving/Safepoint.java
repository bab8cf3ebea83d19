package io.turnwise.weaving;

import io.turnwise.internal.weaving.PollFlag;

/** What woven code calls where a loop or a recursion passes. Not for use by hand. */
public final class Safepoint {
  private Safepoint() {}

  /** Where a turn may be preempted or cancelled. */
  public static void poll() {
    if (PollFlag.raised) PollFlag.answer();
  }
}
