package io.turnwise.benchmarks.jmh;

import io.turnwise.ActorSystem;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** An open system with default settings, for one trial. */
@State(Scope.Benchmark)
public class Opened {
  @SuppressWarnings("NullAway.Init") // JMH sets it up
  ActorSystem system;

  @Setup(Level.Trial)
  public void open() {
    system = ActorSystem.open("jmh");
  }

  @TearDown(Level.Trial)
  public void close() {
    system.close();
  }
}
