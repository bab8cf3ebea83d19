package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.scheduling.ShareGroup;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Groups of busy actors share a worker by weight. In virtual time, so exact and repeatable. */
class ShareGroupTest {
  private static ActorSpec<String> in(Supplier<Actor<String>> factory, ShareGroup group) {
    return ActorSpec.of(factory).withScheduling(SchedulingConfig.DEFAULT.withGroup(group));
  }

  @ParameterizedTest
  @CsvSource({"100,100,1,1", "300,100,1,1", "300,100,1,3", "100,100,1,7", "100,400,6,2"})
  void busyGroupsGetTimeByWeightHoweverManyActorsTheyHave(int a, int b, int actorsA, int actorsB) {
    var race = new Race(Duration.ofSeconds(4));
    try (var kit = new ManualSystem()) {
      List<ActorRef<String>> hogs = new ArrayList<>();
      for (int i = 0; i < actorsA; i++)
        hogs.add(kit.spawn("a" + i, in(race.hog(kit, "a"), new ShareGroup("a", a))));
      for (int i = 0; i < actorsB; i++)
        hogs.add(kit.spawn("b" + i, in(race.hog(kit, "b"), new ShareGroup("b", b))));
      hogs.forEach(hog -> hog.cast("go"));
      kit.run();
    }
    double expected = (double) a / (a + b);
    assertThat(race.share("a")).isCloseTo(expected, within(0.05 * expected));
  }

  @Test
  void actorsWithoutAGroupAreOneOfWeightHundred() {
    var race = new Race(Duration.ofSeconds(4));
    try (var kit = new ManualSystem()) {
      List<ActorRef<String>> hogs = new ArrayList<>();
      for (int i = 0; i < 3; i++) hogs.add(kit.spawn("n" + i, race.hog(kit, "none")));
      hogs.add(kit.spawn("g", in(race.hog(kit, "group"), new ShareGroup("group", 300))));
      hogs.forEach(hog -> hog.cast("go"));
      kit.run();
    }
    assertThat(race.share("none")).isCloseTo(0.25, within(0.0125));
  }

  @Test
  void loopsOfOneGroupGetEqualTime() {
    var race = new Race(Duration.ofSeconds(4));
    try (var kit = new ManualSystem()) {
      List<ActorRef<String>> hogs = new ArrayList<>();
      for (int i = 0; i < 8; i++) hogs.add(kit.spawn("h" + i, race.hog(kit, "h" + i)));
      hogs.forEach(hog -> hog.cast("go"));
      kit.run();
    }
    double sum = 0;
    double squares = 0;
    for (long used : race.used.values()) {
      sum += used;
      squares += (double) used * used;
    }
    assertThat(sum * sum / (8 * squares)).as("Jain's index").isGreaterThan(0.99);
  }

  @Test
  void aGroupStaysBelowItsCeiling() {
    var race = new Race(Duration.ofSeconds(4));
    try (var kit = new ManualSystem()) {
      ActorRef<String> other = kit.spawn("other", race.hog(kit, "other"));
      ActorRef<String> capped =
          kit.spawn("capped", in(race.hog(kit, "capped"), new ShareGroup("capped", 300, 0.2)));
      capped.cast("go");
      other.cast("go");
      kit.run();
    }
    assertThat(race.share("capped")).isCloseTo(0.2, within(0.02));
  }

  /** What a group uses of the time where nobody else is busy, on one worker. */
  private static double shareAlone(int actors, double ceiling) {
    return shareAlone(1, actors, ceiling);
  }

  /** The same in parts of one worker. One runs at a time, whoever it is. */
  private static double shareAlone(int workers, int actors, double ceiling) {
    var race = new Race(Duration.ofSeconds(4));
    try (var kit = new ManualSystem(config -> config.withWorkers(workers))) {
      var group = new ShareGroup("capped", 100, ceiling);
      for (int i = 0; i < actors; i++)
        kit.spawn("hog" + i, in(race.hog(kit, "capped"), group)).cast("go");
      while (race.goesOn()) {
        kit.run();
        // Everybody waits for the next window, and every worker would sleep.
        if (race.goesOn()) assertThat(race.waits(kit)).as("the ticker goes on beating").isTrue();
      }
      // Who waits for the next window when the race is over ends in that.
      for (int beats = 0; beats < 300 && kit.passAndTick(Duration.ofMillis(1)); beats++) kit.run();
    }
    return race.share("capped");
  }

  @Test
  void aGroupGetsWhatItsCeilingAllowsWhereNobodyElseIsBusy() {
    assertThat(shareAlone(4, 0.5)).isCloseTo(0.5, within(0.05));
  }

