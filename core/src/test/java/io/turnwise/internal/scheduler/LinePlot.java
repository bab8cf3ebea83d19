package io.turnwise.internal.scheduler;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Lines over the number of workers, as an SVG that is readable on a light and on a dark page. A
 * point is the median of several seeds; a thin line goes from the least to the most.
 */
final class LinePlot {
  /** What was counted with so many workers. */
  record Point(int workers, double median, double least, double most) {
    Point times(double factor) {
      return new Point(workers, median * factor, least * factor, most * factor);
    }
  }

  private record Line(String name, List<Point> points) {}

  private static final int WIDTH = 720;
  private static final int HEIGHT = 340;
  private static final int LEFT = 70;
  private static final int RIGHT = 700;
  private static final int TOP = 50;
  private static final int BOTTOM = 240;
  private static final int NAMES_TOP = 290;
  private static final int NAME_WIDTH = 320;
  private static final int LINE_HEIGHT = 20;
  private static final double MOST_WORKERS_LOG = 8;

  private final String title;
  private final String unit;
  private final List<Line> lines = new ArrayList<>();
  private boolean logarithmic;
  private double low;
  private double high = 1;

  LinePlot(String title, String unit) {
    this.title = title;
    this.unit = unit;
  }

  LinePlot linear(double from, double to) {
    low = from;
    high = to;
    return this;
  }

  LinePlot logarithmic(double from, double to) {
    logarithmic = true;
    return linear(from, to);
  }

  LinePlot line(String name, List<Point> points) {
    lines.add(new Line(name, points));
    return this;
  }

  String svg() {
    var svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">
        <style>
          .page { fill: #ffffff } .ink { fill: #1f2328 } .faint { stroke: #d1d9e0 }
          .line { fill: none; stroke-width: 2 } .spread { stroke-width: 1 }
          .s0 { stroke: #0b62c4 } .s1 { stroke: #b4530a } .s2 { stroke: #1a7f37 } .s3 { stroke: #8250df }
          .f0 { fill: #0b62c4 } .f1 { fill: #b4530a } .f2 { fill: #1a7f37 } .f3 { fill: #8250df }
          @media (prefers-color-scheme: dark) {
            .page { fill: #0d1117 } .ink { fill: #e6edf3 } .faint { stroke: #3d444d }
            .s0 { stroke: #58a6ff } .s1 { stroke: #f0883e } .s2 { stroke: #56d364 } .s3 { stroke: #d2a8ff }
            .f0 { fill: #58a6ff } .f1 { fill: #f0883e } .f2 { fill: #56d364 } .f3 { fill: #d2a8ff }
          }
        </style>
        <rect class="page" width="100%%" height="100%%"/>
        <text class="ink" x="%d" y="24" font-size="15" font-weight="bold">%s</text>
        <text class="ink" x="%d" y="42">%s</text>
        """
            .formatted(WIDTH, HEIGHT, LEFT, title, LEFT, unit));
    drawAxes(svg);
    for (int i = 0; i < lines.size(); i++) drawLine(svg, lines.get(i), i);
    return svg.append("</svg>\n").toString();
  }

  private void drawAxes(StringBuilder svg) {
    for (double value : marks()) {
      add(
          svg,
          "<line class=\"faint\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
          LEFT,
          RIGHT,
          y(value),
          y(value));
      add(
          svg,
          "<text class=\"ink\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
          LEFT - 8,
          y(value) + 4,
          label(value));
    }
    for (int workers = 1; workers <= 1 << (int) MOST_WORKERS_LOG; workers *= 2)
      add(
          svg,
          "<text class=\"ink\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>",
          x(workers),
          BOTTOM + 20,
          workers);
    add(
        svg,
        "<text class=\"ink\" x=\"%d\" y=\"%d\" text-anchor=\"end\">workers</text>",
        RIGHT,
        BOTTOM + 36);
  }

  private List<Double> marks() {
    List<Double> marks = new ArrayList<>();
    if (logarithmic) {
      for (double value = low; value < high * 0.99; value *= 10) marks.add(value);
      marks.add(high);
    } else {
      for (int i = 0; i <= 4; i++) marks.add(low + (high - low) * i / 4);
    }
    return marks;
  }

  private static String label(double value) {
    if (value >= 1_000) return String.format(Locale.ROOT, "%,.0f", value);
    return String.format(Locale.ROOT, "%.4f", value).replaceAll("0+$", "").replaceAll("\\.$", "");
  }

  private void drawLine(StringBuilder svg, Line line, int number) {
    var path = new StringBuilder();
    for (Point point : line.points) {
      if (Double.isNaN(point.median)) continue;
      double x = x(point.workers);
      double y = y(point.median);
      path.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
      add(
          svg,
          "<line class=\"spread s%d\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>",
          number,
          x,
          x,
          y(point.least),
          y(point.most));
      add(svg, "<circle class=\"f%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>", number, x, y);
    }
    add(svg, "<polyline class=\"line s%d\" points=\"%s\"/>", number, path.toString().trim());
    int x = LEFT + number % 2 * NAME_WIDTH;
    int y = NAMES_TOP + number / 2 * LINE_HEIGHT;
    add(
        svg,
        "<line class=\"line s%d\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>",
        number,
        x,
        x + 24,
        y,
        y);
    add(svg, "<text class=\"ink\" x=\"%d\" y=\"%d\">%s</text>", x + 32, y + 4, line.name);
  }

  private static void add(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static double x(int workers) {
    double log = Math.log(workers) / Math.log(2);
    return LEFT + 20 + (RIGHT - LEFT - 40) * log / MOST_WORKERS_LOG;
  }

  /** What lies outside is drawn at the edge. */
  private double y(double value) {
    double inside = Math.max(low, Math.min(high, value));
    double part =
        logarithmic ? Math.log(inside / low) / Math.log(high / low) : (inside - low) / (high - low);
    return BOTTOM - (BOTTOM - TOP) * part;
  }
}
