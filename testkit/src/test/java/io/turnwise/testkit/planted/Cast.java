package io.turnwise.testkit.planted;

import io.turnwise.testkit.simulation.Simulation;
import java.time.Duration;

/** Who plays in most scenes: actors that do one thing, once, all at the same time. */
final class Cast {
  private Cast() {}

  /** What one of them does. */
  @FunctionalInterface
  interface Part {
    void play() throws Exception;
  }

  static void begin(Simulation simulation, String name, Part part) {
    simulation.<String>spawn(name, () -> (_, _) -> part.play()).cast("go");
  }

  /** Begins all, and waits until they are long done. */
  static void all(Simulation simulation, Part... parts) throws InterruptedException {
    for (int i = 0; i < parts.length; i++) begin(simulation, "part" + (i + 1), parts[i]);
    simulation.sleep(Duration.ofSeconds(1));
  }
}
