package io.turnwise.internal.weaving;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The system's clock as the thread that reads it sees it: one that was made outside of a simulation
 * and kept shows the simulation's time inside.
 */
public final class AskingClock extends Clock {
  private final Clock real;

  public AskingClock(ZoneId zone) {
    real = Clock.system(zone);
  }

  @Override
  public ZoneId getZone() {
    return real.getZone();
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return zone.equals(getZone()) ? this : new AskingClock(zone);
  }

  @Override
  public Instant instant() {
    World.Source source = World.here();
    return source == null ? real.instant() : Instant.ofEpochMilli(source.currentTimeMillis());
  }

  @Override
  public long millis() {
    return World.currentTimeMillis();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AskingClock clock && real.equals(clock.real);
  }

  @Override
  public int hashCode() {
    return real.hashCode();
  }

  @Override
  public String toString() {
    return real.toString();
  }
}
