import org.jspecify.annotations.NullMarked;

/** Actors under test: probes, virtual time, simulations, and what must hold after every test. */
@NullMarked
module io.turnwise.testkit {
  requires static org.jspecify;
  requires static org.junit.jupiter.api; // only where its annotations are used
  requires transitive io.turnwise;

  exports io.turnwise.testkit;
  exports io.turnwise.testkit.junit;
  exports io.turnwise.testkit.simulation;
}
