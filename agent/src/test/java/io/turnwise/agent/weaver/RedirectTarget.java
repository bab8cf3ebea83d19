package io.turnwise.agent.weaver;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Random;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Stands in for core's: a world in which it is always the same time, and chance never changes. */
public final class RedirectTarget {
  static final String NAME = RedirectTarget.class.getName().replace('.', '/');
  static final Instant NOW = Instant.ofEpochMilli(1_000_000_000_000L);

  private static final List<String> SLEPT = new ArrayList<>();

  private RedirectTarget() {}

  public static List<String> slept() {
    List<String> all = List.copyOf(SLEPT);
    SLEPT.clear();
    return all;
  }

  public static long nanoTime() {
    return 42;
  }

  public static Instant instantNow() {
    return NOW;
  }

  public static InstantSource instantSource() {
    return InstantSource.fixed(NOW);
  }

  public static Clock clock(ZoneId zone) {
    return Clock.fixed(NOW, zone);
  }

  public static LocalDate localDateNow() {
    return LocalDate.now(clock(ZoneOffset.UTC));
  }

  public static LocalDate localDateNow(ZoneId zone) {
    return LocalDate.now(clock(zone));
  }

  public static Calendar calendar() {
    return calendar(TimeZone.getTimeZone("UTC"));
  }

  public static Calendar calendar(TimeZone zone) {
    var calendar = new GregorianCalendar(zone);
    calendar.setTimeInMillis(NOW.toEpochMilli());
    return calendar;
  }

  public static Date newDate() {
    return new Date(NOW.toEpochMilli());
  }

  public static void sleep(long millis) {
    SLEPT.add(millis + " ms");
  }

  public static void sleep(long millis, int nanos) {
    SLEPT.add(millis + " ms " + nanos + " ns");
  }

  public static void sleep(Duration duration) {
    SLEPT.add(duration.toString());
  }

  public static void sleep(TimeUnit unit, long time) {
    SLEPT.add(time + " " + unit);
  }

  public static double random() {
    return 0.25;
  }

  public static Random newRandom() {
    return new Random(7);
  }

  public static ThreadLocalRandom threadLocalRandom() {
    return ThreadLocalRandom.current();
  }

  public static UUID randomUuid() {
    return new UUID(1, 2);
  }

  public static void shuffle(List<?> list) {
    Collections.reverse(list);
  }

  public static RandomGenerator defaultRandomGenerator() {
    return new Random(8);
  }

  private static final List<String> ANNOUNCED = new ArrayList<>();

  /** What was announced since this was asked before. */
  public static List<String> announced() {
    List<String> all = List.copyOf(ANNOUNCED);
    ANNOUNCED.clear();
    return all;
  }

  public static void opens(String what) {
    ANNOUNCED.add("opens " + what);
  }

  public static void leaves(String what) {
    ANNOUNCED.add("leaves " + what);
  }

  public static void iterates(Object object) {
    ANNOUNCED.add("iterates " + object);
  }

  public static void copies(Object collection) {
    ANNOUNCED.add("copies " + collection);
  }

  public static int identityHashCode(Object object) {
    return object.hashCode();
  }
}
