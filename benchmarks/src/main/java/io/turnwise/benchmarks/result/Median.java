package io.turnwise.benchmarks.result;

import java.util.Arrays;

/** The middle of some numbers; of the two in the middle, their mean. */
final class Median {
  private Median() {}

  static double of(double[] numbers) {
    if (numbers.length == 0) {
      return Double.NaN;
    }
    double[] sorted = numbers.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
