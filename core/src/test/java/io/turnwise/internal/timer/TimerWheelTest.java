package io.turnwise.internal.timer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The timing wheel on a clock that the test moves. */
class TimerWheelTest {
  private static final long MILLI = 1_000_000;

  /** Where the clock stands at first: also shortly before it wraps. */
  private static final long[] ORIGINS = {0, 12_345_678, -5 * MILLI, Long.MAX_VALUE - 50 * MILLI};

  private static final class Alarm extends TimerEntry {
    private final List<Alarm> fired;
    private boolean abandoned;

    Alarm(long deadline, List<Alarm> fired) {
      super(deadline);
      this.fired = fired;
    }

    Alarm(long delay, List<Alarm> fired, boolean relative) {
      super(delay, relative);
      this.fired = fired;
    }

    @Override
    protected void fire() {
      fired.add(this);
    }

    @Override
    protected void abandon() {
      abandoned = true;
    }
  }

  @ParameterizedTest(name = "{0} ms")
  @ValueSource(
      longs = {
        0,
        1,
        2,
        62,
        63,
        64,
        65,
        127,
        128,
        4_095,
        4_096,
        4_097,
        8_192,
        262_143,
        262_144,
        262_145,
        16_777_215,
        16_777_216,
        16_777_217,
        50_000_000
      })
  void firesAtItsDeadlineAndNotANanosecondEarlier(long millis) {
    for (long origin : ORIGINS) {
      List<Alarm> fired = new ArrayList<>();
      var wheel = new TimerWheel(origin);
      long deadline = origin + millis * MILLI + 300;
      wheel.schedule(new Alarm(deadline, fired));
      wheel.advance(origin);
      wheel.advance(deadline - 1);
      assertThat(fired).as("origin %d", origin).isEmpty();
      wheel.advance(deadline);
      assertThat(fired).as("origin %d", origin).hasSize(1);
      assertThat(wheel.waiting()).isZero();
      wheel.advance(deadline + 100 * MILLI);
      assertThat(fired).hasSize(1);
    }
  }

