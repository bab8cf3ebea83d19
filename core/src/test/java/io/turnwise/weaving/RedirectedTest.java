package io.turnwise.weaving;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.internal.weaving.World;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
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
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What redirected calls do, in the real world and in one that stands still. */
class RedirectedTest {
  private static final Instant NOW = Instant.parse("2001-09-09T01:46:40Z");
  private static final ZoneId ZONE = ZoneId.of("Asia/Tokyo");

  /** A world that stands still, and is what one thread sees. */
  private static final class Still implements World.Source, World.Finder {
    private final Thread inside = Thread.currentThread();
    private final Random random = new Random(1);
    final List<Long> slept = Collections.synchronizedList(new ArrayList<>());
    final List<String> leaks = new ArrayList<>();

    @Override
    public World.Source ofThisThread() {
      return Thread.currentThread() == inside ? this : null;
    }

    @Override
    public long nanoTime() {
      return 42;
    }

    @Override
    public long currentTimeMillis() {
      return NOW.toEpochMilli();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
      if (Thread.interrupted()) throw new InterruptedException();
      slept.add(nanos);
    }

    @Override
    public long nextRandomLong() {
      return random.nextLong();
    }

    @Override
    public void leaked(String what, StackTraceElement where) {
      leaks.add(what + " in " + where.getMethodName());
    }
  }

  private static Still enter() {
    var world = new Still();
    World.findBy(world);
    return world;
  }

  @AfterEach
  void leave() {
    World.findBy(null);
  }

  // ---- the real world

  @Test
  void inTheRealWorldClocksAreTheSystems() {
    long before = System.nanoTime();
    assertThat(Redirected.nanoTime()).isBetween(before, System.nanoTime());
    Instant begun = Instant.now();
    assertThat(Redirected.instantNow()).isBetween(begun, Instant.now());
    assertThat(Redirected.utcClock().instant()).isBetween(begun, Instant.now());
    assertThat(Redirected.newDate()).isBetween(Date.from(begun), new Date(), true, true);
    assertThat(Redirected.zonedDateTimeNow(ZONE).toInstant()).isBetween(begun, Instant.now());
    assertThat(Redirected.calendar(Locale.ROOT).toInstant())
        .isBetween(begun.minusMillis(1), Instant.now());
    assertThat(Redirected.clock().getZone()).isEqualTo(Clock.systemDefaultZone().getZone());
    assertThat(Redirected.clock(ZONE)).hasToString(Clock.system(ZONE).toString());
    assertThat(Redirected.clockOfSeconds(ZONE))
        .hasToString(Clock.tickSeconds(ZONE).toString())
        .isEqualTo(Redirected.clockOfSeconds(ZONE))
        .isNotEqualTo(Redirected.clockOfMinutes(ZONE));
    assertThat(Redirected.clockOfMillis(ZONE).instant().getNano() % 1_000_000).isZero();
  }

  @Test
  void inTheRealWorldSleepTakesItsTime() throws Exception {
    long begun = System.nanoTime();
    Redirected.sleep(2);
    Redirected.sleep(1, 500_000);
    Redirected.sleep(Duration.ofMillis(2));
    Redirected.sleep(TimeUnit.MILLISECONDS, 2);
    assertThat(System.nanoTime() - begun).isGreaterThan(6_000_000);
  }

