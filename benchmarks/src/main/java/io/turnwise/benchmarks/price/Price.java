package io.turnwise.benchmarks.price;

import java.util.List;

/**
 * What a kernel costs.
 *
 * @param unwoven nanoseconds for one run of it, the best that was seen
 * @param woven the same, with polls
 * @param forms how many polls the kernel's class got, by form
 */
public record Price(String kernel, double unwoven, double woven, String forms) {
  /** What the mean of all kernels may be. */
  public static final double MEAN_BAR = 1.03;

  /** What any kernel may be. */
  public static final double KERNEL_BAR = 1.15;

  public double ratio() {
    return woven / unwoven;
  }

  public boolean holds() {
    return ratio() <= KERNEL_BAR;
  }

  /** Geometric, because ratios multiply. */
  public static double mean(List<Price> prices) {
    return Math.exp(
        prices.stream().mapToDouble(it -> Math.log(it.ratio())).average().orElse(Double.NaN));
  }
}
