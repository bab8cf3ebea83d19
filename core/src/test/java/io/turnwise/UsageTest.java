package io.turnwise;

import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.observation.Usage;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

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
