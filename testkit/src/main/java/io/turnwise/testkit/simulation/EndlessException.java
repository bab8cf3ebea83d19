package io.turnwise.testkit.simulation;

/** A simulation has gone on for as long as it may. */
final class EndlessException extends RuntimeException {
  private static final long serialVersionUID = 1;

  EndlessException(long turns) {
    super(
        "Still busy after "
            + turns
            + " turns. [SIMULATION-ENDLESS]\n"
            + "  next:  look who keeps sending in the story, or allow more with"
            + " SimulationPlan.withMaxTurns");
  }
}
