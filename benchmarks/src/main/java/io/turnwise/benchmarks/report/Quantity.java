package io.turnwise.benchmarks.report;

import java.util.Locale;

/** Numbers as people read them. */
final class Quantity {
  static final String NONE = "–";

  private Quantity() {}

  /** Three significant digits with k, M or G: 5.61 M, 126 k, 39.5; small whole numbers as such. */
  static String count(double number) {
    if (!Double.isFinite(number)) {
      return NONE;
    }
    double size = Math.abs(number);
    if (size >= 999_500_000) {
      return digits(number / 1e9) + " G";
    }
    if (size >= 999_500) {
      return digits(number / 1e6) + " M";
    }
    if (size >= 9_995) {
      return digits(number / 1e3) + " k";
    }
    return number == Math.rint(number) ? "" + (long) number : digits(number);
  }

  /** Nanoseconds in the unit that suits them: 820 ns, 4.97 µs, 12.1 ms, 4.95 s. */
  static String nanos(double nanos) {
    if (!Double.isFinite(nanos)) {
      return NONE;
    }
    if (nanos >= 999_500_000) {
      return digits(nanos / 1e9) + " s";
    }
    if (nanos >= 999_500) {
      return digits(nanos / 1e6) + " ms";
    }
    return nanos >= 999.5 ? digits(nanos / 1e3) + " µs" : digits(nanos) + " ns";
  }

  /** How many times as good: 2.41×. */
  static String ratio(double ratio) {
    return Double.isFinite(ratio) ? digits(ratio) + "×" : NONE;
  }

  static String percent(double share) {
    return Double.isFinite(share) ? Math.round(100 * share) + " %" : NONE;
  }

  private static String digits(double number) {
    double size = Math.abs(number);
    int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + decimals + "f", number);
  }
}
