package io.turnwise;

import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.Usage;
import io.turnwise.scheduling.Backend;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What actors and workers have used. */
class UsageTest {
  @Test
  void anActorThatDidLittleHasUsedNothingWorthMentioning() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(say("x"));
      kit.run();
      assertThat(actor.snapshot().usage()).isEqualTo(Usage.NONE);
    }
  }

  @Test
  void slicesOfSeveralMessagesAreMeasured() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(say("untimed"));
      for (int i = 0; i < 3; i++) actor.cast(does(_ -> kit.pass(Duration.ofNanos(1_234_567))));
      kit.run();
      assertThat(actor.snapshot().usage().ran()).isEqualTo(Duration.ofNanos(3 * 1_234_567));
    }
  }

  @Test
  void aTurnThatLastsIsSampled() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(
          does(
              _ -> {
                for (int i = 0; i < 5; i++) kit.passAndTick(Duration.ofMillis(1));
              }));
      kit.run();
      assertThat(actor.snapshot().usage().ran()).isEqualTo(Duration.ofMillis(5));
      assertThat(kit.system().dispatcher().loads().getFirst().usage().ran())
          .isEqualTo(Duration.ofMillis(5));
    }
  }

  @Test
  void aTickThatIsLateIsPaidForInFull() {
    try (var kit = new ManualSystem()) {
      var actor = kit.puppet("a");
      actor.cast(
          does(
              _ -> {
                kit.passAndTick(Duration.ofMillis(1));
                kit.passAndTick(Duration.ofMillis(20));
              }));
      kit.run();
      assertThat(actor.snapshot().usage().ran()).isEqualTo(Duration.ofMillis(21));
    }
  }

  /** The second message of a slice is measured, to its end: until then ticks show it. */
  @Test
  void aMeasuredTurnIsSeenBeforeItEndsAndCountedOnce() {
    try (var kit = new ManualSystem()) {
      var seen = new ArrayList<Duration>();
      var actor = kit.puppet("a");
      actor.cast(say("untimed"));
      actor.cast(
          does(
              _ -> {
                for (int i = 0; i < 4; i++) {
                  kit.passAndTick(Duration.ofSeconds(1));
                  seen.add(actor.snapshot().usage().ran());
                }
                kit.pass(Duration.ofNanos(500_000_001));
              }));
      kit.run();
      // The first tick finds a slice that may be over soon.
      assertThat(seen)
          .containsExactly(
              Duration.ZERO, Duration.ofSeconds(2), Duration.ofSeconds(3), Duration.ofSeconds(4));
      assertThat(actor.snapshot().usage().ran()).isEqualTo(Duration.ofNanos(4_500_000_001L));
    }
  }

  @Test
  void whoWaitsForAWorkerIsToldForHowLong() {
    try (var kit = new ManualSystem()) {
      var hog = kit.puppet("hog");
      var other = kit.puppet("other");
      kit.run();
      hog.cast(
          does(
              _ -> {
                for (int i = 0; i < 3; i++) {
                  if (i == 1) other.cast(say("waits")); // for the last two
                  kit.passAndTick(Duration.ofMillis(7));
                }
              }));
      kit.run();
      assertThat(other.snapshot().usage().waited()).isEqualTo(Duration.ofMillis(14));
      assertThat(hog.snapshot().usage().waited()).isZero();
      assertThat(kit.system().dispatcher().loads().getFirst().usage().waited())
          .as("of all that the worker ran")
          .isEqualTo(Duration.ofMillis(14));
      hog.cast(does(_ -> kit.passAndTick(Duration.ofMillis(5))));
      hog.cast(does(_ -> other.cast(does(_ -> kit.passAndTick(Duration.ofMillis(5))))));
      kit.run();
      assertThat(other.snapshot().usage().waited()).isEqualTo(Duration.ofMillis(14));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BLOCKING", "THREAD"})
  void onOtherBackendsEveryTurnIsMeasured(Backend backend) throws Exception {
    var within = new AtomicLong();
    var end = new AtomicBoolean();
    try (var system = ActorSystem.open("test", c -> c.withWorkers(1).withCloseOnShutdown(false))) {
      long before = System.nanoTime();
      ActorRef<String> actor =
          system.spawn(
              ActorSpec.<String>of(
                      () ->
                          (_, _) -> {
                            long begun = System.nanoTime();
                            while (!end.getAndSet(false)) Thread.onSpinWait();
                            long over = System.nanoTime();
                            within.addAndGet(over - begun);
                          })
                  .withBackend(backend)
                  .withScheduling(SchedulingConfig.DEFAULT.withThroughput(1)));
      for (int i = 0; i < 3; i++) actor.cast("a slice of its own");
      for (int i = 1; i <= 3; i++) {
        Duration enough = Duration.ofMillis(10 * i);
        Await.until("it runs", () -> actor.snapshot().usage().ran().compareTo(enough) > 0);
        end.set(true);
        long done = i;
        Await.until("it is done", () -> system.snapshot().messagesHandled() == done);
      }
      Await.until("it rests", () -> actor.snapshot().state() == ActorState.RECEIVING);
      Usage usage = actor.snapshot().usage();
      long after = System.nanoTime();
      assertThat(usage.ran()).isGreaterThanOrEqualTo(Duration.ofNanos(within.get()));
      // What it waited for is known to the tick.
      assertThat(usage.ran().plus(usage.waited()))
          .isLessThanOrEqualTo(Duration.ofNanos(after - before).plusMillis(4));
      assertThat(usage.cpu()).isPositive().isLessThanOrEqualTo(Duration.ofNanos(after - before));
      assertThat(usage.allocatedBytes()).isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BLOCKING", "THREAD"})
  void theEndOfAnActorIsMeasuredAsWell(Backend backend) throws Exception {
    var within = new AtomicLong();
    try (var system = ActorSystem.open("test", c -> c.withWorkers(1).withCloseOnShutdown(false))) {
      ActorRef<String> actor =
          system.spawn(
              ActorSpec.<String>of(
                      () ->
                          new Actor<String>() {
                            @Override
                            public void receive(String message, Context<String> context) {}

                            @Override
                            public void teardown(StopReason reason, Context<String> context) {
                              long begun = System.nanoTime();
                              Duration enough = Duration.ofMillis(20);
                              while (context.self().snapshot().usage().ran().compareTo(enough) < 0)
                                Thread.onSpinWait();
                              within.set(System.nanoTime());
                              within.addAndGet(-begun);
                            }
                          })
                  .withBackend(backend));
      actor.stop();
      Await.end(actor);
      Usage usage = actor.snapshot().usage();
      assertThat(usage.ran()).isGreaterThanOrEqualTo(Duration.ofNanos(within.get()));
      assertThat(actor.snapshot().usage()).as("later").isEqualTo(usage);
    }
  }

  /** A thread of the pool is one actor's after the other. */
  @Test
  void whatAThreadUsedForOneActorIsNotTheNextOnes() throws Exception {
    try (var system = ActorSystem.open("test", c -> c.withWorkers(1).withCloseOnShutdown(false))) {
      var kept = new byte[1][];
      ActorRef<String> greedy =
          system.spawn(
              ActorSpec.<String>of(() -> (_, _) -> kept[0] = new byte[50_000_000])
                  .withBackend(Backend.BLOCKING));
      ActorRef<String> modest =
          system.spawn(ActorSpec.<String>of(() -> (_, _) -> {}).withBackend(Backend.BLOCKING));
      greedy.cast("go");
      Await.until("it is done", () -> system.snapshot().messagesHandled() == 1);
      for (int i = 2; i <= 20; i++) {
        modest.cast("go");
        long done = i;
        Await.until("it is done", () -> system.snapshot().messagesHandled() == done);
      }
      Await.until("it rests", () -> modest.snapshot().state() == ActorState.RECEIVING);
      assertThat(greedy.snapshot().usage().allocatedBytes()).isGreaterThan(50_000_000);
      assertThat(modest.snapshot().usage().allocatedBytes()).isLessThan(50_000_000);
      assertThat(kept[0]).isNotNull();
    }
  }

  @Test
  void preemptionsWaitsAndMemoryAreAccountedToWhoCausesThem() throws Exception {
    var end = new AtomicBoolean();
    try (var system = ActorSystem.open("test", c -> c.withWorkers(1).withCloseOnShutdown(false))) {
      ActorRef<String> hog =
          system.spawn(
              () ->
                  (_, _) -> {
                    while (!end.get()) {
                      if (new byte[1_000].length == 0) return;
                      Safepoint.poll();
                    }
                  });
      ActorRef<String> other = system.spawn(() -> (_, _) -> {});
      hog.cast("go");
      while (hog.snapshot().usage().preemptions() < 3
          || hog.snapshot().usage().waited().isZero()
          || hog.snapshot().usage().allocatedBytes() == 0
          || hog.snapshot().usage().cpu().isZero()) {
        other.cast("ping");
        Thread.sleep(1);
      }
      assertThat(other.snapshot().usage().preemptions()).isZero();
      end.set(true);
    }
  }

  @Test
  void whoOptsOutIsNotStopped() throws Exception {
    var end = new AtomicBoolean();
    var begun = new CountDownLatch(1);
    try (var system = ActorSystem.open("test", c -> c.withWorkers(1).withCloseOnShutdown(false))) {
      ActorRef<String> hog =
          system.spawn(
              ActorSpec.<String>of(
                      () ->
                          (_, _) -> {
                            begun.countDown();
                            while (!end.get()) Safepoint.poll();
                          })
                  .withScheduling(SchedulingConfig.DEFAULT.withPreemptible(false)));
      ActorRef<String> other = system.spawn(() -> (_, _) -> {});
      hog.cast("go");
      assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < 30; i++) {
        other.cast("ping");
        Thread.sleep(1);
      }
      assertThat(hog.snapshot().usage().preemptions()).isZero();
      assertThat(system.snapshot().preemptions()).isZero();
      end.set(true);
      Await.until("all are handled", () -> system.snapshot().messagesHandled() >= 31);
    }
  }
}
