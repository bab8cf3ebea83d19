package io.turnwise.weaving;

import io.turnwise.internal.weaving.AskingClock;
import io.turnwise.internal.weaving.AskingRandom;
import io.turnwise.internal.weaving.IdentityOrder;
import io.turnwise.internal.weaving.SeededSecureRandom;
import io.turnwise.internal.weaving.World;
import java.security.NoSuchAlgorithmException;
import java.security.NoSuchProviderException;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.SecureRandomParameters;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;

/**
 * What code calls that was woven for simulations, instead of the clocks, the sleep, the timers and
 * the randomness of the JDK. On a thread of no simulation each method does what the one it stands
 * for does. Not for use by hand.
 *
 * <p>The weaver knows these methods by name and type.
 */
public final class Redirected {
  private static final StackWalker WALKER = StackWalker.getInstance();

  private Redirected() {}

  // ---- clocks

  public static long nanoTime() {
    return World.nanoTime();
  }

  public static long currentTimeMillis() {
    return World.currentTimeMillis();
  }

  public static Instant instantNow() {
    World.Source source = World.here();
    return source == null ? Instant.now() : Instant.ofEpochMilli(source.currentTimeMillis());
  }

  public static InstantSource instantSource() {
    return utcClock();
  }

  /** A clock may be kept, and read on other threads: it asks when it is read. */
  public static Clock clock(ZoneId zone) {
    return new AskingClock(zone);
  }

  public static Clock utcClock() {
    return clock(ZoneOffset.UTC);
  }

  public static Clock clock() {
    return clock(ZoneId.systemDefault());
  }

  public static Clock clockOfMillis(ZoneId zone) {
    return Clock.tick(clock(zone), Duration.ofMillis(1));
  }

  public static Clock clockOfSeconds(ZoneId zone) {
    return Clock.tick(clock(zone), Duration.ofSeconds(1));
  }

  public static Clock clockOfMinutes(ZoneId zone) {
    return Clock.tick(clock(zone), Duration.ofMinutes(1));
  }

  public static LocalDate localDateNow() {
    return LocalDate.now(clock());
  }

  public static LocalDate localDateNow(ZoneId zone) {
    return LocalDate.now(clock(zone));
  }

  public static LocalTime localTimeNow() {
    return LocalTime.now(clock());
  }

  public static LocalTime localTimeNow(ZoneId zone) {
    return LocalTime.now(clock(zone));
  }

  public static LocalDateTime localDateTimeNow() {
    return LocalDateTime.now(clock());
  }

  public static LocalDateTime localDateTimeNow(ZoneId zone) {
    return LocalDateTime.now(clock(zone));
  }

  public static ZonedDateTime zonedDateTimeNow() {
    return ZonedDateTime.now(clock());
  }

  public static ZonedDateTime zonedDateTimeNow(ZoneId zone) {
    return ZonedDateTime.now(clock(zone));
  }

  public static OffsetDateTime offsetDateTimeNow() {
    return OffsetDateTime.now(clock());
  }

  public static OffsetDateTime offsetDateTimeNow(ZoneId zone) {
    return OffsetDateTime.now(clock(zone));
  }

  public static OffsetTime offsetTimeNow() {
    return OffsetTime.now(clock());
  }

  public static OffsetTime offsetTimeNow(ZoneId zone) {
    return OffsetTime.now(clock(zone));
  }

  public static Year yearNow() {
    return Year.now(clock());
  }

  public static Year yearNow(ZoneId zone) {
    return Year.now(clock(zone));
  }

  public static YearMonth yearMonthNow() {
    return YearMonth.now(clock());
  }

  public static YearMonth yearMonthNow(ZoneId zone) {
    return YearMonth.now(clock(zone));
  }

  public static MonthDay monthDayNow() {
    return MonthDay.now(clock());
  }

  public static MonthDay monthDayNow(ZoneId zone) {
    return MonthDay.now(clock(zone));
  }

  public static Date newDate() {
    return new Date(World.currentTimeMillis());
  }

