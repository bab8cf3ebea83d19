package io.turnwise.internal.timer;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.time.TimerHandle;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The law of the timer service, against a plain sorted list, on a clock that the seed moves: by
 * nanoseconds, and by jumps of days.
 */
class WheelTimersProperty {
  static java.util.stream.LongStream seeds() {
    return java.util.stream.LongStream.rangeClosed(1, 60);
  }

  /** What the model knows of a timer. */
  private static final class Model {
    final TimerHandle handle;
    final long number;
    long due;
    final long period;

    Model(TimerHandle handle, long number, long due, long period) {
      this.handle = handle;
      this.number = number;
      this.due = due;
      this.period = period;
    }
  }

  private long now = 1_000_000_007L;
  private long numbers;
  private final List<Long> called = new ArrayList<>();
  private final ArrayDeque<Runnable> dispatched = new ArrayDeque<>();
  private final List<Model> model = new ArrayList<>();
  private long missed;
  private long cancelled;
  private long executed;

  private final Ticker ticker =
      new Ticker("model", () -> now, () -> false, _ -> {}, WheelTimersProperty.class);
  private final WheelTimers timers =
      new WheelTimers(
          ticker,
          dispatched::add,
          (_, cause) -> {
            throw new AssertionError(cause);
          },
          1_000_000,
          "the model",
          Instant.EPOCH);

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatIsCalledIsWhatWasDueAndNotCancelledInOrder(long seed) {
    var random = new SplittableRandom(seed);
    for (int step = 0; step < 3_000; step++) {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> once(random);
        case 3 -> periodic(random);
        case 4, 5 -> cancelOne(random);
        default -> pass(random, "seed " + seed + ", step " + step);
      }
      if (step % 100 == 0) look("seed " + seed + ", step " + step);
    }
    look("seed " + seed);
  }

  private static long draw(SplittableRandom random, int bits) {
    return random.nextLong(1L << random.nextInt(1, bits));
  }

  private void once(SplittableRandom random) {
    long number = numbers++;
    long delay = draw(random, 47); // up to a day and a half
    TimerHandle handle =
        timers.scheduleDelayed(() -> called.add(number), Duration.ofNanos(delay), "t" + number);
    model.add(new Model(handle, number, now + delay, 0));
  }

  private void periodic(SplittableRandom random) {
    if (random.nextInt(4) != 0) return; // each of them comes for ever
    long number = numbers++;
    long delay = draw(random, 30);
    long period = 1_000_000 + draw(random, 40);
    TimerHandle handle =
        timers.scheduleAtFixedRate(
            () -> called.add(number), Duration.ofNanos(delay), Duration.ofNanos(period));
    model.add(new Model(handle, number, now + delay, period));
  }

  private void cancelOne(SplittableRandom random) {
    if (model.isEmpty()) return;
    Model chosen = model.remove(random.nextInt(model.size()));
    assertThat(chosen.handle.cancel()).isTrue();
    assertThat(chosen.handle.cancel()).isFalse();
    cancelled++;
  }

  private void pass(SplittableRandom random, String where) {
    now += draw(random, random.nextInt(10) == 0 ? 49 : 34);
    called.clear();
    ticker.beatOnce();
    while (!dispatched.isEmpty()) dispatched.poll().run();
    List<Long> due =
        model.stream()
            .filter(m -> m.due <= now)
            .sorted(Comparator.comparingLong((Model m) -> m.due))
            .map(m -> m.number)
            .toList();
    assertThat(called).as(where).containsExactlyElementsOf(due);
    executed += due.size();
    model.removeIf(m -> m.due <= now && m.period == 0);
    for (Model m : model) {
      if (m.due > now) continue;
      m.due += m.period;
      for (; m.due < now; m.due += m.period * Math.max(1, (now - m.due) / m.period))
        missed += Math.max(1, (now - m.due) / m.period);
    }
  }

  private void look(String where) {
    Set<TimerHandle> pending = new HashSet<>(timers.pending());
    assertThat(pending)
        .as(where)
        .isEqualTo(new HashSet<>(model.stream().map(m -> m.handle).toList()));
    for (Model m : model)
      assertThat(m.handle.executeAt())
          .as(where)
          .isEqualTo(Instant.EPOCH.plusNanos(m.due - 1_000_000_007L));
    var seen = timers.metrics();
    assertThat(seen.pending()).as(where).isEqualTo(model.size());
    assertThat(seen.executed()).as(where).isEqualTo(executed);
    assertThat(seen.cancelled()).as(where).isEqualTo(cancelled);
    assertThat(seen.missedTicks()).as(where).isEqualTo(missed);
  }
}
