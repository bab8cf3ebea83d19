package io.turnwise.testkit.simulation;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;

/** A story as a page with a picture: a column for each actor, a row for each step. */
final class Diagram {
  private static final int COLUMN = 190;
  private static final int ROW = 34;
  private static final int LEFT = 110;
  private static final int TOP = 60;

  /** Of letters, in a column. */
  private static final int WIDEST = 28;

  private static final int WIDEST_BOLD = 25;

  private final List<Story.Step> steps;
  private final List<String> actors;
  private final StringBuilder svg = new StringBuilder();

  private Diagram(List<Story.Step> steps) {
    this.steps = steps;
    var found = new LinkedHashSet<String>();
    for (Story.Step step : steps) {
      if (step.from() != null && !step.from().actor().isEmpty()) found.add(step.from().actor());
      if (!step.actor().isEmpty()) found.add(step.actor());
    }
    this.actors = new ArrayList<>(found);
  }

  static String of(Story story, String title) {
    var diagram = new Diagram(story.steps());
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>"
        + escaped(title.lines().findFirst().orElse(""))
        + "</title><style>body{font:14px system-ui,sans-serif;margin:24px;background:#fff;color:#222}"
        + "pre{background:#f6f6f4;padding:12px;overflow:auto}svg{max-width:none}</style></head>\n<body><pre>"
        + escaped(title)
        + "</pre>\n"
        + diagram.drawn()
        + "</body></html>\n";
  }

  private String drawn() {
    int width = LEFT + COLUMN * Math.max(1, actors.size());
    int height = TOP + ROW * (steps.size() + 1);
    svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"")
        .append(width)
        .append("\" height=\"")
        .append(height)
        .append("\" font-family=\"system-ui,sans-serif\" font-size=\"12\">\n")
        // Written on a white rim: lines pass behind it.
        .append("<style>text{paint-order:stroke;stroke:#fff;stroke-width:3px}</style>\n")
        .append(
            "<defs><marker id=\"tip\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\"")
        .append(
            " orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#4a6fa5\"/></marker></defs>\n");
    for (int i = 0; i < actors.size(); i++) lifeline(i, height);
    // All arrows first: none is drawn over what is written.
    for (int i = 0; i < steps.size(); i++) arrow(i, steps.get(i));
    for (int i = 0; i < steps.size(); i++) step(i, steps.get(i));
    return svg.append("</svg>\n").toString();
  }

  private int x(String actor) {
    return LEFT + COLUMN * actors.indexOf(actor) + COLUMN / 2;
  }

  private static int y(int step) {
    return TOP + ROW * step + ROW / 2;
  }

  private void lifeline(int index, int height) {
    int x = LEFT + COLUMN * index + COLUMN / 2;
    line(x, TOP - 20, x, height - ROW / 2, "#ccc", "");
    text(x, 24, "middle", "#222", "font-weight=\"bold\"", shownPath(actors.get(index)));
  }

  /** From the step in which it was sent. */
  private void arrow(int index, Story.Step step) {
    Story.Sender from = step.from();
    if (from == null || from.actor().isEmpty() || from.actor().equals(step.actor())) return;
    int begin = y(Math.max(0, from.step() - 1));
    String tip = "marker-end=\"url(#tip)\"";
    line(x(from.actor()), begin, x(step.actor()), y(index), "#4a6fa5", tip);
  }

  private void step(int index, Story.Step step) {
    int y = y(index);
    text(8, y + 4, "start", "#888", "", (index + 1) + "  " + Story.seconds(step.time()) + " s");
    if (step.late()) line(0, y - ROW / 2, LEFT, y - ROW / 2, "#ddd", "stroke-dasharray=\"4 3\"");
    if (step.actor().isEmpty()) {
      text(LEFT, y + 4, "start", "#888", "font-style=\"italic\"", escaped(step.what()));
      return;
    }
    int x = x(step.actor());
    boolean handles = !step.message().isEmpty();
    svg.append("<rect x=\"")
        .append(x - 5)
        .append("\" y=\"")
        .append(y - 8)
        .append("\" width=\"10\" height=\"16\" rx=\"2\" fill=\"")
        .append(handles ? "#4a6fa5" : "#c9d4e5")
        .append("\"/>\n");
    String label = handles ? step.message() : step.what();
    text(x + 10, y + 4, "start", handles ? "#222" : "#a33", "", shown(label));
  }

  /** What fits into a column. The whole is shown where somebody points at it. */
  private static String shown(String text) {
    return text.length() <= WIDEST
        ? escaped(text)
        : escaped(text.substring(0, WIDEST - 1)) + "…" + whole(text);
  }

  /** Paths differ at their ends. */
  private static String shownPath(String path) {
    return path.length() <= WIDEST_BOLD
        ? escaped(path)
        : "…" + escaped(path.substring(path.length() - WIDEST_BOLD + 1)) + whole(path);
  }

  private static String whole(String text) {
    return "<title>" + escaped(text) + "</title>";
  }

  private void line(int x1, int y1, int x2, int y2, String colour, String more) {
    // By no country's rules: some write their numbers in digits that no browser takes.
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" %s/>\n",
            x1,
            y1,
            x2,
            y2,
            colour,
            more));
  }

  /**
   * @param content escaped
   */
  private void text(int x, int y, String anchor, String colour, String more, String content) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" fill=\"%s\" %s>%s</text>\n",
            x,
            y,
            anchor,
            colour,
            more,
            content));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
