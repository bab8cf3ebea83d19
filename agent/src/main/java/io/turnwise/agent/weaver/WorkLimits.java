package io.turnwise.agent.weaver;

/**
 * How much work may be done between two polls: so many bytecode instructions, as a guess at time,
 * and so many rounds at most. More makes short loops a little faster and a turn slower to stop.
 *
 * @param countsCalls whether a loop that calls what the weaver does not know may run rounds without
 *     a poll, too
 * @param countsNests whether a loop around another may, too
 */
record WorkLimits(int instructions, int mostRounds, boolean countsCalls, boolean countsNests) {
  /** The work of about a twentieth of a millisecond, when it is compiled. */
  static final WorkLimits DEFAULT = new WorkLimits(131_072, 16_384, false, false);

  /** For the JDK's loops over a user's function, which is inlined when it is small. */
  static final WorkLimits SPARING = new WorkLimits(131_072, 256, true, false);

  /** For loops whose polls can answer little, and so should be asked seldom. */
  static final WorkLimits SELDOM = new WorkLimits(131_072, 256, true, true);

  WorkLimits {
    if (instructions < 1 || mostRounds < 1)
      throw new IllegalArgumentException("between two polls there must be room for one round");
  }

  /**
   * @param weight the instructions of one round
   */
  int rounds(int weight) {
    return Math.clamp(instructions / Math.max(1, weight), 1, mostRounds);
  }
}
