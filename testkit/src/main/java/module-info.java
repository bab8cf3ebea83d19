import org.jspecify.annotations.NullMarked;

/** Actors under test: probes, virtual time, and what must hold after every test. */
@NullMarked
module io.turnwise.testkit {
  requires static org.jspecify;
  requires transitive io.turnwise;

  exports io.turnwise.testkit;
}
