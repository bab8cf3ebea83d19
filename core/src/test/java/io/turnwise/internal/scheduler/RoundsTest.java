package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Parts of all workers' time, on simulated processors: in each round every busy task has its
 * quantum, wherever it waits.
 */
class RoundsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int QUANTUM = SimulatedActor.QUANTUM_NANOS;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 64})
  void groupsHaveTheirPartsOnAnyNumberOfWorkers(int workers) {
    var machine = new SimulatedMachine(workers, 1);
    int[] weights = {100, 200, 400};
    int[] loops = {4, 3, 2};
    Loop[][] groups = new Loop[weights.length][];
    for (int i = 0; i < weights.length; i++)
      groups[i] =
          loops(machine, loops[i] * workers, QUANTUM, machine.scheduler.newShare(weights[i], 1));
    assertThat(worstPart(machine, weights, groups)).isLessThan(0.02);
    machine.close();
  }

  /** One of them is alone at times, and those of other groups wait elsewhere. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 64})
  void groupsWithFewLoopsHaveTheirPartsToo(int workers) {
    var machine = new SimulatedMachine(workers, 1);
    int[] weights = {100, 100};
    Loop[][] groups = {
      loops(machine, workers, QUANTUM, machine.scheduler.newShare(100, 1)),
      loops(machine, 2 * workers + 1, QUANTUM, machine.scheduler.newShare(100, 1))
    };
    assertThat(worstPart(machine, weights, groups)).isLessThan(0.02);
    machine.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 64})
  void whoHasFourTimesTheQuantumHasFourTimesAsMuch(int workers) {
    var machine = new SimulatedMachine(workers, 1);
    int[] quanta = {1, 4};
    Loop[][] groups = {
      loops(machine, 3 * workers, QUANTUM / 2, null), loops(machine, 3 * workers, QUANTUM * 2, null)
    };
    assertThat(worstPart(machine, quanta, groups)).isLessThan(0.02);
    machine.close();
  }

  /** Also where they cannot be divided evenly. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 7, 64})
  void equalLoopsHaveEqualParts(int workers) {
    for (int loops = workers + 1; loops <= 2 * workers + 3; loops += Math.max(1, workers / 3)) {
      var machine = new SimulatedMachine(workers, loops);
      Loop[][] each = new Loop[loops][];
      for (int i = 0; i < loops; i++) each[i] = loops(machine, 1, QUANTUM, null);
      int[] weights = new int[loops];
      Arrays.fill(weights, 1);
      assertThat(worstPart(machine, weights, each)).as("%d loops", loops).isLessThan(0.02);
      machine.close();
    }
  }

  /**
   * Erlang's own test of fairness, with a tighter bound. Their quantum is no longer than a tick: a
   * tick more or less is much to each of them.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theWorstServedOfManyLoopsWithShortQuantaHasNineTenthsOfTheMean(int workers) {
    var machine = new SimulatedMachine(workers, 1);
    Loop[] loops = loops(machine, 500 * workers, Scale.MILLISECOND, null);
    machine.runUntil(2 * SECOND);
    machine.countFromHere();
    machine.runUntil(12 * SECOND);
    double least = Double.MAX_VALUE;
    double sum = 0;
    for (Loop loop : loops) {
      double ran = loop.ran(machine.now()) - (double) loop.ranBefore;
      least = Math.min(least, ran);
      sum += ran;
    }
    assertThat(least / (sum / loops.length)).isGreaterThan(0.9);
    machine.close();
  }

  /** Once it might be the machine that stopped it too late; not every time. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void whoIsAlwaysStoppedTooLatePaysForThat(int workers) {
    var machine = new SimulatedMachine(workers, 1);
    Loop[] loops = loops(machine, 300 * workers, Scale.MILLISECOND, null);
    loops[0].pollNanos = 3 * Scale.MILLISECOND;
    machine.runUntil(2 * SECOND);
    machine.countFromHere();
    machine.runUntil(22 * SECOND);
    double mean = 20.0 * SECOND / 300;
    assertThat(loops[0].ran(machine.now()) - (double) loops[0].ranBefore).isLessThan(2.2 * mean);
    machine.close();
  }

  /** It was idle while the others were busy: it owes nobody those rounds, and nobody owes it. */
  @Test
  void whoWasIdleBeginsWhereTheOthersAre() {
    var machine = new SimulatedMachine(2, 1);
    Loop old = pinned(machine, 1);
    var brief = machine.add(new SimulatedActor(machine));
    brief.pinTo(1);
    for (int i = 0; i < 200; i++) // so that the loop uses one quantum after another
    machine.at(i * 5L * Scale.MILLISECOND, () -> machine.sendFromOutside(brief, 5_000));
    machine.runUntil(SECOND);
    Loop[] fresh = loops(machine, 4, QUANTUM, null);
    machine.runUntil(SECOND + SECOND / 100);
    Loop[] all = {old, fresh[0], fresh[1], fresh[2], fresh[3]};
    for (int fifth = 1; fifth <= 5; fifth++) { // also in the first one
      for (Loop loop : all) loop.ranBefore = loop.ran(machine.now());
      machine.runUntil(SECOND + fifth * SECOND / 5);
      double part = 0.4 * SECOND / 5;
      for (Loop loop : all)
        assertThat(loop.ran(machine.now()) - (double) loop.ranBefore)
            .isBetween(part - 2 * QUANTUM, part + 2 * QUANTUM);
    }
    machine.close();
  }

  /** What is pinned cannot be taken from a worker, and does not hide what can. */
  @Test
  void pinnedLoopsDoNotKeepOthersFromTheirParts() {
    var machine = new SimulatedMachine(3, 1);
    Loop pinned = pinned(machine, 0);
    Loop[][] each = new Loop[8][];
    each[0] = new Loop[] {pinned};
    for (int i = 1; i < each.length; i++) each[i] = loops(machine, 1, QUANTUM, null);
    int[] weights = new int[each.length];
    Arrays.fill(weights, 1);
    assertThat(worstPart(machine, weights, each)).isLessThan(0.02);
    machine.close();
  }

  /** Who is seldom run, because others beside it are brief and many, is taken over. */
  @Test
  void aLoopBesideAPairThatTalksIsNotLeftBehind() {
    var machine = new SimulatedMachine(2, 1);
    Talker talker = machine.add(new Talker(machine));
    talker.pinTo(1);
    machine.sendFromOutside(talker, 2_000);
    Loop[] loops = loops(machine, 2, QUANTUM, null);
    machine.runUntil(SECOND);
    machine.countFromHere();
    machine.runUntil(6 * SECOND);
    double one = loops[0].ran(machine.now()) - loops[0].ranBefore;
    double other = loops[1].ran(machine.now()) - loops[1].ranBefore;
    assertThat(Math.min(one, other) / Math.max(one, other)).isGreaterThan(0.8);
    machine.close();
  }

  /** Of a slice that nobody could stop, only so much is held against it. */
  @Test
  void whoCouldNotBeStoppedForLongIsBackSoon() {
    var machine = new SimulatedMachine(1, 1);
    Loop[] loops = loops(machine, 20, QUANTUM, null);
    Loop stubborn = machine.add(new Loop(machine, QUANTUM, null));
    stubborn.stubborn = true;
    for (int i = 0; i < 3; i++)
      machine.at(SECOND / 2, () -> machine.sendFromOutside(stubborn, SECOND));
    // The first two in one slice, as a slice is measured from its second message on; then it is in
    // the wheel from 2.5 s on, for some rounds of 0.2 to 0.4 s.
    machine.runUntil(4 * SECOND);
    assertThat(stubborn.ran(machine.now())).isGreaterThan(2 * SECOND + SECOND / 10);
    assertThat(loops[0].ran(machine.now())).isGreaterThan(SECOND / 20);
    machine.close();
  }

  /** A long quantum several times over is more than a number can hold. */
  @Test
  void partsHoldForTheLongestQuantum() {
    var machine = new SimulatedMachine(2, 1);
    Loop[][] each = new Loop[5][];
    for (int i = 0; i < each.length; i++) each[i] = loops(machine, 1, (int) SECOND, null);
    int[] weights = {1, 1, 1, 1, 1};
    machine.runUntil(20 * SECOND);
    machine.countFromHere();
    machine.runUntil(220 * SECOND);
    assertThat(worst(machine, 400.0 * SECOND, weights, each)).isLessThan(0.05);
    machine.close();
  }

  /**
   * Whoever has the lock may be any of them. Each ran for two ticks, and one of them over and over,
   * so that others waited for more than thirty.
   */
  @Test
  void whileALockIsWantedEachIsRunSoon() {
    var machine = new SimulatedMachine(1, 1);
    Loop[] loops = loops(machine, 5, QUANTUM, null);
    machine.runUntil(SECOND / 2);
    machine.scheduler.beginLockWait();
    machine.runUntil(SECOND / 2 + SECOND / 10); // what was in hand, and two quanta long
    for (Loop loop : loops) loop.longestPause = 0;
    machine.runUntil(SECOND + SECOND / 4);
    for (Loop loop : loops) assertThat(loop.longestPause).isBetween(1L, 10L * Scale.MILLISECOND);
    machine.scheduler.endLockWait();
    machine.close();
  }

  /** It has not been stopped in the middle, so it has no lock that others want. */
  @Test
  void whoIsBriefAndPinnedRunsOnWhileALockIsWanted() {
    var machine = new SimulatedMachine(1, 1);
    loops(machine, 2, QUANTUM, null);
    Talker talker = machine.add(new Talker(machine));
    talker.pinTo(0);
    machine.sendFromOutside(talker, 2_000);
    machine.runUntil(SECOND / 5);
    long before = talker.messagesHandled;
    machine.scheduler.beginLockWait();
    machine.runUntil(2 * SECOND / 5);
    assertThat(before).isPositive();
    assertThat(talker.messagesHandled - before).isGreaterThan(before / 2);
    machine.scheduler.endLockWait();
    machine.close();
  }

  /** How far the worst of them is from its part of ten seconds. */
  private static double worstPart(SimulatedMachine machine, int[] weights, Loop[][] groups) {
    machine.runUntil(SECOND);
    machine.countFromHere();
    machine.runUntil(11 * SECOND);
    return worst(machine, 10.0 * SECOND * machine.workers(), weights, groups);
  }

  private static double worst(
      SimulatedMachine machine, double all, int[] weights, Loop[][] groups) {
    double worst = 0;
    double used = 0;
    for (int i = 0; i < groups.length; i++) {
      double ran = 0;
      for (Loop loop : groups[i]) ran += loop.ran(machine.now()) - loop.ranBefore;
      used += ran;
      double due = all * weights[i] / Arrays.stream(weights).sum();
      worst = Math.max(worst, Math.abs(ran / due - 1));
    }
    assertThat(used / all).as("nobody rests").isGreaterThan(0.998);
    return worst;
  }

  private static Loop pinned(SimulatedMachine machine, int worker) {
    Loop loop = machine.add(new Loop(machine, QUANTUM, null));
    loop.pinTo(worker);
    machine.at(machine.now(), () -> machine.sendFromOutside(loop, SimulatedActor.ENDLESS));
    return loop;
  }

  private static Loop[] loops(
      SimulatedMachine machine, int many, int quantum, @Nullable Share share) {
    Loop[] loops = new Loop[many];
    for (int i = 0; i < many; i++) {
      Loop loop = machine.add(new Loop(machine, quantum, share));
      loops[i] = loop;
      machine.at(
          machine.now() + machine.random.nextLong(Scale.MILLISECOND),
          () -> machine.sendFromOutside(loop, SimulatedActor.ENDLESS));
    }
    return loops;
  }

  /** Writes to itself without end, in brief turns. */
  private static final class Talker extends SimulatedActor {
    private final SimulatedMachine machine;

    Talker(SimulatedMachine machine) {
      super(machine);
      this.machine = machine;
    }

    @Override
    void turnEnded(SimulatedWorker on) {
      super.turnEnded(on);
      machine.send(on, this, 2_000);
    }
  }

  private static final class Loop extends SimulatedActor {
    private final int quantum;
    private final @Nullable Share share;

    /** Nobody can stop it. */
    boolean stubborn;

    /** Its polls are so far apart, if not as usual. */
    long pollNanos;

    private long stoppedAt;
    long longestPause;

    Loop(SimulatedMachine machine, int quantum, @Nullable Share share) {
      super(machine);
      this.quantum = quantum;
      this.share = share;
    }

    @Override
    long go(long now) {
      longestPause = Math.max(longestPause, now - stoppedAt);
      return super.go(now);
    }

    @Override
    void stop(long now) {
      super.stop(now);
      stoppedAt = now;
    }

    @Override
    long untilPoll(long usual) {
      return pollNanos == 0 ? usual : pollNanos;
    }

    @Override
    protected boolean isPreemptible() {
      return !stubborn;
    }

    @Override
    protected int quantum() {
      return quantum;
    }

    @Override
    protected @Nullable Share share() {
      return share;
    }
  }
}
