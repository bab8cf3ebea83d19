package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a worker publishes of its load, in virtual time. */
class LoadTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long QUANTUM = SimulatedActor.QUANTUM_NANOS;
  private static final long LONG = 5 * QUANTUM;
  private static final long BRIEF = 2_000;

  private final SimulatedMachine machine = new SimulatedMachine(1, 1);
  private final RunQueue queue = machine.worker(0).queue;

  @AfterEach
  void close() {
    machine.close();
  }

  private void beginAt(long time, int actors, long turnNanos) {
    for (int i = 0; i < actors; i++) {
      var busy = machine.add(new SimulatedActor(machine));
      machine.at(time, () -> machine.sendFromOutside(busy, turnNanos));
    }
  }

  /** What was published, each millisecond from one time to another. */
  private List<Long> turnsBetween(long from, long to) {
    List<Long> seen = new ArrayList<>();
    for (long time = from; time < to; time += MILLISECOND) {
      machine.runUntil(time);
      seen.add(queue.wheelTurnNanos());
    }
    return seen;
  }

  @Test
  void aTurnOfTheWheelIsOneQuantumForEachBusyActor() {
    beginAt(0, 3, SimulatedActor.ENDLESS);
    List<Long> seen = turnsBetween(0, 10 * QUANTUM); // later they get two at a time
    assertThat(seen.getLast()).isBetween(3 * QUANTUM - MILLISECOND, 3 * QUANTUM + MILLISECOND);
    assertThat(seen).allMatch(turn -> turn <= 3 * QUANTUM + MILLISECOND);
  }

  @Test
  void theTimeInWhichNobodyWasBusyIsNoTurn() {
    beginAt(0, 2, LONG);
    long later = 60_000 * MILLISECOND;
    beginAt(later, 2, LONG);
    machine.runUntil(later);
    List<Long> seen = turnsBetween(later, later + 2 * LONG);
    assertThat(seen).anyMatch(turn -> turn > QUANTUM);
    assertThat(seen).allMatch(turn -> turn < 3 * QUANTUM);
  }

  @Test
  void whileNobodyIsBusyThereIsNoTurn() {
    beginAt(0, 2, LONG);
    assertThat(turnsBetween(0, 2 * LONG)).anyMatch(turn -> turn > 0);
    machine.runUntil(3 * LONG);
    assertThat(queue.wheelTurnNanos()).isZero();
  }

  /** Answers each message with one. */
  private final class Talker extends SimulatedActor {
    Talker partner = this;

    Talker() {
      super(machine);
    }

    @Override
    void turnEnded(SimulatedWorker on) {
      super.turnEnded(on);
      machine.send(on, partner, BRIEF);
    }
  }

  /** Then the worker never comes to look into its wheel. */
  @Test
  void whileOthersKeepTheWorkerAwakeThereIsNoTurnEither() {
    beginAt(0, 2, LONG);
    List<SimulatedActor> busy = List.copyOf(machine.actors);
    var talker = machine.add(new Talker());
    talker.partner = machine.add(new Talker());
    talker.partner.partner = talker;
    machine.at(0, () -> machine.sendFromOutside(talker, BRIEF));
    long time = 0;
    long longest = 0;
    do {
      machine.runUntil(time += MILLISECOND);
      longest = Math.max(longest, queue.wheelTurnNanos());
    } while (!busy.stream().allMatch(SimulatedActor::isIdle));
    assertThat(longest).isPositive();
    long said = talker.messagesHandled;
    machine.runUntil(time + 3 * MILLISECOND);
    assertThat(talker.messagesHandled).isGreaterThan(said + 100);
    assertThat(queue.wheelTurnNanos()).isZero();
  }

  @Test
  void thoseThatWaitInTheInboxAreCounted() {
    var inbox = new TaskQueue();
    assertThat(inbox.count()).isZero();
    for (int i = 1; i <= 1_000; i++) {
      inbox.push(new Idle(i));
      assertThat(inbox.count()).isEqualTo(i);
    }
    for (int i = 999; i >= 0; i--) {
      assertThat(inbox.poll()).isNotNull();
      assertThat(inbox.count()).isEqualTo(i);
    }
  }
}
