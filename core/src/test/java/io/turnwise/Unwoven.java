package io.turnwise;

import io.turnwise.internal.weaving.PollFlag;
import io.turnwise.weaving.Safepoint;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What handlers of tests do that nothing may stop. {@code ./turnwise test-every-poll} weaves
 * classes by the word Test in their names, and so leaves this one as it is.
 */
final class Unwoven {
  private Unwoven() {}

  /** Without polls, as in a native call. */
  static void spin(AtomicBoolean end) {
    while (!end.get()) Thread.onSpinWait();
  }

  /** The same. Once it has begun, it is running, and not stopped. */
  static void spin(CountDownLatch begun, CountDownLatch end) {
    begun.countDown();
    while (end.getCount() > 0) Thread.onSpinWait();
  }

  /** The same while the flag is up for the first time. */
  static void spinUntilTheFlagIsDownAgain() {
    while (!PollFlag.raised) Thread.onSpinWait();
    while (PollFlag.raised) Thread.onSpinWait();
  }

  /** About a millisecond, in Java code all the time. */
  static void spinForAWhile() {
    for (int i = 0; i < 20_000; i++) Thread.onSpinWait();
  }

  /** Polls, and does not let itself be ended by what they throw. */
  static void swallow(AtomicInteger rounds) {
    while (true) {
      try {
        rounds.incrementAndGet();
        Safepoint.poll();
      } catch (Throwable swallowed) {
        // on purpose
      }
    }
  }

  /** Finds the end of the stack. One that is stopped on its way moves to the heap. */
  static final class Recursion implements Actor<String> {
    @Override
    public void receive(String message, Context<String> context) {
      context.self().cast(deeper(message) + context);
    }

    private String deeper(String message) {
      return deeper(message + "") + "x";
    }
  }

  /** Polls at the end of its stack most of the time, and there also swallows what is thrown. */
  static void overflow(AtomicBoolean overflown) {
    Safepoint.poll();
    try {
      overflow(overflown);
    } catch (Throwable swallowed) {
      overflown.set(true);
    }
    overflow(overflown);
  }
}
