package io.turnwise.testkit.simulation;

/** A simulation has gone on for as long as it may. */
final class EndlessException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private EndlessException(String text) {
    super(text);
  }

  /**
   * @param who has run lately, and since when nobody else has
   */
  static EndlessException ofTurns(long turns, String who) {
    return new EndlessException(
        "Still busy after "
            + turns
            + " turns. [SIMULATION-ENDLESS]\n  who:   "
            + who
            + "\n  next:  look who keeps sending or waking whom, or allow more with"
            + " SimulationPlan.withMaxTurns");
  }

  /** One turn does not come to its end. */
  static EndlessException ofOne(Object who, String handles, long sincePolls) {
    return new EndlessException(
        who
            + " does not come to the end of its turn"
            + handles
            + ": it has passed "
            + sincePolls
            + " polls, without waiting for anything. [SIMULATION-ENDLESS]\n"
            + "  next:  look for a loop that waits for somebody without letting time pass, or allow"
            + " more with SimulationPlan.withMaxTurns");
  }
}
