package io.turnwise.faults.property;

import java.util.SplittableRandom;

/** How often, in a thousand messages, a world's citizens do something unusual. */
record Mood(int block, int stash, int grow, int die) {

  static Mood calm() {
    return new Mood(2, 1, 2, 1);
  }

  static Mood any(SplittableRandom random) {
    int[] scales = {0, 2, 20, 100};
    return new Mood(
        scales[random.nextInt(4)],
        scales[random.nextInt(3)],
        scales[random.nextInt(3)],
        scales[random.nextInt(3)]);
  }
}