  public static GregorianCalendar newGregorianCalendar() {
    return now(new GregorianCalendar());
  }

  public static Calendar calendar() {
    return now(Calendar.getInstance());
  }

  public static Calendar calendar(TimeZone zone) {
    return now(Calendar.getInstance(zone));
  }

  public static Calendar calendar(Locale locale) {
    return now(Calendar.getInstance(locale));
  }

  public static Calendar calendar(TimeZone zone, Locale locale) {
    return now(Calendar.getInstance(zone, locale));
  }

  private static <C extends Calendar> C now(C calendar) {
    World.Source source = World.here();
    if (source != null) calendar.setTimeInMillis(source.currentTimeMillis());
    return calendar;
  }

  // ---- sleep

  public static void sleep(long millis) throws InterruptedException {
    if (millis < 0 || !World.sleeps(TimeUnit.MILLISECONDS.toNanos(millis))) Thread.sleep(millis);
  }

  public static void sleep(long millis, int nanos) throws InterruptedException {
    boolean refused = millis < 0 || nanos < 0 || nanos > 999_999;
    if (refused || !World.sleeps(sum(TimeUnit.MILLISECONDS.toNanos(millis), nanos)))
      Thread.sleep(millis, nanos);
  }

  public static void sleep(Duration duration) throws InterruptedException {
    long nanos = TimeUnit.NANOSECONDS.convert(duration);
    // As with the JDK's, a negative duration is no sleep at all, and does not look for interrupts.
    if (nanos < 0 || !World.sleeps(nanos)) Thread.sleep(duration);
  }

  public static void sleep(TimeUnit unit, long timeout) throws InterruptedException {
    if (timeout <= 0 || !World.sleeps(unit.toNanos(timeout))) unit.sleep(timeout);
  }

  private static long sum(long nanos, int more) {
    return nanos > Long.MAX_VALUE - more ? Long.MAX_VALUE : nanos + more;
  }

  // ---- timers, which the JDK has on a thread of its own

  public static <T extends @Nullable Object> CompletableFuture<T> orTimeout(
      CompletableFuture<T> future, long timeout, TimeUnit unit) {
    World.Source source = timedHere("CompletableFuture.orTimeout");
    if (source == null) return future.orTimeout(timeout, unit);
    Runnable end = () -> future.completeExceptionally(new TimeoutException());
    return endLater(source, future, unit.toNanos(timeout), end);
  }

  public static <T extends @Nullable Object> CompletableFuture<T> completeOnTimeout(
      CompletableFuture<T> future, T value, long timeout, TimeUnit unit) {
    World.Source source = timedHere("CompletableFuture.completeOnTimeout");
    if (source == null) return future.completeOnTimeout(value, timeout, unit);
    return endLater(source, future, unit.toNanos(timeout), () -> future.complete(value));
  }

  private static <T extends @Nullable Object> CompletableFuture<T> endLater(
      World.Source source, CompletableFuture<T> future, long nanos, Runnable end) {
    if (future.isDone()) return future;
    Thread timer = later(source, nanos, end);
    future.whenComplete((_, _) -> timer.interrupt());
    return future;
  }

  /** May be kept, and used on other threads: asks when it is given a task. */
  public static Executor delayedExecutor(long delay, TimeUnit unit) {
    return delayedExecutor(
        CompletableFuture.delayedExecutor(delay, unit), delay, unit, Runnable::run);
  }

  public static Executor delayedExecutor(long delay, TimeUnit unit, Executor executor) {
    return delayedExecutor(
        CompletableFuture.delayedExecutor(delay, unit, executor), delay, unit, executor);
  }

  private static Executor delayedExecutor(
      Executor real, long delay, TimeUnit unit, Executor executor) {
    return task -> {
      World.Source source = timedHere("CompletableFuture.delayedExecutor");
      if (source == null) real.execute(task);
      else later(source, unit.toNanos(delay), () -> executor.execute(task));
    };
  }

