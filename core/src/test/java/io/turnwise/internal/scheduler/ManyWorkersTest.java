package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The scheduling code on more workers than any machine here has processors: simulated, so that all
 * of this is exact. docs/scale.md has the figures.
 */
class ManyWorkersTest {
  private static final int MANY = 64;
  private static final int QUANTUM = SimulatedActor.QUANTUM_NANOS;
  private static final int MILLISECOND = Scale.MILLISECOND;

  @Test
  void theSameSeedTakesTheSameCourse() {
    Scale.Row once = Scale.light(MANY, 7);
    assertThat(Scale.light(MANY, 7)).isEqualTo(once);
    assertThat(Scale.light(MANY, 8)).isNotEqualTo(once);
  }

  @Test
  void equalLoopsGetEqualParts() {
    Scale.Row four = Scale.loops("four for each", MANY, 4 * MANY, 1);
    assertThat(four.get("jain in the first second")).isGreaterThanOrEqualTo(0.99);
    assertThat(four.get("jain")).isGreaterThanOrEqualTo(0.99);
    assertThat(four.get("worst/mean")).isGreaterThan(0.75);
    assertThat(four.get("used")).isCloseTo(1, within(0.001));
  }

  @Test
  void loopsThatCannotBeDividedEvenlyGetEqualPartsAllTheSame() {
    Scale.Row uneven = Scale.loops("five for two", MANY, 5 * MANY / 2, 1);
    assertThat(uneven.get("jain")).isGreaterThanOrEqualTo(0.99);
    assertThat(uneven.get("used")).isCloseTo(1, within(0.001));
  }

  @Test
  void lightActorsDoNotWaitForLoops() {
    Scale.Row light = Scale.light(MANY, 1);
    assertThat(light.get("messages/s")).isGreaterThan(20_000);
    assertThat(light.get("p99.9 wait, us")).isLessThan(100);
    assertThat(light.get("longest wait, us")).isLessThan(1_000);
    assertThat(light.get("jain of the loops")).isGreaterThanOrEqualTo(0.98);
  }

  /** Who sent while all workers were in loops looked at each of them three times. */
  @Test
  void aMessageCostsNoMoreLooksWhereThereAreMoreWorkers() {
    double few = Scale.light(16, 1).get("looks per message");
    assertThat(Scale.light(256, 1).get("looks per message")).isLessThan(1.25 * few);
  }

  /** It was known as a loop at the second tick: who came behind it waited for two of them. */
  @Test
  void nobodyWaitsTwoTicksBehindALoopThatHasJustBegun() {
    long longest = 0;
    for (int begins = 2_010; begins < 3_000; begins += 30) {
      var machine = new SimulatedMachine(1, 1);
      var loop = machine.add(new SimulatedActor(machine));
      var light = machine.add(new SimulatedActor(machine));
      long at = (long) begins * Scale.MICROSECOND;
      machine.at(at, () -> machine.sendFromOutside(loop, SimulatedActor.ENDLESS));
      long soon = at + 100 * Scale.MICROSECOND; // the worker slept, and is up by then
      machine.at(soon, () -> machine.sendFromOutside(light, 5_000));
      machine.runUntil(10L * MILLISECOND);
      assertThat(light.messagesHandled).isEqualTo(1);
      longest = Math.max(longest, light.longestWait);
      machine.close();
    }
    assertThat(longest).isBetween(MILLISECOND / 2L, 13L * MILLISECOND / 10);
  }

  /** Its worker was taken for one that is about to look by itself, and the other was left alone. */
  @Test
  void nobodyWaitsForALoopThatHasJustBegunWhereAnotherWorkerCouldStop() {
    var machine = new SimulatedMachine(2, 1);
    var light = machine.add(new SimulatedActor(machine));
    for (int i = 0; i < 4; i++)
      sendSoon(machine, machine.add(new SimulatedActor(machine)), SimulatedActor.ENDLESS);
    var random = new SplittableRandom(1);
    for (int i = 0; i < 100; i++) {
      var fresh = machine.add(new SimulatedActor(machine));
      long at = 10L * (1 + i) * MILLISECOND + random.nextLong(MILLISECOND);
      machine.at(at, () -> machine.sendFromOutside(fresh, 5L * MILLISECOND));
      long soon = at + random.nextLong(30_000, 500_000);
      machine.at(soon, () -> machine.sendFromOutside(light, 5_000));
    }
    machine.runUntil(1_100L * MILLISECOND);
    assertThat(light.messagesHandled).isEqualTo(100);
    assertThat(light.longestWait).isLessThan(300_000);
    machine.close();
  }

  /** Quantum, twice that after a calm tenth of a second; a tick until it is seen; the next poll. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void noSliceLastsLongerThanItsBoundWhereOthersWait(int workers) {
    var machine = new SimulatedMachine(workers, 1);
    for (int i = 0; i < 3 * workers; i++)
      sendSoon(machine, machine.add(new SimulatedActor(machine)), SimulatedActor.ENDLESS);
    machine.runUntil(90L * MILLISECOND);
    assertThat(longestRun(machine)).isBetween(9L * MILLISECOND, QUANTUM + 2L * MILLISECOND);
    machine.runUntil(2_000L * MILLISECOND);
    assertThat(longestRun(machine)).isBetween(18L * MILLISECOND, 2L * QUANTUM + 2L * MILLISECOND);
    machine.close();
  }

  private static long longestRun(SimulatedMachine machine) {
    return machine.actors.stream().mapToLong(actor -> actor.longestRun).max().orElseThrow();
  }

  /** Loops left a crowded worker one by one, each after its quantum: it took more than a second. */
  @Test
  void aCrowdSpreadsInAFewRounds() {
    Scale.Row skewed = Scale.skewed(MANY, 1);
    assertThat(skewed.get("all at work after, ms")).isLessThan(10);
    assertThat(skewed.get("balanced after, ms")).isLessThan(300);
    assertThat(skewed.get("jain of two seconds")).isGreaterThanOrEqualTo(0.99);
  }