  @Test
  void whatTheJdkRefusesIsRefusedInBothWorlds() {
    for (boolean real : List.of(true, false)) {
      if (!real) enter();
      assertThatThrownBy(() -> Redirected.sleep(-1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("timeout value is negative");
      assertThatThrownBy(() -> Redirected.sleep(1, 1_000_000))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("nanosecond timeout value out of range");
      assertThatThrownBy(() -> Redirected.secureRandom("none"))
          .isInstanceOf(NoSuchAlgorithmException.class);
      assertThatThrownBy(() -> Redirected.randomGenerator("none"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> Redirected.jumpableGenerator("L32X64MixRandom"))
          .isInstanceOf(IllegalArgumentException.class);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> Redirected.sleep(1)).isInstanceOf(InterruptedException.class);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> Redirected.sleep(TimeUnit.DAYS, 1))
          .isInstanceOf(InterruptedException.class);
      assertThat(Thread.interrupted()).isFalse();
    }
  }

  @Test
  void inTheRealWorldChanceIsChance() throws Exception {
    assertThat(Redirected.random()).isNotEqualTo(Redirected.random());
    assertThat(Redirected.newRandom().nextLong()).isNotEqualTo(Redirected.newRandom().nextLong());
    assertThat(Redirected.newSecureRandom()).isExactlyInstanceOf(SecureRandom.class);
    assertThat(Redirected.secureRandom("SHA1PRNG").getAlgorithm()).isEqualTo("SHA1PRNG");
    assertThat(Redirected.randomUuid()).isNotEqualTo(Redirected.randomUuid());
    assertThat(Redirected.threadLocalRandom()).isSameAs(ThreadLocalRandom.current());
    assertThat(Redirected.nextGaussian(ThreadLocalRandom.current())).isBetween(-10.0, 10.0);
    var object = new Object();
    assertThat(Redirected.identityHashCode(object)).isEqualTo(System.identityHashCode(object));
    assertThat(Redirected.identityHashCode(null)).isZero();
  }

  /** As one in a static field is, which more than one simulation uses. */
  @Test
  void aRandomThatIsKeptDrawsFromWhereItIsUsed() {
    Random kept = Redirected.newRandom();
    assertThat(drawn(kept)).isNotEqualTo(drawn(kept));
    enter();
    List<Object> first = drawn(kept);
    leave();
    drawn(kept);
    enter();
    assertThat(drawn(kept)).isEqualTo(first);
  }

  /** One number of each kind: the JDK keeps every second of the last. */
  private static List<Object> drawn(Random random) {
    return List.of(
        random.nextInt(),
        random.nextInt(1_000_000),
        random.nextLong(),
        random.nextDouble(),
        random.ints(2).boxed().toList(),
        random.nextGaussian());
  }

  // ---- a simulation

  @Test
  void insideEveryClockSaysWhatTheSourceSays() {
    enter();
    assertThat(Redirected.nanoTime()).isEqualTo(42);
    assertThat(Redirected.currentTimeMillis()).isEqualTo(NOW.toEpochMilli());
    assertThat(Redirected.instantNow()).isEqualTo(NOW);
    assertThat(Redirected.instantSource().instant()).isEqualTo(NOW);
    assertThat(Redirected.newDate()).isEqualTo(Date.from(NOW));
    Clock there = Clock.fixed(NOW, ZONE);
    assertThat(Redirected.localDateNow(ZONE)).isEqualTo(LocalDate.now(there));
    assertThat(Redirected.localTimeNow(ZONE)).isEqualTo(LocalTime.now(there));
    assertThat(Redirected.localDateTimeNow(ZONE)).isEqualTo(LocalDateTime.now(there));
    assertThat(Redirected.zonedDateTimeNow(ZONE)).isEqualTo(ZonedDateTime.now(there));
    assertThat(Redirected.offsetDateTimeNow(ZONE)).isEqualTo(OffsetDateTime.now(there));
    assertThat(Redirected.offsetTimeNow(ZONE)).isEqualTo(OffsetTime.now(there));
    assertThat(Redirected.yearNow(ZONE)).isEqualTo(Year.now(there));
    assertThat(Redirected.yearMonthNow(ZONE)).isEqualTo(YearMonth.now(there));
    assertThat(Redirected.monthDayNow(ZONE)).isEqualTo(MonthDay.now(there));
    Clock here = Clock.fixed(NOW, ZoneId.systemDefault());
    assertThat(Redirected.localDateNow()).isEqualTo(LocalDate.now(here));
    assertThat(Redirected.localTimeNow()).isEqualTo(LocalTime.now(here));
    assertThat(Redirected.localDateTimeNow()).isEqualTo(LocalDateTime.now(here));
    assertThat(Redirected.zonedDateTimeNow()).isEqualTo(ZonedDateTime.now(here));
    assertThat(Redirected.offsetDateTimeNow()).isEqualTo(OffsetDateTime.now(here));
    assertThat(Redirected.offsetTimeNow()).isEqualTo(OffsetTime.now(here));
    assertThat(Redirected.yearNow()).isEqualTo(Year.now(here));
    assertThat(Redirected.yearMonthNow()).isEqualTo(YearMonth.now(here));
    assertThat(Redirected.monthDayNow()).isEqualTo(MonthDay.now(here));
    TimeZone zone = TimeZone.getTimeZone(ZONE);
    assertThat(
            List.of(
                Redirected.newGregorianCalendar(),
                Redirected.calendar(),
                Redirected.calendar(zone),
                Redirected.calendar(Locale.ROOT),
                Redirected.calendar(zone, Locale.ROOT)))
        .allSatisfy(it -> assertThat(it.toInstant()).isEqualTo(NOW));
    assertThat(Redirected.calendar(zone).getTimeZone()).isEqualTo(zone);
  }

  @Test
  void aClockThatIsKeptShowsTheTimeOfWhoeverReadsIt() throws Exception {
    Clock kept = Redirected.clock(ZoneOffset.UTC);
    Clock ticking = Redirected.clockOfMinutes(ZoneOffset.UTC);
    assertThat(kept.instant()).isAfter(NOW.plus(Duration.ofDays(365)));
    enter();
    assertThat(kept.instant()).isEqualTo(NOW);
    assertThat(kept.millis()).isEqualTo(NOW.toEpochMilli());
    assertThat(kept.withZone(ZONE).instant()).isEqualTo(NOW);
    assertThat(ticking.instant()).isEqualTo(Instant.parse("2001-09-09T01:46:00Z"));
    List<Instant> outside = new ArrayList<>();
    Thread other = new Thread(() -> outside.add(kept.instant()));
    other.start();
    other.join();
    assertThat(outside.getFirst()).isAfter(NOW.plus(Duration.ofDays(365)));
    World.findBy(null);
    assertThat(kept.instant()).isAfter(NOW.plus(Duration.ofDays(365)));
  }

  @Test
  void insideTheSourceSleeps() throws Exception {
    Still world = enter();
    Redirected.sleep(0);
    Redirected.sleep(3_600_000);
    Redirected.sleep(1, 5);
    Redirected.sleep(Duration.ofDays(1));
    Redirected.sleep(Duration.ofDays(-1));
    Redirected.sleep(TimeUnit.HOURS, 2);
    Redirected.sleep(TimeUnit.HOURS, 0);
    Redirected.sleep(Long.MAX_VALUE);
    Redirected.sleep(Long.MAX_VALUE, 999_999);
    assertThat(world.slept)
        .containsExactly(
            0L,
            Duration.ofHours(1).toNanos(),
            1_000_005L,
            Duration.ofDays(1).toNanos(),
            Duration.ofHours(2).toNanos(),
            Long.MAX_VALUE,
            Long.MAX_VALUE);
  }

  /** On a virtual thread, as all code of a simulation is: what it starts is in there, too. */
  @Test
  void insideTimersFireWhenTheSourceSaysSo() throws Exception {
    FutureTask<List<Object>> inside =
        new FutureTask<>(
            () -> {
              Still world = enter();
              var ended = Redirected.orTimeout(new CompletableFuture<>(), 1, TimeUnit.HOURS);
              var value =
                  Redirected.completeOnTimeout(new CompletableFuture<>(), "late", 2, TimeUnit.DAYS);
              var done = Redirected.orTimeout(CompletableFuture.completedFuture("x"), 1, DAYS);
              var ran = new CompletableFuture<Boolean>();
              Redirected.delayedExecutor(3, TimeUnit.MINUTES)
                  .execute(() -> ran.complete(Thread.currentThread().isVirtual()));
              var given = new CompletableFuture<String>();
              Redirected.delayedExecutor(4, TimeUnit.MINUTES, task -> given.complete("given"))
                  .execute(() -> {});
              Throwable why = ended.handle((_, e) -> e).get();
              Object[] seen = {value.get(), done.get(), ran.get(), given.get()};
              World.findBy(null);
              assertThat(why).isInstanceOf(TimeoutException.class);
              assertThat(world.slept)
                  .containsExactlyInAnyOrder(
                      Duration.ofHours(1).toNanos(),
                      Duration.ofDays(2).toNanos(),
                      Duration.ofMinutes(3).toNanos(),
                      Duration.ofMinutes(4).toNanos());
              return List.of(seen);
            });
    Thread.startVirtualThread(inside);
    assertThat(inside.get()).containsExactly("late", "x", true, "given");
  }

  @Test
  void inTheRealWorldTimersAreTheJdks() throws Exception {
    assertThat(Redirected.completeOnTimeout(new CompletableFuture<>(), "late", 1, MILLISECONDS))
        .succeedsWithin(Duration.ofSeconds(20))
        .isEqualTo("late");
    assertThat(Redirected.orTimeout(new CompletableFuture<>(), 1, MILLISECONDS))
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableThat()
        .withCauseInstanceOf(TimeoutException.class);
    var ran = new CompletableFuture<String>();
    Redirected.delayedExecutor(1, MILLISECONDS).execute(() -> ran.complete("ran"));
    assertThat(ran).succeedsWithin(Duration.ofSeconds(20));
  }

  /** A thread that a platform thread starts would not be in the simulation. */
  @Test
  void timersOfPlatformThreadsAreRealAndNoticed() {
    Still world = enter();
    var future = Redirected.completeOnTimeout(new CompletableFuture<>(), "late", 1, MILLISECONDS);
    World.findBy(null);
    assertThat(future).succeedsWithin(Duration.ofSeconds(20));
    assertThat(world.leaks)
        .containsExactly(
            "CompletableFuture.completeOnTimeout in timersOfPlatformThreadsAreRealAndNoticed");
  }

  @Test
  void insideAllThatIsRandomFollowsFromTheSource() throws Exception {
    enter();
    List<Object> once = chances();
    enter();
    assertThat(chances()).isEqualTo(once);
    assertThat(new HashSet<>(once)).hasSameSizeAs(once);
  }

  private static List<Object> chances() throws Exception {
    List<Object> all = new ArrayList<>();
    all.add(Redirected.random());
    all.add(Redirected.random());
    all.add(Redirected.strictRandom());
    all.add(Redirected.newRandom().nextLong());
    all.add(Redirected.newRandom().nextLong());
    all.add(Redirected.newSplittableRandom().nextLong());
    all.add(Redirected.randomUuid());
    all.add(Redirected.newSecureRandom().nextLong());
    all.add(Redirected.strongSecureRandom().nextLong());
    all.add(List.of(Redirected.secureRandom("SHA1PRNG").generateSeed(9)[8], "seed"));
    all.add(Redirected.secureRandom("SHA1PRNG", "SUN").nextLong());
    all.add(Redirected.defaultRandomGenerator().nextLong());
    all.add(Redirected.randomGenerator("L64X128MixRandom").nextLong());
    all.add(Redirected.randomGenerator("SecureRandom").nextLong());
    all.add(Redirected.randomGenerator("Random").nextLong());
    all.add(Redirected.streamableGenerator("Xoshiro256PlusPlus").nextLong());
    all.add(Redirected.splittableGenerator("L32X64MixRandom").nextLong());
    all.add(Redirected.jumpableGenerator("Xoroshiro128PlusPlus").nextLong());
    all.add(Redirected.leapableGenerator("Xoshiro256PlusPlus").nextLong());
    all.add(Redirected.create(RandomGeneratorFactory.of("L128X256MixRandom")).nextLong());
    all.add(Redirected.create(RandomGeneratorFactory.of("SecureRandom")).nextLong());
    List<Integer> list = new ArrayList<>(IntStream.range(0, 50).boxed().toList());
    Redirected.shuffle(list);
    all.add(list);
    return all;
  }

  @Test
  void insideTypesAreAsOutside() throws Exception {
    enter();
    assertThat(Redirected.newRandom()).isExactlyInstanceOf(Random.class);
    assertThat(Redirected.newSplittableRandom()).isExactlyInstanceOf(SplittableRandom.class);
    assertThat(Redirected.secureRandom("SHA1PRNG").getAlgorithm()).isEqualTo("SHA1PRNG");
    assertThat(Redirected.defaultRandomGenerator())
        .isExactlyInstanceOf(RandomGenerator.getDefault().getClass());
    assertThat(Redirected.randomUuid().version()).isEqualTo(4);
    assertThat(Redirected.randomUuid().variant()).isEqualTo(2);
    assertThat(Redirected.random()).isBetween(0.0, 1.0);
    SecureRandom secure = Redirected.newSecureRandom();
    byte[] first = new byte[100];
    secure.nextBytes(first);
    secure.setSeed(5);
    byte[] second = new byte[100];
    secure.nextBytes(second);
    assertThat(second).isNotEqualTo(first);
  }

  @Test
  void identityHashCodesAreNoticed() {
    Still world = enter();
    var object = new Object();
    assertThat(Redirected.identityHashCode(object)).isEqualTo(System.identityHashCode(object));
    Redirected.identityHashCode(null);
    assertThat(world.leaks)
        .containsExactly("System.identityHashCode in identityHashCodesAreNoticed");
  }

  /** Here no agent has woven the JDK. */
  @Test
  void aThreadLocalRandomThatCannotBeSeededIsNoticed() {
    Still world = enter();
    assertThat(Redirected.threadLocalRandom()).isSameAs(ThreadLocalRandom.current());
    assertThat(world.leaks)
        .containsExactly(
            "ThreadLocalRandom.current in aThreadLocalRandomThatCannotBeSeededIsNoticed");
  }

  @Test
  void otherThreadsStayInTheRealWorld() throws Exception {
    Still world = enter();
    Set<Long> seen = new HashSet<>();
    Thread other =
        new Thread(
            () -> {
              seen.add(Redirected.nanoTime());
              try {
                Redirected.sleep(1);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    other.start();
    other.join();
    assertThat(seen).doesNotContain(42L);
    assertThat(world.slept).isEmpty();
  }

  /** What finds the source may run code that reads clocks, and so may the source. */
  @Test
  void whoAnswersSeesTheRealWorld() {
    var world =
        new Object() {
          int asked;
          long seen;
        };
    var still = new Still();
    World.findBy(
        () -> {
          world.asked++;
          world.seen = Redirected.nanoTime();
          Redirected.newRandom();
          return still;
        });
    assertThat(Redirected.nanoTime()).isEqualTo(42);
    assertThat(world.seen).isNotEqualTo(42);
    assertThat(world.asked).isEqualTo(1);
    assertThat(Redirected.newRandom().nextLong())
        .isEqualTo(new Random(new Random(1).nextLong()).nextLong());
    assertThat(world.asked).isEqualTo(2);
  }

  @Test
  void aFinderThatThrowsIsAskedAgain() {
    World.findBy(
        () -> {
          throw new IllegalStateException("lost");
        });
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(Redirected::nanoTime).hasMessage("lost");
      assertThatThrownBy(Redirected::randomUuid).hasMessage("lost");
    }
  }
}
