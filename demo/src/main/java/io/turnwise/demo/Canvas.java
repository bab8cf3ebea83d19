package io.turnwise.demo;

import java.io.PrintStream;
import java.util.List;

/** A few lines of a terminal that are drawn again and again in the same place. */
final class Canvas {
  private static final int WIDTH = 79;

  private final PrintStream out;
  private int drawn;

  Canvas(PrintStream out) {
    this.out = out;
  }

  void draw(List<String> lines) {
    var text = new StringBuilder();
    if (drawn > 0) text.append("\033[").append(drawn).append('A'); // up to the first line
    for (String line : lines) {
      String shown = line.length() > WIDTH ? line.substring(0, WIDTH) : line; // no line may wrap
      text.append("\033[2K").append(shown).append('\n');
    }
    drawn = lines.size();
    out.print(text);
    out.flush();
  }
}
