package io.turnwise.woven.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.agent.RuntimeAgent;
import io.turnwise.agent.WeavingReport;
import io.turnwise.agent.weaver.RedirectKind;
import io.turnwise.agent.weaver.SkipReason;
import io.turnwise.internal.door.JdkDoor;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ordinary code, some of it loaded before the agent came. */
@Timeout(60)
class UserCodeTest {
  /** Made outside of any simulation, but not before the agent came: that would stay real. */
  private static final class Kept {
    static final Clock CLOCK = Clock.systemUTC();
  }

  @SuppressWarnings("unused") // so that the report has a timer to count
  private static final Executor LATER = CompletableFuture.delayedExecutor(1, TimeUnit.DAYS);

  @BeforeAll
  static void redirect() {
    JdkDoor.openForSimulation();
    JdkDoor.openForSimulation(); // as often as one likes
  }

  @Test
  void aDayOfSleepsTakesNoTime() throws Exception {
    var world = new SteppedWorld(1, Duration.ZERO);
    long took =
        world.run(
            () -> {
              Instant begun = Instant.now();
              for (int hour = 0; hour < 22; hour++) Thread.sleep(Duration.ofHours(1));
              TimeUnit.HOURS.sleep(1);
              Thread.sleep(3_600_000);
              return Duration.between(begun, Instant.now()).toHours();
            });
    assertThat(took).isEqualTo(24);
  }

  @Test
  void everyClockShowsTheSameTime() throws Exception {
    assertThat(Kept.CLOCK.instant()).isAfter("2020-01-01T00:00:00Z");
    var world = new SteppedWorld(1, Duration.ZERO);
    world.advance(Duration.ofDays(365));
    List<Object> seen =
        world.run(
            () -> {
              LongSupplier nanos = System::nanoTime;
              Supplier<Date> dates = Date::new;
              return List.of(
                  System.currentTimeMillis(),
                  nanos.getAsLong() / 1_000_000,
                  new Date().getTime(),
                  dates.get().getTime(),
                  Clock.systemUTC().millis(),
                  Kept.CLOCK.millis(),
                  Instant.now().toEpochMilli(),
                  LocalDate.now(ZoneOffset.UTC).toEpochDay() * 86_400_000);
            });
    assertThat(seen).containsOnly(Duration.ofDays(365).toMillis());
  }

  @Test
  void theSameSeedGivesTheSameChances() throws Exception {
    List<Object> first = new SteppedWorld(7, Duration.ZERO).run(UserCodeTest::chances);
    List<Object> again = new SteppedWorld(7, Duration.ZERO).run(UserCodeTest::chances);
    List<Object> other = new SteppedWorld(8, Duration.ZERO).run(UserCodeTest::chances);
    assertThat(again).isEqualTo(first);
    for (int i = 0; i < first.size(); i++)
      assertThat(other.get(i)).as("chance %s", i).isNotEqualTo(first.get(i));
    assertThat(chances()).isNotEqualTo(chances());
  }

  private static List<Object> chances() {
    List<Integer> shuffled = new ArrayList<>(IntStream.range(0, 50).boxed().toList());
    Collections.shuffle(shuffled);
    Supplier<UUID> ids = UUID::randomUUID;
    ThreadLocalRandom local = ThreadLocalRandom.current();
    return List.of(
        Math.random(),
        new Random().nextLong(),
        local.nextLong(),
        local.nextLong(),
        ThreadLocalRandom.current().longs(3).boxed().toList(),
        ThreadLocalRandom.current().nextGaussian(),
        UUID.randomUUID(),
        ids.get(),
        shuffled,
        new SecureRandom().nextLong(),
        RandomGenerator.getDefault().nextLong(),
        RandomGenerator.of("L64X128MixRandom").nextLong());
  }

  @Test
  void virtualThreadsHaveTheirOwnChancesFromTheSameSource() throws Exception {
    assertThat(onVirtualThread(7)).isEqualTo(onVirtualThread(7)).isNotEqualTo(onVirtualThread(8));
  }

  private static List<Object> onVirtualThread(long seed) throws Exception {
    var world = new SteppedWorld(seed, Duration.ZERO);
    FutureTask<List<Object>> task = new FutureTask<>(UserCodeTest::chances);
    Thread thread = Thread.ofVirtual().unstarted(task);
    world.with(thread);
    return world.run(
        () -> {
          thread.start();
          return task.get();
        });
  }

  @Test
  void identityHashCodesAreNoticedWhereTheyAreUsed() throws Exception {
    var world = new SteppedWorld(1, Duration.ZERO);
    world.run(UserCodeTest::hash);
    assertThat(world.leaks()).containsExactly("System.identityHashCode in hash");
  }

  private static int hash() {
    return System.identityHashCode(new Object());
  }

  /** In every JVM: see what is expected here. */
  @Test
  void immutableSetsAndMapsHaveTheSameOrderInEachJvm() {
    assertThat(Set.of("a", "b").toString()).isEqualTo("[a, b]");
    assertThat(Set.of(1, 2, 3, 4, 5).toString()).isEqualTo("[5, 4, 3, 2, 1]");
    assertThat(Map.of(1, "a", 2, "b", 3, "c").keySet().toString()).isEqualTo("[3, 2, 1]");
    assertThat(Set.of(1, 2, 3, 4, 5)).contains(1, 2, 3, 4, 5).doesNotContain(6);
  }

  @Test
  void theReportCountsWhatWasRedirected() {
    WeavingReport report = RuntimeAgent.report();
    assertThat(report).isNotNull();
    assertThat(report.skipped(SkipReason.FAILED)).isZero();
    for (RedirectKind kind : RedirectKind.values())
      assertThat(report.redirected(kind)).as("%s", kind).isPositive();
    assertThat(report.text()).contains("calls redirected, clock: ");
  }
}
