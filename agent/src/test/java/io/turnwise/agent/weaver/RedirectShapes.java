package io.turnwise.agent.weaver;

import java.io.FileNotFoundException;
import java.io.FileReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.random.RandomGenerator;

/** Every form in which code asks for the time, sleeps, or makes something random. */
public final class RedirectShapes {
  private RedirectShapes() {}

  /** What takes no text and may throw. */
  interface Sleeper {
    void sleep(long time) throws InterruptedException;
  }

  interface SerializableSupplier<T> extends Supplier<T>, Serializable {}

  // ---- redirected: each returns the text that RedirectTarget answers with, or a list of them

  public static Object nanoTime() {
    return System.nanoTime();
  }

  public static Object nanoTimeInLoop() {
    long sum = 0;
    for (int i = 0; i < 10; i++) sum += System.nanoTime() * i;
    return sum;
  }

  public static Object nanoTimeByReference() {
    LongSupplier clock = System::nanoTime;
    return clock.getAsLong();
  }

  public static Object nanoTimeInLambda() {
    LongSupplier clock = () -> System.nanoTime() + 1;
    return clock.getAsLong();
  }

  public static Object instant() {
    return Instant.now();
  }

  public static Object staticMethodOfAnInterface() {
    InstantSource source = InstantSource.system();
    return source.millis() + RandomGenerator.getDefault().nextInt();
  }

  public static Object withArgument() {
    ZoneId zone = ZoneOffset.UTC;
    return List.of(LocalDate.now(zone), LocalDate.now(), Clock.system(zone).millis());
  }

  public static Object withArgumentByReference() {
    Function<ZoneId, LocalDate> today = LocalDate::now;
    return today.apply(ZoneOffset.UTC);
  }

  public static Object overloads() {
    return List.of(
        Calendar.getInstance().getTimeInMillis(),
        Calendar.getInstance(TimeZone.getTimeZone("UTC")).getTimeInMillis());
  }

  public static Object newDate() {
    return new Date();
  }

  public static Object newByReference() {
    Supplier<Date> maker = Date::new;
    return maker.get();
  }

  public static Object newNested() {
    return new ArrayList<>(List.of(new Date(), new Date(new Date().getTime() + 1)));
  }

  public static Object newInAChoice() {
    boolean first = List.of(1).size() == 1;
    Date date = first ? new Date() : new Date(5);
    return date;
  }

  public static Object newAsArgumentOfAConstructor() {
    return new Date(new Random().nextLong());
  }

  @SuppressWarnings("ResultOfObjectAllocationIgnored") // what is compiled to NEW, DUP ... POP
  public static Object newForNobody() {
    new Date();
    return new Date();
  }

  public static Object newInATry() {
    try {
      return new Date();
    } finally {
      System.nanoTime();
    }
  }

  public static Object sleeps() throws Exception {
    Thread.sleep(1);
    Thread.sleep(2, 3);
    Thread.sleep(Duration.ofMillis(4));
    TimeUnit.SECONDS.sleep(5);
    Sleeper bound = TimeUnit.SECONDS::sleep;
    bound.sleep(6);
    Sleeper still = Thread::sleep;
    still.sleep(7);
    return RedirectTarget.slept();
  }

  /** Names itself as the owner of what it inherits. */
  static final class OwnThread extends Thread {
    static Object nap() throws InterruptedException {
      sleep(8);
      return RedirectTarget.slept();
    }
  }

  public static Object inheritedSleep() throws Exception {
    return OwnThread.nap();
  }

  public static Object randomness() {
    List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
    Collections.shuffle(list);
    return List.of(
        Math.random(), new Random().nextInt(), list, UUID.randomUUID(), threadLocal().hashCode());
  }

  private static Object threadLocal() {
    Callable<ThreadLocalRandom> current = ThreadLocalRandom::current;
    try {
      return current.call() == ThreadLocalRandom.current() ? "same" : "other";
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  public static Object identity() {
    ToIntFunction<Object> hash = System::identityHashCode;
    return hash.applyAsInt("a") + System.identityHashCode("b");
  }

  // ---- announced

  private static Object announcedSince(Object result) {
    return List.of(result, RedirectTarget.announced());
  }

  public static Object opensWithArguments() throws IOException {
    RedirectTarget.announced();
    String name = "/";
    boolean there;
    try (var file =
        new RandomAccessFile(name.isEmpty() ? "none" : name, name.length() > 0 ? "r" : "w")) {
      there = file.length() >= 0;
    } catch (FileNotFoundException folder) {
      there = Files.exists(Path.of(name)) && !Files.isRegularFile(Path.of(name));
    }
    return announcedSince(there);
  }

  static final class OwnReader extends FileReader {
    OwnReader(String name) throws FileNotFoundException {
      super(name.strip());
    }
  }

  public static Object opensAboveItself() {
    RedirectTarget.announced();
    try {
      return new OwnReader("/ ");
    } catch (FileNotFoundException folder) {
      return announcedSince("a folder");
    }
  }

  public static Object readsTheKeyboard() {
    RedirectTarget.announced();
    return announcedSince(System.in != null);
  }

  /** The receiver is on top of the stack, below an argument, or below wide values of others. */
  public static Object iterates() {
    RedirectTarget.announced();
    Set<String> set = new HashSet<>(List.of("a"));
    Map<String, Integer> map = new HashMap<>(Map.of("b", 1));
    long wide = 5L;
    int[] sum = new int[1];
    wide += set.iterator().next().length() + wide;
    set.forEach(each -> sum[0] += each.length());
    map.forEach((_, number) -> sum[0] += number);
    for (String key : map.keySet()) sum[0] += key.length();
    return announcedSince(wide + sum[0]);
  }

  /** What is copied is the last argument: of a constructor, after others, or the only one. */
  public static Object copies() {
    RedirectTarget.announced();
    Set<String> set = new HashSet<>(List.of("a"));
    long wide = 5L;
    List<String> list = new ArrayList<>(set);
    list.addAll(0, set);
    return announcedSince(wide + list.size() + List.copyOf(set).size());
  }

  // ---- left alone

  static class OwnRandom extends Random {
    private static final long serialVersionUID = 1;
    final boolean made;

    OwnRandom() {
      super();
      made = true;
    }
  }

  public static Object leftSuperclass() {
    return new OwnRandom().made && new OwnRandom().nextInt(1) == 0;
  }

  public static Object leftSerializable() {
    SerializableSupplier<Date> maker = Date::new;
    return maker.get() != null;
  }

  /** Has a method of its own where others inherit the JDK's. */
  static final class RestlessThread extends Thread {
    public static void sleep(long time) {}

    static Object nap() {
      sleep(9);
      return RedirectTarget.slept();
    }
  }

  public static Object leftOwnSleep() {
    return RestlessThread.nap();
  }

  static final class Sleepless {
    static long nanoTime() {
      return 3;
    }

    static void sleep(long time) {}
  }

  public static Object leftOthersOfThatName() {
    Sleepless.sleep(5);
    BiFunction<Long, Integer, Date> made = (time, more) -> new Date(time + more);
    return List.of(Sleepless.nanoTime(), made.apply(5L, 6), new Random(3).nextInt());
  }
}
