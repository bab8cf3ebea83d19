package io.turnwise.agent.weaver;

/**
 * How much work may be done between two polls, in bytecode instructions, and how many rounds of a
 * loop at most. More makes short loops a little faster and a turn slower to stop. The instructions
 * are a guess: about a twentieth of a millisecond's worth of compiled code.
 */
record WorkLimits(int budget, int mostRounds) {
  static final WorkLimits DEFAULT = new WorkLimits(131_072, 16_384);

  WorkLimits {
    if (budget < 1 || mostRounds < 1)
      throw new IllegalArgumentException("between two polls there must be room for one round");
  }

  /** How many rounds of a loop of that weight make a strip. */
  int roundsOf(int weight) {
    return Math.clamp(budget / Math.max(1, weight), 1, mostRounds);
  }

  /** What a round of that weight takes from the budget. */
  int chargeOf(int weight) {
    int leastForRounds = Math.max(1, budget / mostRounds);
    return Math.clamp(weight, leastForRounds, Short.MAX_VALUE);
  }
}
