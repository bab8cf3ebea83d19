package io.turnwise.testkit.simulation;

/** How a simulation chooses what happens next. */
public sealed interface Strategy {
  /** Each choice is drawn by itself. Finds most defects soonest. */
  Strategy RANDOM = new RandomWalk();

  /** Each choice is drawn by itself, whatever came before. */
  record RandomWalk() implements Strategy {}

  /**
   * Every actor has a rank drawn at its first turn, and the highest goes first; at some drawn
   * moments the one that would go next falls below all whose rank has not changed. A defect that
   * shows whenever one pair of turns more than there are changes comes in a certain order is found
   * with a probability that can be stated, however rare it is otherwise: at least {@code 1 /
   * (actors * turns ^ changes)}. Where turns are stopped in the middle is drawn as in a random
   * walk, and makes it smaller.
   *
   * @param changes how many moments
   * @param turns about how many times somebody is chosen: the moments are drawn from these
   */
  record RankChanges(int changes, int turns) implements Strategy {
    public RankChanges {
      if (changes < 0)
        throw new IllegalArgumentException("changes is " + changes + "; use 0 or more");
      if (turns < 1) throw new IllegalArgumentException("turns is " + turns + "; use 1 or more");
    }
  }

  /** Goes the way that a simulation wrote down: see {@link Outcome#schedule}. */
  record Replay(String schedule) implements Strategy {
    public Replay {
      Schedule.parse(schedule);
    }
  }
}
