package io.turnwise.benchmarks.price;

/**
 * How long to measure. More rounds are worth more than longer ones: each is a new JVM, and the
 * compiler does not decide the same way in all of them.
 */
public record PriceEffort(
    int rounds, int warmups, int warmupMillis, int iterations, int iterationMillis) {
  public static final PriceEffort USUAL = new PriceEffort(2, 4, 350, 6, 200);

  public static final PriceEffort QUICK = new PriceEffort(1, 4, 250, 3, 150);

  public PriceEffort withRounds(int rounds) {
    return new PriceEffort(rounds, warmups, warmupMillis, iterations, iterationMillis);
  }
}
