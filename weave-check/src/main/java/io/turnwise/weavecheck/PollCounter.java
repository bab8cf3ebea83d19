package io.turnwise.weavecheck;

import io.turnwise.agent.weaver.PollTarget;
import java.util.concurrent.atomic.LongAdder;

/** What woven code polls here: it only counts. */
public final class PollCounter {
  static final PollTarget TARGET =
      new PollTarget(
          PollCounter.class.getName().replace('.', '/'), "poll", "pollCall", "pollPause");

  private static final LongAdder PASSED = new LongAdder();

  private PollCounter() {}

  public static void poll() {
    PASSED.increment();
  }

  public static void pollCall() {
    PASSED.increment();
  }

  public static void pollPause() {
    PASSED.increment();
  }

  static long passed() {
    return PASSED.sum();
  }
}
