package io.turnwise.testkit;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Objects;

/**
 * A clock that stands still until the test moves it, by {@link VirtualTestkit#advance}. Hand it to
 * the code under test in place of {@code Clock.systemUTC()}: it then agrees with the timeouts of
 * the system. Any thread may read it.
 */
public final class VirtualClock extends Clock {
  /** Where every clock begins, so that every run shows the same times. */
  public static final Instant START = Instant.parse("2000-01-01T00:00:00Z");

  private final Time time;
  private final ZoneId zone;

  /** One for all zones. Written by whoever drives the system. */
  private static final class Time {
    volatile long nanos;
  }

  VirtualClock() {
    this(new Time(), ZoneOffset.UTC);
  }

  private VirtualClock(Time time, ZoneId zone) {
    this.time = time;
    this.zone = zone;
  }

  @Override
  public Instant instant() {
    return START.plusNanos(time.nanos);
  }

  /** In nanoseconds since {@link #START}: for code that measures by {@code System.nanoTime}. */
  public long nanoTime() {
    return time.nanos;
  }

  /** How much time has passed since {@link #START}. */
  public Duration elapsed() {
    return Duration.ofNanos(time.nanos);
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  /** The same time, shown in another zone: whoever moves one moves both. */
  @Override
  public VirtualClock withZone(ZoneId zone) {
    return new VirtualClock(time, Objects.requireNonNull(zone, "the zone is null"));
  }

  void moveTo(long nanos) {
    time.nanos = Math.max(time.nanos, nanos);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof VirtualClock clock && clock.time == time && clock.zone.equals(zone);
  }

  @Override
  public int hashCode() {
    return 31 * System.identityHashCode(time) + zone.hashCode();
  }

  @Override
  public String toString() {
    return "VirtualClock[" + instant().atZone(zone) + "]";
  }
}
