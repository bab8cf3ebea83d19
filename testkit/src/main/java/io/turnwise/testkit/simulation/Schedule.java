package io.turnwise.testkit.simulation;

import java.util.Arrays;

/**
 * What was chosen, choice by choice. Zero is always what would happen if nobody chose: the one that
 * waits longest goes next, and its turn is not stopped.
 */
final class Schedule {
  private int[] choices;
  private int size;

  Schedule() {
    this(new int[64], 0);
  }

  private Schedule(int[] choices, int size) {
    this.choices = choices;
    this.size = size;
  }

  static Schedule of(int... choices) {
    return new Schedule(choices.clone(), choices.length);
  }

  int size() {
    return size;
  }

  /** Beyond its end nobody chooses. */
  int at(int index) {
    return index < size ? choices[index] : 0;
  }

  void add(int choice) {
    if (size == choices.length) choices = Arrays.copyOf(choices, 2 * size);
    choices[size++] = choice;
  }

  int[] toArray() {
    return Arrays.copyOf(choices, size);
  }

  /** Without the zeros at its end. */
  Schedule trimmed() {
    int end = size;
    while (end > 0 && choices[end - 1] == 0) end--;
    return new Schedule(Arrays.copyOf(choices, end), end);
  }

  /** Such as {@code 12z.3.1}: twelve zeros, then 3, then 1. */
  @Override
  public String toString() {
    var text = new StringBuilder();
    for (int i = 0; i < size; ) {
      int run = 0;
      while (i + run < size && choices[i + run] == 0) run++;
      if (!text.isEmpty()) text.append('.');
      if (run > 1) text.append(run).append('z');
      else text.append(choices[i]);
      i += Math.max(1, run);
    }
    return text.toString();
  }

  static Schedule parse(String text) {
    var schedule = new Schedule();
    if (text.isEmpty()) return schedule;
    for (String part : text.split("\\.", -1)) {
      try {
        if (part.endsWith("z")) {
          int zeros = Integer.parseInt(part.substring(0, part.length() - 1));
          for (int i = 0; i < zeros; i++) schedule.add(0);
        } else {
          schedule.add(Integer.parseUnsignedInt(part));
        }
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(
            "The schedule has the part \"" + part + "\"; copy the whole schedule that was printed",
            e);
      }
    }
    return schedule;
  }
}