  /** The pair that had the slot kept it, and had three turns of four. */
  @Test
  void pairsThatTalkOnOneWorkerHaveEqualParts() {
    assertThat(Scale.talkers(1, 1).get("jain")).isGreaterThanOrEqualTo(0.98);
    // Each pair stays where it is: to move it costs more than its line is longer than another.
    assertThat(Scale.talkers(MANY, 1).get("jain")).isGreaterThanOrEqualTo(0.8);
  }

  @Test
  void oneMessageWakesOneWorker() {
    Scale.Row one = Scale.burst(MANY, 1, 20 * Scale.MICROSECOND, 1);
    assertThat(one.get("handled")).isEqualTo(1);
    assertThat(one.get("workers woken")).isEqualTo(1);
    assertThat(one.get("in vain")).isZero();
  }

  @Test
  void aBurstWakesNoMoreThanItNeedsAndNoHerd() {
    Scale.Row brief = Scale.burst(MANY, 1_000, Scale.MICROSECOND, 1);
    assertThat(brief.get("handled")).isEqualTo(1_000);
    assertThat(brief.get("workers woken")).isBetween(2.0, 16.0);
    assertThat(brief.get("in vain")).isLessThan(3);
    Scale.Row heavy = Scale.burst(MANY, 1_000, 200 * Scale.MICROSECOND, 1);
    assertThat(heavy.get("workers woken")).isEqualTo(MANY);
    assertThat(heavy.get("in vain")).isLessThan(3);
  }

  /**
   * At any moment: in one queue, in one worker's hands, or idle; and idle only without messages.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 20, 55, 148, 403})
  void everyActorIsInExactlyOnePlace(int millis) {
    var machine = crowd(millis);
    machine.runUntil((long) millis * MILLISECOND);
    Set<Task> found = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < MANY; i++) {
      SimulatedActor inHand = machine.worker(i).actorInHand();
      if (inHand != null) assertThat(found.add(inHand)).as("in one hand").isTrue();
      RunQueue queue = machine.worker(i).queue;
      for (Task task; (task = queue.takeAny()) != null; )
        assertThat(found.add(task)).as("in one place").isTrue();
    }
    for (Task task; (task = machine.scheduler.injector.tryPoll()) != null; )
      assertThat(found.add(task)).as("in one place").isTrue();
    for (SimulatedActor actor : machine.actors) {
      assertThat(found.contains(actor)).isEqualTo(!actor.isIdle());
      if (actor.isIdle()) assertThat(actor.hasMessages()).isFalse();
    }
    machine.close();
  }

  /**
   * Nobody saves time up, and nobody that waits in the wheel owes more than what it may use before
   * it is stopped. Who talks in brief turns runs on without credit, and may owe any time.
   */
  @Test
  void creditStaysWithinItsBounds() {
    var machine = new SimulatedMachine(MANY, 1);
    addLoops(machine);
    addLightActors(machine);
    machine.runUntil(500L * MILLISECOND);
    assertThat(machine.mostCredit).isLessThanOrEqualTo(QUANTUM);
    assertThat(machine.leastCredit).isBetween(-QUANTUM - 2 * MILLISECOND, -1);
    machine.close();
  }

  /** Loops, pairs that talk, and actors that get bursts from outside, all at once. */
  private static SimulatedMachine crowd(long seed) {
    var machine = new SimulatedMachine(MANY, seed);
    addLoops(machine);
    addLightActors(machine);
    for (int i = 0; i < 2 * MANY; i++) sendSoon(machine, machine.add(new Echo(machine)), 10_000);
    return machine;
  }

  private static void addLoops(SimulatedMachine machine) {
    for (int i = 0; i < 2 * MANY; i++)
      sendSoon(machine, machine.add(new SimulatedActor(machine)), SimulatedActor.ENDLESS);
  }

  private static void sendSoon(SimulatedMachine machine, SimulatedActor to, long turnNanos) {
    machine.at(machine.random.nextLong(MILLISECOND), () -> machine.sendFromOutside(to, turnNanos));
  }

  private static void addLightActors(SimulatedMachine machine) {
    for (int i = 0; i < 8 * MANY; i++) {
      var light = machine.add(new SimulatedActor(machine));
      for (int burst = 0; burst < 20; burst++)
        machine.at(
            machine.random.nextLong(500L * MILLISECOND),
            () -> {
              for (int j = 0; j < 3; j++) machine.sendFromOutside(light, 5_000);
            });
    }
  }

  /** Answers itself by way of another. */
  private static final class Echo extends SimulatedActor {
    private final SimulatedMachine machine;
    private final SimulatedActor other;

    Echo(SimulatedMachine machine) {
      super(machine);
      this.machine = machine;
      this.other =
          machine.add(
              new SimulatedActor(machine) {
                @Override
                void turnEnded(SimulatedWorker on) {
                  super.turnEnded(on);
                  machine.send(on, Echo.this, 10_000);
                }
              });
    }

    @Override
    void turnEnded(SimulatedWorker on) {
      super.turnEnded(on);
      machine.send(on, other, 10_000);
    }
  }
}
