package io.turnwise.internal.timer;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Await;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The thread that turns the wheel, on a clock that its beats move, and that then stands still. */
class TickerTest {
  private static final String NAME = "dozing";
  private static final int QUIET_BEATS = 20;

  private final AtomicLong clock = new AtomicLong();
  private final AtomicInteger beats = new AtomicInteger();
  private final Ticker ticker = new Ticker(NAME, clock::get, this::beat, _ -> {}, this);

  /** Nobody works for as long as it takes to doze; then somebody does. */
  private boolean beat() {
    int beat = beats.incrementAndGet();
    if (beat < QUIET_BEATS) clock.addAndGet(TimerWheel.TICK_NANOS);
    return beat > QUIET_BEATS;
  }

  @AfterEach
  void stop() {
    ticker.stop();
  }

  private static boolean sleeps() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(
            thread ->
                thread.getName().equals("turnwise-" + NAME + "-ticker")
                    && thread.getState() == Thread.State.TIMED_WAITING);
  }

  /** It used to try again at once until the next beat, on a processor that somebody needed. */
  @Test
  void oneThatWouldDozeWhileSomebodyWorksSleepsUntilTheNextBeat() throws Exception {
    ticker.start();
    Await.until("it has looked before it dozes", () -> beats.get() > QUIET_BEATS);
    Await.until("it sleeps", TickerTest::sleeps);
    assertThat(beats.get()).isEqualTo(QUIET_BEATS + 1);
  }
}
