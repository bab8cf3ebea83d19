package io.turnwise.testkit.planted;

import io.turnwise.testkit.simulation.Simulation;

/**
 * A mistake made on purpose. The same scene without it must hold: so it is the mistake that is
 * found, and not the scene.
 *
 * @param name as it stands in docs/how-we-test.md
 * @param what the mistake, in a sentence for that page
 * @param says a part of what the failure says
 */
record Defect(String name, String what, String says, Scene scene) {

  /** Plays the scene, with the mistake or without. */
  @FunctionalInterface
  interface Scene {
    void play(Simulation simulation, boolean planted) throws Exception;
  }

  Simulation.Body planted() {
    return simulation -> scene.play(simulation, true);
  }

  Simulation.Body mended() {
    return simulation -> scene.play(simulation, false);
  }

  @Override
  public String toString() {
    return name;
  }

  static void require(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }
}
