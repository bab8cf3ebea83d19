package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a task goes that is woken where many wait already, and who is told. */
class LongLineTest {
  private static final int MAKER = 0;
  private static final int OTHER = 1;
  private static final int MANY = 10_000;

  private long clock;

  private final Tick tick = new Tick(() -> clock);
  private final Scheduler scheduler =
      new Scheduler("long line", 2, 2, tick, false, () -> {}, _ -> {});
  private final RunQueue queue = scheduler.queue(MAKER);

  @AfterEach
  void stop() {
    scheduler.stop();
    scheduler.letGo();
  }

  /** So long each of its slices took, in the last tick. */
  private void runsSlicesOf(int nanos) {
    queue.beginPace();
    for (int i = 0; i < tick.length() / nanos; i++) assertThat(queue.pick()).isNull();
    clock += tick.length();
    tick.advanceTo();
    assertThat(queue.pick()).isNull();
  }

  private void queueAll(int count, boolean fresh) {
    for (int i = 0; i < count; i++) {
      var task = new Idle(i);
      task.brief = !fresh;
      queue.admit(task, false);
    }
  }

  /** What it will read was written here a moment ago. */
  @Test
  void whoHasNotRunYetStaysWhereItsMakerRunsSlicesOfNoLength() {
    runsSlicesOf(100);
    queueAll(MANY, true);
    assertThat(queue.queued()).isEqualTo(MANY);
    assertThat(scheduler.injector.isEmpty()).isTrue();
    for (int i = 0; i < MANY; i++) assertThat(((Idle) queue.pick()).number()).isEqualTo(i);
  }

  @Test
  void whoHasNotRunYetIsGivenAwayWhereSlicesTakeTime() {
    runsSlicesOf(5_000);
    queueAll(MANY, true);
    assertThat(scheduler.queue(OTHER).inbox.isEmpty()).isFalse();
  }

  @Test
  void whoHasRunIsGivenAwayAnyhow() {
    runsSlicesOf(100);
    queueAll(MANY, false);
    assertThat(scheduler.queue(OTHER).inbox.isEmpty()).isFalse();
  }

  /** It has its credit back, and that is all it has in common with one that is new. */
  @Test
  void whoHasRunForLongIsGivenAwayAnyhow() {
    runsSlicesOf(100);
    for (int i = 0; i < MANY; i++) {
      var task = new Idle(i);
      queue.book(task, 1, 0);
      task.credit = Integer.MAX_VALUE;
      queue.admit(task, false);
    }
    assertThat(scheduler.queue(OTHER).inbox.isEmpty()).isFalse();
  }

  /** There they would wait for its end, and nobody asks it to stop for them. */
  @Test
  void nobodyIsGivenToAWorkerInALongTurn() {
    runsSlicesOf(5_000);
    RunQueue other = scheduler.queue(OTHER);
    other.longSlice.begin(other.slice(), 0);
    queueAll(MANY, false);
    assertThat(other.inbox.isEmpty()).isTrue();
  }

  /** Positions of two wheels have nothing in common: one that has nothing in it turns freely. */
  @Test
  void whoIsGivenAwayHasItsCreditBackNoSooner() {
    runsSlicesOf(5_000);
    RunQueue other = scheduler.queue(OTHER);
    while (other.wheel.position() < 10 * Wheel.SEGMENTS) other.wheel.pollNext();
    for (int i = 0; i < MANY; i++) {
      var task = new Idle(i);
      task.credit = 7;
      task.refillAt = queue.wheel.position() + 5;
      queue.admit(task, false);
    }
    Task given = other.inbox.tryPoll();
    assertThat(given).isNotNull();
    assertThat(given.refillAt - other.wheel.position()).isEqualTo(5);
    assertThat(given.credit).isEqualTo(7);
  }

  /** Whoever is quick to look at what all share does not see what waits in this line. */
  @ParameterizedTest(name = "{0} wait: {1}")
  @CsvSource({"400, false", "600, true"})
  void aSleeperIsWokenForALineOfManyShortSlices(int waiting, boolean woken) {
    runsSlicesOf(100);
    scheduler.idle.fallAsleep(OTHER);
    queueAll(waiting, true);
    assertThat(!scheduler.idle.isSleeping(OTHER)).isEqualTo(woken);
    assertThat(scheduler.idle.searching()).isEqualTo(woken ? 1 : 0);
  }
}