  /** The source, where a thread that is started will be in the simulation as well. */
  private static World.@Nullable Source timedHere(String what) {
    World.Source source = World.here();
    if (source == null || Thread.currentThread().isVirtual()) return source;
    source.leaked(what, caller());
    return null;
  }

  /** On a virtual thread, which is scheduled by whoever schedules this one. */
  private static Thread later(World.Source source, long nanos, Runnable task) {
    return Thread.startVirtualThread(
        () -> {
          try {
            source.sleep(Math.max(0, nanos));
          } catch (InterruptedException e) {
            return; // nobody waits for it any more
          }
          task.run();
        });
  }

  // ---- randomness

  public static double random() {
    World.Source source = World.here();
    return source == null ? Math.random() : (source.nextRandomLong() >>> 11) * 0x1.0p-53;
  }

  public static double strictRandom() {
    World.Source source = World.here();
    return source == null ? StrictMath.random() : (source.nextRandomLong() >>> 11) * 0x1.0p-53;
  }

  /** One that is kept for the next run asks when it is used; others are seeded once. */
  public static Random newRandom() {
    World.Source source = World.here();
    return source == null || isKept() ? new AskingRandom() : new Random(source.nextRandomLong());
  }

  public static SplittableRandom newSplittableRandom() {
    World.Source source = World.here();
    if (source != null && isKept()) source.leaked("new SplittableRandom", caller());
    return source == null ? new SplittableRandom() : new SplittableRandom(source.nextRandomLong());
  }

  /** The same object as ever; it keeps its state in the thread, and that is seeded each time. */
  public static ThreadLocalRandom threadLocalRandom() {
    ThreadLocalRandom random = ThreadLocalRandom.current(); // first: it may seed the thread itself
    World.Source source = World.here();
    if (source != null && !World.seedThreadLocalRandom(source.nextRandomLong()))
      source.leaked("ThreadLocalRandom.current", caller());
    return random;
  }

  /** The JDK's keeps every second one for later, and for whichever thread comes next. */
  public static double nextGaussian(ThreadLocalRandom random) {
    return World.here() == null
        ? random.nextGaussian()
        : new Random(random.nextLong()).nextGaussian();
  }

  public static UUID randomUuid() {
    World.Source source = World.here();
    if (source == null) return UUID.randomUUID();
    long high = source.nextRandomLong() & ~0xF000L | 0x4000L; // version 4
    long low = source.nextRandomLong() & ~(0b11L << 62) | 0b10L << 62; // the usual variant
    return new UUID(high, low);
  }

  public static void shuffle(List<?> list) {
    World.Source source = World.here();
    if (source == null) Collections.shuffle(list);
    else Collections.shuffle(list, new Random(source.nextRandomLong()));
  }

  public static SecureRandom newSecureRandom() {
    return seeded(new SecureRandom());
  }

  public static SecureRandom strongSecureRandom() throws NoSuchAlgorithmException {
    return seeded(SecureRandom.getInstanceStrong());
  }

  public static SecureRandom secureRandom(String algorithm) throws NoSuchAlgorithmException {
    return seeded(SecureRandom.getInstance(algorithm));
  }

  public static SecureRandom secureRandom(String algorithm, String provider)
      throws NoSuchAlgorithmException, NoSuchProviderException {
    return seeded(SecureRandom.getInstance(algorithm, provider));
  }

  public static SecureRandom secureRandom(String algorithm, Provider provider)
      throws NoSuchAlgorithmException {
    return seeded(SecureRandom.getInstance(algorithm, provider));
  }

  public static SecureRandom secureRandom(String algorithm, SecureRandomParameters parameters)
      throws NoSuchAlgorithmException {
    return seeded(SecureRandom.getInstance(algorithm, parameters));
  }

  public static SecureRandom secureRandom(
      String algorithm, SecureRandomParameters parameters, String provider)
      throws NoSuchAlgorithmException, NoSuchProviderException {
    return seeded(SecureRandom.getInstance(algorithm, parameters, provider));
  }

