package io.turnwise.testkit.simulation;

/** A crash that a simulation made happen: see {@link Simulation#mayCrash}. */
public final class InjectedCrash extends RuntimeException {
  private static final long serialVersionUID = 1;

  InjectedCrash(String when) {
    super("The simulation crashes this turn " + when);
  }
}
