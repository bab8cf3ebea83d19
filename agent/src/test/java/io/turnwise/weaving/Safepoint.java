package io.turnwise.weaving;

import java.util.concurrent.atomic.AtomicLong;

/** Stands in for core's, which this module does not know. */
public final class Safepoint {
  public static final AtomicLong POLLS = new AtomicLong();

  private Safepoint() {}

  public static void poll() {
    POLLS.incrementAndGet();
  }

  public static void pollCall() {
    POLLS.incrementAndGet();
  }

  public static void pollPause() {
    POLLS.incrementAndGet();
  }
}
