package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How soon a loop that has just begun gives way to who comes later. */
class LastingSliceTest {
  private static final int MILLISECOND = Scale.MILLISECOND;
  private static final int BEGINS = 10 * MILLISECOND + MILLISECOND / 2;

  /** The tick at 11 ms has seen the loops; the one at 12 would find them long. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whoComesAfterATickHasSeenItNeedNotWaitForTheNext(int workers) {
    assertThat(waitOfWhoComes(workers, 11 * MILLISECOND + 200_000)).isLessThan(100_000);
  }

  /** It may be over in a moment, and mostly is. */
  @Test
  void aSliceThatNoTickHasSeenIsLeftAlone() {
    assertThat(waitOfWhoComes(1, BEGINS + 100_000)).isGreaterThan(300_000);
  }

  /** Loops begin in the middle between two ticks, one for each worker; then this one is woken. */
  private static long waitOfWhoComes(int workers, long at) {
    var machine = new SimulatedMachine(workers, 1);
    for (int i = 0; i < workers; i++) {
      var loop = machine.add(new SimulatedActor(machine));
      machine.at(BEGINS, () -> machine.sendFromOutside(loop, SimulatedActor.ENDLESS));
    }
    var brief = machine.add(new SimulatedActor(machine));
    machine.at(at, () -> machine.sendFromOutside(brief, 1_000));
    machine.runUntil(20L * MILLISECOND);
    assertThat(brief.messagesHandled).isEqualTo(1);
    machine.close();
    return brief.longestWait;
  }
}