  @Test
  void aGroupStaysBelowItsCeilingWhereNobodyElseIsBusy() {
    assertThat(shareAlone(1, 0.2)).isCloseTo(0.2, within(0.02));
  }

  /** Nobody waits for it, so that its slices last; windows of the ceiling end in their middle. */
  @ParameterizedTest
  @CsvSource({"2, 0.5", "2, 0.6", "2, 0.9", "4, 0.25", "4, 0.3"})
  void aLoopGetsAWholeWorkerWhereItsCeilingAllowsThat(int workers, double ceiling) {
    assertThat(shareAlone(workers, 1, ceiling)).isGreaterThan(0.97);
  }

  @ParameterizedTest
  @CsvSource({"2, 0.3", "2, 0.45", "1, 0.95"})
  void aLoopStaysBelowItsCeilingOnSeveralWorkers(int workers, double ceiling) {
    double expected = workers * ceiling;
    assertThat(shareAlone(workers, 1, ceiling)).isCloseTo(expected, within(0.05 * expected));
  }

  /** It lay where nobody looked, for up to a tenth of a second. */
  @Test
  void whoWaitsForTheNextWindowIsKilledAtOnce() throws Exception {
    var race = new Race(Duration.ofSeconds(4));
    try (var kit = new ManualSystem()) {
      List<ActorRef<String>> capped = new ArrayList<>();
      for (int i = 0; i < 3; i++)
        capped.add(kit.spawn("c" + i, in(race.hog(kit, "c"), new ShareGroup("c", 100, 0.05))));
      capped.forEach(each -> each.cast("go"));
      kit.run(); // until each of them waits for the next window
      long passed = race.passed;
      for (ActorRef<String> each : capped) {
        CompletionStage<KillReport> killed = each.kill();
        kit.run();
        assertThat(killed.toCompletableFuture().get(60, TimeUnit.SECONDS).force())
            .isEqualTo(KillReport.Force.CANCELLED);
      }
      // Each goes on to its next poll.
      assertThat(race.passed - passed).isLessThanOrEqualTo(3 * Race.STEP.toNanos());
    }
  }

  /** Somebody of no group would wait as long as the group. */
  @Test
  void whoHasALockThatOthersWantDoesNotWaitForTheNextWindow() {
    var lock = new ReentrantLock();
    try (var kit = new ManualSystem()) {
      var wanted = new AtomicBoolean();
      ActorRef<String> holder =
          kit.spawn(
              "holder",
              in(
                  () ->
                      (_, _) -> {
                        lock.lock();
                        while (!wanted.get()) {
                          kit.passAndTick(Duration.ofMillis(1));
                          Safepoint.poll();
                        }
                        lock.unlock();
                      },
                  new ShareGroup("holds", 100, 0.05)));
      ActorRef<Puppet.Msg> other = kit.puppet("other");
      holder.cast("go");
      kit.run();
      other.cast(
          Puppet.does(
              _ -> {
                wanted.set(true);
                lock.lock();
                lock.unlock();
                kit.note("has had it");
              }));
      kit.run();
      assertThat(kit.log()).contains("has had it");
    }
  }

  @Test
  void aGroupIsForActorsNotForDispatchersOrSystems() {
    var grouped = SchedulingConfig.DEFAULT.withGroup(new ShareGroup("x", 10));
    try (var kit = new ManualSystem()) {
      assertThatThrownBy(() -> kit.system().dispatcher().configure(_ -> grouped))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("default", "ShareGroup", "ActorSpec.withScheduling");
    }
    assertThatThrownBy(() -> SystemConfig.DEFAULT.withScheduling(grouped))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("SystemConfig.scheduling", "ActorSpec.withScheduling");
  }

  @Test
  void oneNameIsOneGroup() {
    try (var kit = new ManualSystem()) {
      kit.spawn("a", in(() -> (_, _) -> {}, new ShareGroup("x", 10)));
      kit.run();
      assertThatThrownBy(() -> kit.spawn("b", in(() -> (_, _) -> {}, new ShareGroup("x", 20))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("x", "[SHARE-GROUP]", "next:");
    }
  }

  @Test
  void nonsenseIsRefused() {
    assertThatThrownBy(() -> new ShareGroup(" ", 1)).hasMessageContaining("name");
    assertThatThrownBy(() -> new ShareGroup("a", 0)).hasMessageContaining("weight");
    assertThatThrownBy(() -> new ShareGroup("a", 1, 0)).hasMessageContaining("ceiling");
    assertThatThrownBy(() -> new ShareGroup("a", 1, 1.5)).hasMessageContaining("ceiling");
  }
}
