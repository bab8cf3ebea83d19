package io.turnwise;

import static io.turnwise.Puppet.does;
import static io.turnwise.Puppet.say;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.cell.ManualSystem;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.ActorState;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** The thread that finds slices that last, seen through what it does. */
class PreemptMonitorTest {
  private static boolean isAlive(String system) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("turnwise-" + system + "-ticker"));
  }

  @Test
  void testPreemptMonitorCreation() {
    try (var kit = new ManualSystem()) {
      assertThat(kit.system().snapshot().preemptions()).isZero();
      assertThat(kit.system().snapshot().workersRelieved()).isZero();
    }
  }

  @Test
  void testPreemptMonitorStartStop() throws Exception {
    var system = ActorSystem.open("monitored", c -> c.withCloseOnShutdown(false));
    assertThat(isAlive("monitored")).isTrue();
    system.close();
    Await.until("its threads have ended", () -> !isAlive("monitored"));
  }

  @Test
  void testPreemptionRequest() {
    try (var kit = new ManualSystem()) {
      var hog = kit.puppet("hog");
      var other = kit.puppet("other");
      hog.cast(
          does(
              _ -> {
                other.cast(say("waits"));
                for (int i = 0; i < 4; i++) {
                  kit.passAndTick(Duration.ofMillis(1));
                  Safepoint.poll();
                }
                kit.note("hog ends");
              }));
      kit.run();
      assertThat(kit.log()).containsSubsequence("other waits", "hog ends");
      assertThat(hog.snapshot().usage().preemptions()).isEqualTo(1);
    }
  }

  @Test
  void aBurstIsDoneBeforeTheTurnThatWasStoppedForItGoesOn() {
    try (var kit = new ManualSystem()) {
      var hog = kit.puppet("hog");
      List<ActorRef<Puppet.Msg>> others = new ArrayList<>();
      for (int i = 0; i < 300; i++) others.add(kit.puppet("other" + i));
      kit.run();
      hog.cast(
          does(
              _ -> {
                kit.passAndTick(Duration.ofMillis(1)); // it is long from here on
                for (var other : others) other.cast(does(_ -> kit.note("short")));
                for (int i = 0; i < 3; i++) {
                  kit.passAndTick(Duration.ofMillis(1));
                  Safepoint.poll();
                  kit.note("hog goes on");
                }
              }));
      kit.run();
      assertThat(kit.log().lastIndexOf("short")).isLessThan(kit.log().indexOf("hog goes on"));
    }
  }

  @Test
  void shortTurnsWithoutEndLeaveALongOneItsPart() {
    try (var kit = new ManualSystem()) {
      var hog = kit.puppet("hog");
      var flood = kit.puppet("flood");
      kit.run();
      List<Integer> left = new ArrayList<>();
      flood.cast(does(_ -> flood(kit, flood, 2_000, left)));
      hog.cast(
          does(
              _ -> {
                for (int i = 0; i < 10; i++) {
                  kit.passAndTick(Duration.ofMillis(1));
                  Safepoint.poll();
                  left.add(-i);
                }
              }));
      kit.run();
      assertThat(left).hasSizeGreaterThan(2_000);
      assertThat(left.indexOf(-9)).as("the long one's end").isLessThan(2_000);
    }
  }

  /** Slices were short for as long as anybody waited for it, be it for ever. */
  @Test
  void aLockThatIsNeverGivenBackDoesNotKeepSlicesShort() {
    var lock = new ReentrantLock();
    lock.lock();
    try (var kit = new ManualSystem()) {
      var waits = kit.puppet("waits");
      waits.cast(does(_ -> lock.lockInterruptibly()));
      kit.run();
      List<Long> stops = new ArrayList<>();
      var passed = new AtomicInteger();
      for (int i = 0; i < 2; i++) {
        kit.puppet("loop" + i)
            .cast(
                does(
                    _ -> {
                      while (stops.size() < 4) {
                        kit.passAndTick(Duration.ofMillis(1));
                        if (passed.incrementAndGet() % 1_000 == 0)
                          stops.add(kit.system().snapshot().preemptions());
                        Safepoint.poll();
                      }
                    }));
      }
      kit.run();
      long first = stops.getFirst();
      long last = stops.get(3) - stops.get(2);
      assertThat(first).as("in the first second").isGreaterThan(300);
      assertThat(last).as("in the fourth").isBetween(10L, 120L);
      waits.kill();
      kit.run();
    }
  }

  /** Turns of ten microseconds each, one after the other. */
  private static void flood(
      ManualSystem kit, ActorRef<Puppet.Msg> self, int turns, List<Integer> log) {
    kit.passAndTick(Duration.ofNanos(10_000));
    log.add(turns);
    if (turns > 0) self.cast(does(_ -> flood(kit, self, turns - 1, log)));
  }

  @Test
  void aTurnThatWasStoppedStillSaysWhatItIsHandling() {
    try (var kit = new ManualSystem()) {
      var hog = kit.puppet("hog");
      var other = kit.puppet("other");
      hog.cast(
          does(
              _ -> {
                other.cast(does(_ -> kit.note("hog handles " + hog.snapshot().handling())));
                for (int i = 0; i < 4; i++) {
                  kit.passAndTick(Duration.ofMillis(1));
                  Safepoint.poll();
                }
                kit.note("hog ends");
              }));
      kit.run();
      assertThat(kit.log()).containsSubsequence("hog handles Do", "hog ends");
    }
  }

  @Test
  void aTurnThatWasStoppedIsPreemptedSinceItsMessageBegan() {
    try (var kit = new ManualSystem()) {
      var hog = kit.puppet("hog");
      var other = kit.puppet("other");
      kit.run();
      List<ActorSnapshot> seen = new ArrayList<>();
      hog.cast(
          does(
              _ -> {
                for (int round = 0; round < 3; round++) {
                  other.cast(does(_ -> seen.add(hog.snapshot())));
                  for (int i = 0; i < 20; i++) {
                    kit.passAndTick(Duration.ofMillis(1));
                    Safepoint.poll();
                  }
                }
                seen.add(hog.snapshot());
              }));
      kit.run();
      assertThat(seen)
          .extracting(ActorSnapshot::state)
          .containsExactly(
              ActorState.PREEMPTED, ActorState.PREEMPTED, ActorState.PREEMPTED, ActorState.RUNNING);
      assertThat(seen.get(2).since().toMillis()).isBetween(40L, 60L);
      assertThat(seen.get(3).since().toMillis()).isBetween(59L, 61L);
      assertThat(seen).allMatch(s -> s.stack().toString().contains("PreemptMonitorTest"));
      assertThat(hog.snapshot().state()).isEqualTo(ActorState.RECEIVING);
    }
  }

  @Test
  void aTurnThatHoldsItsWorkerWhereItCannotBeStoppedIsBlocked() {
    try (var kit = new ManualSystem()) {
      var hog = kit.puppet("hog");
      var other = kit.puppet("other");
      kit.run();
      List<ActorState> seen = new ArrayList<>();
      hog.cast(
          does(
              _ -> {
                for (int i = 0; i < 20; i++) kit.passAndTick(Duration.ofMillis(1));
                seen.add(hog.snapshot().state()); // nobody waits
                other.cast(does(_ -> seen.add(hog.snapshot().state())));
                for (int i = 0; i < 20; i++) kit.passAndTick(Duration.ofMillis(1));
                seen.add(hog.snapshot().state());
              }));
      hog.cast(does(_ -> seen.add(hog.snapshot().state())));
      kit.run();
      assertThat(seen)
          .containsExactly(
              ActorState.RUNNING, ActorState.BLOCKED, ActorState.RUNNING, ActorState.RECEIVING);
    }
  }

  @Test
  void testNoPreemptionForRecentTask() {
    try (var kit = new ManualSystem()) {
      var hog = kit.puppet("hog");
      var other = kit.puppet("other");
      hog.cast(
          does(
              _ -> {
                other.cast(say("waits"));
                for (int i = 0; i < 1_000; i++) {
                  kit.pass(Duration.ofNanos(400));
                  Safepoint.poll();
                }
                kit.note("hog ends");
              }));
      kit.run();
      assertThat(kit.log()).containsSubsequence("hog ends", "other waits");
      assertThat(kit.system().snapshot().preemptions()).isZero();
    }
  }

  @Test
  void loopsThatOnlyOtherLoopsWaitForGetTheirWholeQuantum() {
    try (var kit = new ManualSystem()) {
      long[] turns = new long[2];
      for (int hog = 0; hog < 2; hog++) {
        int me = hog;
        kit.puppet("hog" + hog)
            .cast(
                does(
                    _ -> {
                      for (int i = 0; i < 100; i++) {
                        kit.passAndTick(Duration.ofMillis(1));
                        Safepoint.poll();
                        turns[me]++;
                      }
                    }));
      }
      kit.run();
      assertThat(turns).containsExactly(100, 100);
      assertThat(kit.system().snapshot().preemptions())
          .as("200 ms in slices of about 10 ms")
          .isBetween(8L, 22L);
    }
  }
}
