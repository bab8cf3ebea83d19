package io.turnwise.internal.timer;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Await;
import java.util.concurrent.atomic.AtomicBoolean;
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

  /** Whoever asks for a timer's time empties the inbox as well, and at a bad moment. */
  @Test
  void oneThatIsAboutToDozeSeesADeadlineThatAnotherTookIn() throws Exception {
    var firedAfter = new AtomicInteger();
    var alarm =
        new TimerEntry(0) {
          @Override
          protected void fire() {
            firedAfter.set(beats.get());
          }
        };
    Ticker[] own = new Ticker[1];
    var done = new AtomicBoolean();
    own[0] =
        new Ticker(
            NAME,
            () -> {
              if (isIn("doze") && done.compareAndSet(false, true)) {
                own[0].schedule(alarm);
                own[0].takeIn();
              }
              return clock.get();
            },
            this::beat,
            _ -> {},
            this);
    own[0].start();
    try {
      Await.until("it has fired", () -> firedAfter.get() > 0);
      assertThat(firedAfter.get()).as("no look round between").isEqualTo(QUIET_BEATS);
    } finally {
      own[0].stop();
    }
  }

  /** A system may be closed before the machine has run this thread at all. */
  @Test
  void oneThatIsStoppedBeforeItBeganLetsGoOfWhatWaits() throws Exception {
    var letGo = new AtomicBoolean();
    ticker.schedule(
        new TimerEntry(TimerWheel.TICK_NANOS) {
          @Override
          protected void fire() {}

          @Override
          protected void abandon() {
            letGo.set(true);
          }
        });
    ticker.stop();
    ticker.start();
    Await.until("it lets go", letGo::get);
  }

  /** On a busy machine its thread may begin a second after it was started: nothing stood still. */
  @Test
  void aThreadThatBeginsLateIsNoStandstill() throws Exception {
    var late = new AtomicLong();
    var rounds = new AtomicInteger();
    Thread here = Thread.currentThread();
    var slow =
        new Ticker(
            NAME,
            () -> Thread.currentThread() == here ? 0 : 10 * Ticker.STANDSTILL_NANOS,
            () -> rounds.incrementAndGet() > 0,
            late::set,
            this);
    slow.start();
    try {
      Await.until("it beats", () -> rounds.get() > 0);
      assertThat(late).hasValue(0);
    } finally {
      slow.stop();
    }
  }

  private static boolean isIn(String method) {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals(method)));
  }
}
