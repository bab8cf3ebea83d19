package io.turnwise.benchmarks.price;

import io.turnwise.benchmarks.result.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  /** As results are kept. */
  public String toJson() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("kernel", kernel);
    fields.put("unwoven_ns", unwoven);
    fields.put("woven_ns", woven);
    fields.put("ratio", ratio());
    fields.put("polls", forms);
    return Json.write(fields);
  }

  /** Geometric, because ratios multiply. */
  public static double mean(List<Price> prices) {
    return Math.exp(
        prices.stream().mapToDouble(it -> Math.log(it.ratio())).average().orElse(Double.NaN));
  }
}
