package io.turnwise.testkit;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerMetrics;
import io.turnwise.time.TimerService;
import io.turnwise.time.TimerState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The timer service, on virtual time: what is called, when, and what is counted. */
class TimerServiceTest {
  private final List<String> calls = new ArrayList<>();

  private Runnable notes(VirtualTestkit kit, String what) {
    return () -> calls.add(what + "@" + kit.clock().elapsed().toMillis());
  }

  @Test
  void scheduleDelayedExecutesCallback() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerHandle handle = kit.system().timers().scheduleDelayed(notes(kit, "a"), ofMillis(5));
      assertThat(handle.state()).isEqualTo(TimerState.PENDING);
      kit.advance(ofMillis(5));
      assertThat(calls).containsExactly("a@5");
      assertThat(handle.state()).isEqualTo(TimerState.DONE);
      assertThat(handle.cancel()).isFalse();
      kit.advance(ofHours(1));
      assertThat(calls).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, 1, 999_999, 1_000_000, 1_000_001, 63_999_999, 64_000_000, 5_000_000_017L})
  void scheduleDelayedRespectsDelay(long nanos) {
    try (var kit = Testkit.onVirtualTime()) {
      var handle = kit.system().timers().scheduleDelayed(notes(kit, "a"), ofNanos(nanos));
      assertThat(handle.delay()).isEqualTo(ofNanos(nanos));
      assertThat(handle.createdAt()).isEqualTo(VirtualClock.START);
      assertThat(handle.executeAt()).isEqualTo(VirtualClock.START.plusNanos(nanos));
      if (nanos > 0) kit.advance(ofNanos(nanos - 1));
      assertThat(calls).isEmpty();
      kit.advance(ofNanos(1));
      assertThat(calls).hasSize(1);
    }
  }

  @Test
  void cancelScheduledTask() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      TimerHandle one = timers.scheduleDelayed(notes(kit, "one"), ofMillis(5));
      timers.scheduleDelayed(notes(kit, "two"), ofMillis(5), "two");
      timers.scheduleDelayed(notes(kit, "three"), ofMillis(5));
      assertThat(one.cancel()).isTrue();
      assertThat(one.cancel()).isFalse();
      assertThat(one.state()).isEqualTo(TimerState.CANCELLED);
      kit.run(); // the wheel has the others now
      assertThat(timers.cancel("two")).isTrue();
      assertThat(timers.cancel("two")).isFalse();
      assertThat(timers.cancel("nobody")).isFalse();
      kit.advance(ofSeconds(1));
      assertThat(calls).containsExactly("three@5");
    }
  }

  @Test
  void multipleScheduledTasks() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      for (int millis : new int[] {30, 10, 20, 10, 0})
        timers.scheduleDelayed(notes(kit, "t"), ofMillis(millis), "at-" + millis + "-" + calls());
      assertThat(timers.pending())
          .extracting(handle -> handle.delay().toMillis())
          .containsExactly(0L, 10L, 10L, 20L, 30L);
      kit.advance(ofMillis(100));
      assertThat(calls).containsExactly("t@0", "t@10", "t@10", "t@20", "t@30");
      assertThat(timers.pending()).isEmpty();
    }
  }

  private int names;

  private int calls() {
    return names++;
  }

  @Test
  void scheduledTaskMetrics() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      TimerMetrics none = timers.metrics();
      assertThat(none.pending()).isZero();
      assertThat(none.oldestPending()).isEmpty();
      for (int seconds = 1; seconds <= 4; seconds++)
        timers.scheduleDelayed(() -> {}, ofSeconds(seconds));
      timers.scheduleDelayed(
          () -> {
            throw new IllegalStateException("planned");
          },
          ofSeconds(5));
      TimerHandle soonCancelled = timers.scheduleDelayed(() -> {}, ofSeconds(1));
      TimerHandle far = timers.scheduleDelayed(() -> {}, ofHours(1));
      soonCancelled.cancel();
      kit.advance(ofSeconds(10));
      TimerMetrics seen = timers.metrics();
      assertThat(seen.pending()).isEqualTo(1);
      assertThat(seen.executed()).isEqualTo(5);
      assertThat(seen.cancelled()).isEqualTo(1);
      assertThat(seen.failed()).isEqualTo(1);
      assertThat(seen.averageDelay()).isEqualTo(ofSeconds(3));
      assertThat(seen.maximumDelay()).isEqualTo(ofSeconds(5));
      assertThat(seen.oldestPending()).contains(ofSeconds(10));
      assertThat(seen.missedTicks()).isZero();
      assertThat(seen.lateness().count()).isEqualTo(5);
      assertThat(seen.lateness().maximum()).isEqualTo(ZERO);
      far.cancel();
      assertThat(timers.metrics().oldestPending()).isEmpty();
      assertThat(timers.metrics().cancelled()).isEqualTo(2);
    }
  }

  @Test
  void aPeriodicTimerIsAskedToWaitForItsPeriodFromTheSecondTimeOn() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      TimerHandle rate = timers.scheduleAtFixedRate(() -> {}, ofSeconds(6), ofSeconds(2));
      kit.advance(ofSeconds(11)); // at 6, 8 and 10
      assertThat(timers.metrics().executed()).isEqualTo(3);
      assertThat(timers.metrics().averageDelay()).isEqualTo(ofSeconds(10).dividedBy(3));
      assertThat(timers.metrics().maximumDelay()).isEqualTo(ofSeconds(6));
      assertThat(rate.delay()).isEqualTo(ofSeconds(6));
      rate.cancel();
      TimerHandle delay = timers.scheduleWithFixedDelay(() -> {}, ZERO, ofSeconds(10));
      kit.advance(ofSeconds(15)); // at 0 and 10
      assertThat(timers.metrics().averageDelay()).isEqualTo(ofSeconds(4));
      assertThat(timers.metrics().maximumDelay()).isEqualTo(ofSeconds(10));
      delay.cancel();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 1_000_000})
  void schedule1000TasksPerformance(int tasks) {
    var random = new SplittableRandom(tasks);
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      var done = new long[1];
      long sum = 0;
      for (int i = 0; i < tasks; i++) {
        long delay = random.nextLong(10_000) * 10_000_017; // a bundle for each moment
        sum += delay;
        timers.scheduleDelayed(() -> done[0]++, ofNanos(delay));
      }
      assertThat(timers.metrics().pending()).isEqualTo(tasks);
      kit.advance(ofSeconds(101));
      assertThat(done[0]).isEqualTo(tasks);
      TimerMetrics seen = timers.metrics();
      assertThat(seen.pending()).isZero();
      assertThat(seen.executed()).isEqualTo(tasks);
      assertThat(seen.averageDelay()).isEqualTo(ofNanos(sum / tasks));
      assertThat(seen.lateness().maximum()).isEqualTo(ZERO);
    }
  }

  // ---- names -----------------------------------------------------------------------------------

  @Test
  void namesAreMadeOrGivenAndPendingOnesAreUnique() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      TimerHandle first = timers.scheduleDelayed(() -> {}, ofSeconds(1), "task-1");
      TimerHandle made = timers.scheduleDelayed(() -> {}, ofSeconds(1));
      assertThat(made.id()).isEqualTo("task-2").isEqualTo(made.id());
      assertThatThrownBy(() -> timers.scheduleDelayed(() -> {}, ofSeconds(1), "task-1"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(
              "A timer 'task-1' is pending in System test already. [TIMER-ID-TAKEN]");
      assertThat(timers.cancel("task-2")).isTrue();
      assertThat(first.cancel()).isTrue();
      timers.scheduleDelayed(() -> {}, ofSeconds(1), "task-1");
      kit.advance(ofSeconds(1));
      timers.scheduleDelayed(() -> {}, ofSeconds(1), "task-1");
      kit.advance(ofSeconds(1));
      assertThat(made.id()).isEqualTo("task-2");
    }
  }

  @Test
  void aNameThatWasAskedForAfterTheEndIsNotKept() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      TimerHandle done = timers.scheduleDelayed(() -> {}, ofSeconds(1));
      kit.advance(ofSeconds(1));
      String id = done.id();
      assertThat(timers.cancel(id)).isFalse();
      timers.scheduleDelayed(() -> {}, ofSeconds(1), id).cancel();
    }
  }

  // ---- periodic --------------------------------------------------------------------------------

  @Test
  void fixedRateKeepsToTheClockAndSkipsWhatItMissed() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      var gate = new CompletableFuture<Void>();
      TimerHandle handle =
          timers.scheduleAtFixedRate(
              () -> {
                notes(kit, "r").run();
                if (calls.size() == 2) gate.join();
              },
              ofMillis(5),
              ofMillis(10));
      kit.advance(ofMillis(50)); // the second began at 15 and does not end
      assertThat(calls).containsExactly("r@5", "r@15");
      assertThat(handle.state()).isEqualTo(TimerState.RUNNING);
      gate.complete(null);
      kit.advance(ofMillis(20));
      assertThat(calls).containsExactly("r@5", "r@15", "r@55", "r@65");
      assertThat(timers.metrics().missedTicks()).isEqualTo(3); // 25, 35, 45
      assertThat(timers.metrics().pending()).isEqualTo(1);
      assertThat(handle.executeAt()).isEqualTo(VirtualClock.START.plusMillis(75));
      assertThat(handle.createdAt()).isEqualTo(VirtualClock.START);
      assertThat(handle.cancel()).isTrue();
      kit.advance(ofSeconds(1));
      assertThat(calls).hasSize(4);
      assertThat(timers.metrics().pending()).isZero();
    }
  }

  @Test
  void fixedDelayCountsFromTheEnd() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      List<CompletableFuture<Void>> gates = new ArrayList<>();
      TimerHandle handle =
          timers.scheduleWithFixedDelay(
              () -> {
                notes(kit, "d").run();
                var gate = new CompletableFuture<Void>();
                gates.add(gate);
                gate.join();
              },
              ZERO,
              ofMillis(10),
              "delayed");
      kit.advance(ofMillis(25));
      gates.get(0).complete(null);
      kit.advance(ofMillis(10));
      assertThat(calls).containsExactly("d@0", "d@35");
      assertThat(handle.cancel()).isTrue(); // it runs, and does not come again
      gates.get(1).complete(null);
      kit.advance(ofSeconds(1));
      assertThat(calls).hasSize(2);
      assertThat(timers.metrics().missedTicks()).isZero();
      assertThat(handle.state()).isEqualTo(TimerState.CANCELLED);
    }
  }

  @Test
  void aPeriodicCallbackThatThrowsIsCountedAndGoesOn() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      TimerHandle handle =
          timers.scheduleAtFixedRate(
              () -> {
                notes(kit, "x").run();
                throw new AssertionError("planned");
              },
              ZERO,
              ofMillis(1));
      kit.advance(ofMillis(2));
      handle.cancel();
      assertThat(calls).containsExactly("x@0", "x@1", "x@2");
      assertThat(timers.metrics().failed()).isEqualTo(3);
    }
  }

  @Test
  void aCallbackMayCancelItselfAndScheduleOthers() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      var own = new TimerHandle[1];
      own[0] =
          timers.scheduleAtFixedRate(
              () -> {
                notes(kit, "own").run();
                assertThat(own[0].cancel()).isTrue();
                timers.scheduleDelayed(notes(kit, "other"), ofMillis(3));
              },
              ofMillis(1),
              ofMillis(1));
      kit.advance(ofSeconds(1));
      assertThat(calls).containsExactly("own@1", "other@4");
      assertThat(timers.metrics().pending()).isZero();
    }
  }

  // ---- limits and misuse -----------------------------------------------------------------------

  @Test
  void moreThanTheMaximumIsRefusedAndCancelledOnesDoNotCount() {
    try (var kit = Testkit.onVirtualTime(c -> c.withMaxPendingTimers(3))) {
      TimerService timers = kit.system().timers();
      List<TimerHandle> handles = new ArrayList<>();
      for (int i = 0; i < 3; i++) handles.add(timers.scheduleDelayed(() -> {}, ofSeconds(1)));
      assertThatThrownBy(() -> timers.scheduleDelayed(() -> {}, ofSeconds(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("has 3 pending timers and takes no more than 3. [TOO-MANY-TIMERS]")
          .hasMessageContaining("SystemConfig.maxPendingTimers");
      handles.get(0).cancel();
      timers.scheduleDelayed(() -> {}, ofSeconds(1));
      assertThatThrownBy(() -> timers.scheduleDelayed(() -> {}, ofSeconds(1)))
          .hasMessageContaining("[TOO-MANY-TIMERS]");
      kit.advance(ofSeconds(1));
      timers.scheduleDelayed(() -> {}, ofSeconds(1));
      kit.advance(ofSeconds(1));
      assertThat(timers.metrics().executed()).isEqualTo(4);
    }
  }

  @Test
  void whatMakesNoSenseIsRefusedWithASentence() {
    try (var kit = Testkit.onVirtualTime()) {
      TimerService timers = kit.system().timers();
      Runnable nothing = () -> {};
      Duration negative = ofNanos(-1);
      assertThatThrownBy(() -> timers.scheduleDelayed(nothing, negative))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("PT-0.000000001S; use Duration.ZERO or a positive duration");
      assertThatThrownBy(() -> timers.scheduleDelayed(null, ZERO))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("the callback is null");
      assertThatThrownBy(() -> timers.scheduleAtFixedRate(nothing, ZERO, ZERO))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("the period is PT0S; use a positive duration");
      assertThatThrownBy(() -> timers.scheduleWithFixedDelay(nothing, ZERO, negative))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("positive duration");
      assertThatThrownBy(() -> timers.scheduleDelayed(nothing, ZERO, " "))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("blank");
      assertThat(timers.metrics().pending()).isZero();
      TimerHandle forEver = timers.scheduleDelayed(nothing, Duration.ofSeconds(Long.MAX_VALUE));
      kit.advance(Duration.ofDays(400));
      assertThat(forEver.state()).isEqualTo(TimerState.PENDING);
      forEver.cancel();
    }
  }

  @Test
  void closingCancelsWhatIsPendingAndTakesNothingMore() {
    var kit = Testkit.onVirtualTime();
    TimerService timers = kit.system().timers();
    TimerHandle pending = timers.scheduleDelayed(notes(kit, "a"), ofMillis(1), "left");
    kit.system().close();
    assertThat(pending.state()).isEqualTo(TimerState.CANCELLED);
    assertThat(timers.metrics().pending()).isZero();
    assertThatThrownBy(() -> timers.scheduleDelayed(() -> {}, ZERO))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("[TIMERS-CLOSED]");
    assertThat(calls).isEmpty();
    kit.close();
  }

  @Test
  void aTimerThatIsLeftBehindFailsTheTest() {
    var kit = Testkit.onVirtualTime();
    kit.system().timers().scheduleDelayed(() -> {}, ofSeconds(1), "forgotten");
    assertThatThrownBy(kit::close)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("Timer forgotten is still pending.");
  }

  @Test
  void aCallbackMayCallActorsAndWait() {
    try (var kit = Testkit.onVirtualTime()) {
      var pupil = kit.system().spawn("pupil", Pupil::new);
      kit.system()
          .timers()
          .scheduleDelayed(() -> calls.add(pupil.call(new Pupil.Ask("a"))), ofMillis(1));
      kit.advance(ofMillis(1));
      assertThat(calls).containsExactly("A");
    }
  }
}
