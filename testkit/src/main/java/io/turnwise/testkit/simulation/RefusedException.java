package io.turnwise.testkit.simulation;

/** Simulated code wanted something of the world outside, and did not get it. */
final class RefusedException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  RefusedException(String what, Object who, long turn, StackTraceElement where) {
    super(
        what
            + " in a simulation: what comes from outside is decided by no seed. [SIMULATION-IO]\n"
            + "  where:  "
            + who
            + " in turn "
            + turn
            + ", at "
            + where
            + "\n  next:   "
            + advice(what)
            + ", or allow it with SimulationPlan.withInputOutput(true)");
  }

  private static String advice(String what) {
    return what.startsWith("ActorSystem.")
        ? "give the code Simulation.system() in place of one with threads of its own"
        : "put it behind an interface or an actor that the test has a stand-in for";
  }
}
