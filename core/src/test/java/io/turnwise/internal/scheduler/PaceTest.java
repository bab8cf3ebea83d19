package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often a slice looks at the clock, and what it does not miss by looking seldom. */
class PaceTest {
  private static final int MANY = 100;

  private long now;
  private int reads;
  private final Tick tick = new Tick(this::read);
  private final Seat seat = new Seat(new Counters(), tick);
  private final Idle task =
      new Idle(1) {
        @Override
        protected int quantum() {
          return 10_000_000;
        }
      };

  private long read() {
    reads++;
    return now;
  }

  /** A slice of so many messages, each of which takes so long. Returns how many it had. */
  private int slice(int messages, long nanosEach) {
    seat.begin(task);
    reads = 0;
    int handled = 0;
    while (handled < messages) {
      if (handled > 0) seat.beginTiming(task);
      now += nanosEach;
      handled++;
      if (seat.isOver()) break;
    }
    seat.charge(task);
    return handled;
  }

  @ParameterizedTest(name = "{1} messages of a task that was brief = {0}: {2} looks")
  @CsvSource({
    "true, 1, 0",
    "true, 2, 0",
    "true, 64, 0",
    "true, 65, 2",
    "true, 100, 2",
    "false, 1, 0",
    "false, 2, 3"
  })
  void theClockIsReadAsSeldomAsCanBe(boolean brief, int messages, int looks) {
    task.brief = brief;
    assertThat(slice(messages, 50)).isEqualTo(messages);
    assertThat(reads).isEqualTo(looks);
    assertThat(task.brief).isTrue();
  }

  /** One that was brief, and is not any more, is measured from the next tick on. */
  @Test
  void aSliceThatBecameLongIsMeasuredOnceTheTickHasChanged() {
    task.brief = true;
    seat.begin(task);
    seat.beginTiming(task);
    assertThat(seat.isTimed()).as("in the same tick").isFalse();
    now += 2L * tick.length();
    tick.advanceTo();
    seat.beginTiming(task);
    assertThat(seat.isTimed()).isTrue();
    now += 2L * tick.length();
    tick.advanceTo();
    seat.charge(task);
    assertThat(task.brief).isFalse();
    assertThat(slice(MANY, 1_000_000)).as("of one that uses a millisecond each").isEqualTo(11);
  }
}
