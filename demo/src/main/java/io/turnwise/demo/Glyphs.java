package io.turnwise.demo;

import java.nio.charset.Charset;
import java.util.Collection;
import java.util.Locale;

/** How numbers look: in Unicode where the terminal can show it, in ASCII elsewhere. */
record Glyphs(String levels, char full, char gone, String micro) {
  private static final Glyphs UNICODE = new Glyphs("▁▂▃▄▅▆▇█", '█', '·', "µs");
  private static final Glyphs ASCII = new Glyphs("_.-:=+*#", '#', '.', "us");

  static Glyphs in(Charset charset) {
    return charset.canEncode() && charset.newEncoder().canEncode(UNICODE.levels) ? UNICODE : ASCII;
  }

  /** A row of levels, the largest value at the top. */
  String sparkline(Collection<Long> values) {
    long top = Math.max(1, values.stream().mapToLong(Long::longValue).max().orElse(1));
    var line = new StringBuilder();
    for (long value : values)
      line.append(levels.charAt((int) (value * (levels.length() - 1) / top)));
    return line.toString();
  }

  /** A bar of at most {@code width} for a value of at most {@code top}. */
  String bar(long value, long top, int width) {
    long length = Math.min(width, Math.round((double) value * width / Math.max(1, top)));
    return String.valueOf(full).repeat((int) (value > 0 ? Math.max(1, length) : 0));
  }

  String time(long nanos) {
    if (nanos < 1_000) return nanos + " ns";
    if (nanos < 1_000_000) return three(nanos / 1e3) + " " + micro;
    if (nanos < 1_000_000_000) return three(nanos / 1e6) + " ms";
    return three(nanos / 1e9) + " s";
  }

  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** Three digits: enough to see, few enough to read. */
  private static String three(double value) {
    String format = value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f";
    return String.format(Locale.ROOT, format, value);
  }
}
