package io.turnwise.agent.sample;

import java.util.Date;
import java.util.Random;

/** Reads clocks, sleeps, and loops. */
public final class ClockProgram {
  private ClockProgram() {}

  static long wait(int rounds) throws InterruptedException {
    long begun = System.nanoTime();
    for (int i = 0; i < rounds; i++) Thread.sleep(i);
    return new Date().getTime() - begun + new OwnRandom().nextLong();
  }

  /** Makes itself by a constructor that nobody can stand in for. */
  static final class OwnRandom extends Random {
    private static final long serialVersionUID = 1;
  }
}
