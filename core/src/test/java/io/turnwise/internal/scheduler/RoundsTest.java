package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
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

  /** How far the worst of them is from its part of ten seconds. */
  private static double worstPart(SimulatedMachine machine, int[] weights, Loop[][] groups) {
    machine.runUntil(SECOND);
    machine.countFromHere();
    machine.runUntil(11 * SECOND);
    double all = 10.0 * SECOND * machine.workers();
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

  private static Loop[] loops(
      SimulatedMachine machine, int many, int quantum, @Nullable Share share) {
    Loop[] loops = new Loop[many];
    for (int i = 0; i < many; i++) {
      Loop loop = machine.add(new Loop(machine, quantum, share));
      loops[i] = loop;
      machine.at(
          machine.random.nextLong(Scale.MILLISECOND),
          () -> machine.sendFromOutside(loop, SimulatedActor.ENDLESS));
    }
    return loops;
  }

  private static final class Loop extends SimulatedActor {
    private final int quantum;
    private final @Nullable Share share;

    Loop(SimulatedMachine machine, int quantum, @Nullable Share share) {
      super(machine);
      this.quantum = quantum;
      this.share = share;
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