  @Test
  void anEntryThatIsAlreadyDueFiresAtTheNextAdvance() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(1_000 * MILLI);
    wheel.schedule(new Alarm(3 * MILLI, fired));
    wheel.schedule(new Alarm(Long.MIN_VALUE / 2, fired));
    wheel.advance(1_000 * MILLI);
    assertThat(fired).hasSize(2);
  }

  @Test
  void aRelativeEntryCountsFromWhenItIsTakenIn() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    wheel.schedule(new Alarm(10 * MILLI, fired, true));
    wheel.advance(5 * MILLI);
    wheel.advance(15 * MILLI - 1);
    assertThat(fired).isEmpty();
    wheel.advance(15 * MILLI);
    assertThat(fired).hasSize(1);
  }

  @Test
  void deadlinesOfManyYearsWaitWithoutBeingLost() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    long deadline = Duration.ofDays(1).toNanos() * 3;
    var far = new Alarm(deadline, fired);
    wheel.schedule(far);
    wheel.schedule(new Alarm(Long.MAX_VALUE / 4, fired));
    for (long now = 0; now < deadline; now += Duration.ofMinutes(7).toNanos()) {
      wheel.advance(now);
      assertThat(fired).isEmpty();
    }
    wheel.advance(deadline);
    assertThat(fired).containsExactly(far);
    assertThat(wheel.waiting()).isEqualTo(1);
  }

  @Test
  void cancelBeforeItWasTakenInIsExact() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    var alarm = new Alarm(5 * MILLI, fired);
    wheel.schedule(alarm);
    assertThat(wheel.cancel(alarm)).isTrue();
    assertThat(wheel.cancel(alarm)).isFalse();
    wheel.advance(10 * MILLI);
    assertThat(fired).isEmpty();
    assertThat(wheel.waiting()).isZero();
  }

  @Test
  void cancelInTheWheelIsExactAndUnlinksItSoon() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    var alarm = new Alarm(500 * MILLI, fired);
    wheel.schedule(alarm);
    wheel.advance(MILLI);
    assertThat(wheel.waiting()).isEqualTo(1);
    assertThat(wheel.cancel(alarm)).isTrue();
    wheel.advance(2 * MILLI);
    assertThat(wheel.waiting()).isZero();
    wheel.advance(1_000 * MILLI);
    assertThat(fired).isEmpty();
  }

  @Test
  void cancelAfterItHasFiredIsRefused() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    var alarm = new Alarm(5 * MILLI, fired);
    wheel.schedule(alarm);
    wheel.advance(5 * MILLI);
    assertThat(fired).hasSize(1);
    assertThat(wheel.cancel(alarm)).isFalse();
    wheel.advance(10 * MILLI);
    assertThat(fired).hasSize(1);
  }

  @Test
  void anAlarmMayScheduleAndCancelOthers() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    var victim = new Alarm(5 * MILLI, fired);
    var child = new Alarm(5 * MILLI, fired);
    wheel.schedule(victim);
    wheel.schedule(
        new TimerEntry(4 * MILLI) {
          @Override
          protected void fire() {
            wheel.cancel(victim);
            wheel.schedule(child);
          }
        });
    wheel.advance(4 * MILLI);
    wheel.advance(5 * MILLI);
    assertThat(fired).containsExactly(child);
  }

  @Test
  void nothingIsDueBeforeTheNextDeadlineEvenRightBeforeACascade() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    wheel.schedule(new Alarm(66 * MILLI, fired)); // in the second level
    wheel.advance(10 * MILLI);
    wheel.schedule(new Alarm(70 * MILLI, fired)); // in the first, and due later
    wheel.advance(10 * MILLI);
    assertThat(wheel.nextDeadline()).isLessThanOrEqualTo(66 * MILLI);
  }

  /** Who drives time by hand jumps from deadline to deadline; a day must not take long. */
  @ParameterizedTest
  @ValueSource(longs = {1, 63, 64, 65, 4_095, 4_096, 100_000, 16_777_216, 86_400_000, 400_000_000})
  void afterAFewJumpsTheNextDeadlineIsReachedExactly(long millis) {
    for (long start : new long[] {0, 1, 63, 64, 5_000, 262_143}) {
      List<Alarm> fired = new ArrayList<>();
      var wheel = new TimerWheel(0);
      wheel.advance(start * MILLI);
      var alarm = new Alarm((start + millis) * MILLI + 17, fired);
      wheel.schedule(alarm);
      wheel.advance(start * MILLI);
      long now = start * MILLI;
      int jumps = 0;
      while (fired.isEmpty()) {
        assertThat(wheel.nextDeadline()).isGreaterThan(now).isLessThanOrEqualTo(alarm.deadline);
        now = wheel.nextDeadline();
        wheel.advance(now);
        assertThat(++jumps).as("jumps of %d ms from %d ms", millis, start).isLessThan(40);
      }
      assertThat(now).isEqualTo(alarm.deadline);
    }
  }

  @Test
  void anEmptyWheelHasNoDeadline() {
    var wheel = new TimerWheel(0);
    assertThat(wheel.nextDeadline()).isEqualTo(Long.MAX_VALUE);
    wheel.advance(1_000 * MILLI);
    assertThat(wheel.nextDeadline()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void atTheEndEverythingThatWaitsIsLetGo() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    List<Alarm> all = new ArrayList<>();
    for (long millis : new long[] {1, 100, 10_000, 1_000_000, 100_000_000})
      all.add(new Alarm(millis * MILLI, fired));
    all.forEach(wheel::schedule);
    wheel.advance(0);
    var fresh = new Alarm(MILLI, fired);
    wheel.schedule(fresh);
    all.add(fresh);
    wheel.abandonAll();
    assertThat(fired).isEmpty();
    assertThat(all).allMatch(a -> a.abandoned);
    assertThat(wheel.waiting()).isZero();
  }

  /** However long there was none before: who cancels it soon finds it where it was made. */
  @Test
  void oneThatIsFarAheadIsLeftWhereItIsForHalfASecond() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    wheel.advance(60_000 * MILLI);
    var far = new Alarm(20_000 * MILLI, fired, true);
    wheel.scheduleFar(far, () -> 60_000 * MILLI);
    wheel.stamp(() -> 60_000 * MILLI);
    wheel.advance(60_499 * MILLI);
    assertThat(wheel.waiting()).isZero();
    wheel.advance(60_500 * MILLI);
    assertThat(wheel.waiting()).isEqualTo(1);
    wheel.advance(80_000 * MILLI - 1);
    assertThat(fired).isEmpty();
    wheel.advance(80_000 * MILLI);
    assertThat(fired).containsExactly(far);
  }

  @Test
  void oneThatIsFarAheadCountsFromTheFirstStampAboveIt() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    long delay = TimerWheel.FAR_NANOS;
    var first = new Alarm(delay, fired, true);
    var second = new Alarm(delay, fired, true);
    var third = new Alarm(delay, fired, true);
    wheel.scheduleFar(first, () -> 0);
    wheel.stamp(() -> 3 * MILLI);
    assertThat(wheel.needsStamp()).isFalse();
    wheel.scheduleFar(second, () -> 0);
    assertThat(wheel.needsStamp()).isTrue();
    wheel.stamp(() -> 5 * MILLI);
    wheel.scheduleFar(third, () -> 0);
    wheel.stamp(() -> delay / 2);
    assertThat(wheel.bound()).isEqualTo(3); // stamps are nobody's timers
    wheel.advance(8 * MILLI);
    assertThat(wheel.waiting()).isZero(); // they may wait where they are
    wheel.advance(delay / 2);
    assertThat(wheel.waiting()).isEqualTo(3);
    wheel.advance(delay + 3 * MILLI - 1);
    assertThat(fired).isEmpty();
    wheel.advance(delay + 3 * MILLI);
    assertThat(fired).containsExactly(first);
    wheel.advance(delay + 5 * MILLI);
    assertThat(fired).containsExactly(first, second);
    wheel.advance(delay + delay / 2 - 1);
    assertThat(fired).hasSize(2);
    wheel.advance(delay + delay / 2);
    assertThat(fired).containsExactly(first, second, third);
  }

  /** A clock that shows the next nanosecond at each look: what comes later has a later time. */
  @Test
  void whatIsRelativeNeverCountsFromATimeBeforeItWasScheduled() {
    List<Alarm> fired = new ArrayList<>();
    var wheel = new TimerWheel(0);
    long[] now = {0};
    var late = new Alarm(10, fired, true);
    // It is scheduled between the two looks at the clock of who advances the wheel.
    wheel.advance(
        () -> {
          if (now[0] == 0) {
            now[0] = 1_000;
            wheel.schedule(late);
          }
          return now[0];
        });
    wheel.advance(() -> now[0] = 1_009);
    wheel.advance(() -> now[0] = 1_018);
    assertThat(fired).isEmpty();
    wheel.advance(() -> now[0] = 1_019);
    assertThat(fired).containsExactly(late);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anInboxThatIsNotEmptiedDropsWhatWasCancelledAndKeepsTheRest(boolean far) {
    List<Alarm> fired = new ArrayList<>();
    List<Alarm> kept = new ArrayList<>();
    List<Alarm> all = new ArrayList<>();
    var wheel = new TimerWheel(0);
    long delay = TimerWheel.FAR_NANOS;
    for (int i = 0; i < 10 * TimerWheel.SIFT_DEPTH; i++) {
      var alarm = new Alarm(delay, fired, true);
      all.add(alarm);
      int at = i;
      if (far) wheel.scheduleFar(alarm, () -> at);
      else wheel.schedule(alarm);
      if (i % 1_000 == 999) wheel.stamp(() -> at);
      if (i % 100 == 0) kept.add(alarm);
      else wheel.cancel(alarm);
    }
    assertThat(wheel.bound()).isLessThan(2 * TimerWheel.SIFT_DEPTH);
    long end = 10 * TimerWheel.SIFT_DEPTH;
    wheel.advance(end);
    wheel.advance(delay / 2 + end);
    assertThat(wheel.waiting()).isEqualTo(kept.size());
    for (int i = 0; i < kept.size(); i++) // none counts from before it was scheduled
    assertThat(kept.get(i).deadline - delay).isGreaterThanOrEqualTo(i * 100L);
    wheel.advance(2 * delay + end);
    assertThat(fired).containsExactlyInAnyOrderElementsOf(kept);
    if (!far) return; // call timeouts: nobody asks them for a time
    assertThat(all).noneMatch(Alarm::isRelative);
    for (int i = 0; i < all.size(); i++)
      assertThat(all.get(i).deadline - delay).isGreaterThanOrEqualTo(i);
  }

  /** The law: at every moment, exactly those have fired that were due and not cancelled. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void agreesWithASortedListForAnySchedule(long seed) {
    var random = new Random(seed);
    long origin = ORIGINS[(int) (seed % ORIGINS.length)];
    var wheel = new TimerWheel(origin);
    List<Alarm> fired = new ArrayList<>();
    List<Alarm> model = new ArrayList<>();
    long now = origin;
    for (int step = 0; step < 4_000; step++) {
      String where = "seed " + seed + ", step " + step;
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          long delay = (long) (Math.pow(2, random.nextDouble() * 36) + random.nextInt(3)) - 2;
          var alarm = new Alarm(now + delay, fired);
          model.add(alarm);
          wheel.schedule(alarm);
        }
        case 2 -> {
          if (model.isEmpty()) continue;
          var alarm = model.remove(random.nextInt(model.size()));
          assertThat(wheel.cancel(alarm)).as(where).isTrue();
        }
        default -> {
          fired.clear();
          long promised = step % 5 == 0 ? promised(wheel, now) : Long.MIN_VALUE;
          int firedAlready = fired.size();
          now += (long) Math.pow(2, random.nextDouble() * 33);
          wheel.advance(now);
          long to = now;
          List<Alarm> due = model.stream().filter(a -> a.deadline - to <= 0).toList();
          assertThat(fired).as(where).containsExactlyInAnyOrderElementsOf(due);
          if (promised != Long.MIN_VALUE)
            for (Alarm alarm : fired.subList(firedAlready, fired.size()))
              assertThat(alarm.deadline - promised).as(where).isGreaterThanOrEqualTo(0);
          model.removeAll(due);
          assertThat(wheel.waiting()).as(where).isEqualTo(model.size());
        }
      }
    }
  }

  /** The next deadline, after all that is in the inbox was taken in; or no promise. */
  private static long promised(TimerWheel wheel, long now) {
    wheel.advance(now);
    long next = wheel.nextDeadline();
    return next == Long.MAX_VALUE ? Long.MIN_VALUE : next;
  }
}
