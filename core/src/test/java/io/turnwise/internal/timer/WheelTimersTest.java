package io.turnwise.internal.timer;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of timers whose time has come and that no worker has got to. */
class WheelTimersTest {
  private long now = 1_000_000_007L;
  private final List<String> called = new ArrayList<>();
  private final ArrayDeque<Runnable> dispatched = new ArrayDeque<>();
  private final Ticker ticker =
      new Ticker("test", () -> now, () -> false, _ -> {}, WheelTimersTest.class);
  private final WheelTimers timers =
      new WheelTimers(ticker, dispatched::add, (_, _) -> {}, 10, "the test", Instant.EPOCH);

  private void pass(Duration time) {
    now += time.toNanos();
    ticker.beatOnce();
  }

  @Test
  void whatIsOnItsWayToAWorkerWhenTheSystemClosesIsCancelled() {
    Duration soon = Duration.ofMillis(1);
    TimerHandle looked = timers.scheduleDelayed(() -> called.add("looked"), soon);
    TimerHandle unseen = timers.scheduleDelayed(() -> called.add("unseen"), soon, "unseen");
    TimerHandle periodic = timers.scheduleAtFixedRate(() -> called.add("again"), soon, soon);
    TimerHandle before = timers.scheduleDelayed(() -> called.add("before"), soon);
    pass(soon);
    assertThat(dispatched).hasSize(4);
    assertThat(before.cancel()).isTrue();
    assertThat(timers.metrics().pending()).isEqualTo(3);
    timers.close();
    assertThat(timers.metrics().pending()).isZero();
    assertThat(timers.metrics().cancelled()).isEqualTo(4);
    assertThat(looked.state()).isEqualTo(TimerState.CANCELLED);
    assertThat(periodic.cancel()).isFalse(); // the close has
    assertThat(unseen.state()).isEqualTo(TimerState.CANCELLED);
    assertThat(timers.cancel("unseen")).isFalse();
    dispatched.forEach(Runnable::run); // a worker comes to them all the same
    assertThat(called).isEmpty();
    assertThat(timers.metrics().pending()).isZero();
    assertThat(timers.metrics().cancelled()).isEqualTo(4);
    assertThat(timers.metrics().executed()).isZero();
  }
}