  public static SecureRandom secureRandom(
      String algorithm, SecureRandomParameters parameters, Provider provider)
      throws NoSuchAlgorithmException {
    return seeded(SecureRandom.getInstance(algorithm, parameters, provider));
  }

  /** The real one was made first, so that it refuses what it always did. */
  private static SecureRandom seeded(SecureRandom real) {
    World.Source source = World.here();
    if (source != null && isKept()) source.leaked("new SecureRandom", caller());
    return source == null
        ? real
        : new SeededSecureRandom(source.nextRandomLong(), real.getAlgorithm());
  }

  public static RandomGenerator defaultRandomGenerator() {
    World.Source source = World.here();
    return source == null
        ? RandomGenerator.getDefault()
        : RandomGeneratorFactory.getDefault().create(source.nextRandomLong());
  }

  public static RandomGenerator randomGenerator(String name) {
    RandomGenerator real = RandomGenerator.of(name);
    return real instanceof SecureRandom secure ? seeded(secure) : seeded(name, real);
  }

  public static RandomGenerator.StreamableGenerator streamableGenerator(String name) {
    return seeded(name, RandomGenerator.StreamableGenerator.of(name));
  }

  public static RandomGenerator.SplittableGenerator splittableGenerator(String name) {
    return seeded(name, RandomGenerator.SplittableGenerator.of(name));
  }

  public static RandomGenerator.JumpableGenerator jumpableGenerator(String name) {
    return seeded(name, RandomGenerator.JumpableGenerator.of(name));
  }

  public static RandomGenerator.LeapableGenerator leapableGenerator(String name) {
    return seeded(name, RandomGenerator.LeapableGenerator.of(name));
  }

  public static RandomGenerator.ArbitrarilyJumpableGenerator arbitrarilyJumpableGenerator(
      String name) {
    return seeded(name, RandomGenerator.ArbitrarilyJumpableGenerator.of(name));
  }

  private static <G extends RandomGenerator> G seeded(String name, G real) {
    World.Source source = World.here();
    return source == null
        ? real
        : RandomGeneratorFactory.<G>of(name).create(source.nextRandomLong());
  }

  public static RandomGenerator create(RandomGeneratorFactory<?> factory) {
    World.Source source = World.here();
    if (source == null) return factory.create();
    return factory.name().equals("SecureRandom")
        ? newSecureRandom()
        : factory.create(source.nextRandomLong());
  }

  // ---- what differs from run to run, and cannot be made the same

  public static int identityHashCode(@Nullable Object object) {
    World.Source source = World.here();
    if (source != null && object != null) source.leaked("System.identityHashCode", caller());
    return System.identityHashCode(object);
  }

  /** Before a call that reaches something outside of the program. */
  public static void opens(String what) {
    World.Source source = World.here();
    if (source != null) source.opens(what, caller());
  }

  /** Before a call that brings in what no simulation decides. */
  public static void leaves(String what) {
    World.Source source = World.here();
    if (source != null) source.leaked(what, caller());
  }

  /** Before a look at all that is in a collection, or at the hash code of an object. */
  public static void iterates(@Nullable Object object) {
    World.Source source = World.here();
    String what = source == null || object == null ? null : IdentityOrder.find(object);
    if (source != null && what != null) source.leaked(what, caller());
  }

  /** Before all that is in a collection is copied in its order. */
  public static void copies(@Nullable Object collection) {
    iterates(collection);
  }

  /** What a class initialiser makes is made in one run, and goes on in the next where it was. */
  private static boolean isKept() {
    return WALKER.walk(
        frames -> frames.anyMatch(frame -> frame.getMethodName().equals("<clinit>")));
  }

  private static StackTraceElement caller() {
    return WALKER
        .walk(
            frames ->
                frames
                    .filter(frame -> !frame.getClassName().equals(Redirected.class.getName()))
                    .findFirst()
                    .orElseThrow())
        .toStackTraceElement();
  }
}
