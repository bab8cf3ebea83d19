package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The queues of a worker, each by one thread: order, bounds, and what a thief gets. */
class QueuesTest {

  // ---- ready ring ------------------------------------------------------------------------------

  @Test
  void aRingGivesBackInOrderAndRefusesWhenFull() {
    var ring = new ReadyRing(4);
    for (int round = 0; round < 10; round++) {
      assertThat(ring.isEmpty()).isTrue();
      assertThat(ring.pop()).isNull();
      for (int i = 0; i < 4; i++) assertThat(ring.push(new Idle(i))).isTrue();
      assertThat(ring.push(new Idle(4))).isFalse();
      assertThat(ring.size()).isEqualTo(4);
      for (int i = 0; i < 4; i++) assertThat(((Idle) ring.pop()).number()).isEqualTo(i);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 8})
  void aThiefTakesTheOlderHalf(int size) {
    var ring = new ReadyRing(8);
    for (int i = 0; i < size; i++) ring.push(new Idle(i));
    var thief = new ReadyRing(8);
    int taken = ring.stealInto(thief);
    assertThat(taken).isEqualTo(Math.min((size + 1) / 2, 4));
    List<Integer> stolen = drain(thief);
    List<Integer> left = drain(ring);
    assertThat(stolen).hasSize(taken);
    stolen.addAll(left);
    for (int i = 0; i < size; i++) assertThat(stolen.get(i)).isEqualTo(i);
  }

  private static List<Integer> drain(ReadyRing ring) {
    List<Integer> all = new ArrayList<>();
    Task task;
    while ((task = ring.pop()) != null) all.add(((Idle) task).number());
    return all;
  }

  @Test
  void aThiefWithoutRoomTakesWhatFits() {
    var ring = new ReadyRing(8);
    for (int i = 0; i < 8; i++) ring.push(new Idle(i));
    var thief = new ReadyRing(4);
    for (int i = 0; i < 3; i++) thief.push(new Idle(100 + i));
    assertThat(ring.stealInto(thief)).isEqualTo(1);
    assertThat(ring.stealInto(thief)).isZero();
    assertThat(drain(thief)).containsExactly(100, 101, 102, 0);
    assertThat(new ReadyRing(4).stealInto(thief)).isZero();
  }

  @Test
  void theCapacityOfARingIsAPowerOfTwo() {
    assertThatThrownBy(() -> new ReadyRing(6)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new ReadyRing(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void aRingAgreesWithADequeForAnySequence(long seed) {
    var random = new Random(seed);
    var ring = new ReadyRing(16);
    var other = new ReadyRing(16);
    var model = new ArrayDeque<Integer>();
    var otherModel = new ArrayDeque<Integer>();
    for (int step = 0; step < 20_000; step++) {
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          boolean fits = model.size() < 16;
          assertThat(ring.push(new Idle(step))).as("seed %d", seed).isEqualTo(fits);
          if (fits) model.add(step);
        }
        case 2 -> check(seed, ring.pop(), model.poll());
        case 3 -> check(seed, other.pop(), otherModel.poll());
        default -> {
          int taken = ring.stealInto(other);
          for (int i = 0; i < taken; i++) otherModel.add(model.remove());
        }
      }
      assertThat(ring.size()).as("seed %d", seed).isEqualTo(model.size());
    }
  }

  private static void check(long seed, Task task, Integer expected) {
    assertThat(task == null ? null : (Integer) ((Idle) task).number())
        .as("seed %d", seed)
        .isEqualTo(expected);
  }

  // ---- ready line ------------------------------------------------------------------------------

  @Test
  void aLineGivesBackInOrderHoweverLongItGets() {
    var line = new ReadyLine(2, 8);
    for (int round = 0; round < 3; round++) {
      assertThat(line.isEmpty()).isTrue();
      assertThat(line.pop()).isNull();
      for (int i = 0; i < 1_000; i++) {
        assertThat(line.push(new Idle(i))).isTrue();
        assertThat(line.size()).isEqualTo(i + 1);
      }
      List<Integer> shown = new ArrayList<>();
      line.forEach(task -> shown.add(((Idle) task).number()));
      assertThat(shown).hasSize(1_000).isSorted();
      for (int i = 0; i < 1_000; i++) {
        assertThat(line.isEmpty()).isFalse();
        assertThat(((Idle) line.pop()).number()).isEqualTo(i);
      }
      assertThat(line.size()).isZero();
    }
  }

  @Test
  void aThiefGoesThroughALongLineFromItsOldEnd() {
    var line = new ReadyLine(2, 4);
    for (int i = 0; i < 20; i++) line.push(new Idle(i));
    List<Integer> stolen = new ArrayList<>();
    while (!line.isEmpty()) {
      var thief = new ReadyLine(16, 16);
      int taken = line.stealInto(thief);
      assertThat(taken).isPositive();
      assertThat(thief.size()).isEqualTo(taken);
      for (Task task; (task = thief.pop()) != null; ) stolen.add(((Idle) task).number());
    }
    assertThat(stolen).hasSize(20).isSorted();
    assertThat(line.size()).as("though its owner has let go of nothing").isZero();
    assertThat(line.pop()).isNull();
  }

  @Test
  void aThiefTakesNoMoreAtOnceThanItServesSoon() {
    var line = new ReadyLine();
    for (int i = 0; i < 10_000; i++) line.push(new Idle(i));
    for (int i = 0; i < 1_000; i++) line.pop(); // the first rings are small
    var thief = new ReadyLine();
    assertThat(line.stealInto(thief)).isEqualTo(128);
    assertThat(line.size()).isEqualTo(9_000 - 128);
  }

  /** A line that was long once would keep what was in it last, and the room for all of it. */
  @Test
  void aLineThatRanEmptyIsAShortOneAgainWhenItIsTidied() {
    var line = new ReadyLine(2, 1 << 10);
    var last = new WeakReference<>(fillAndEmpty(line));
    line.tidy();
    for (int i = 0; last.get() != null; i++) {
      assertThat(i).as("collections that left it reachable").isLessThan(100);
      System.gc();
    }
    assertThat(line.push(new Idle(1))).isTrue();
  }

  private static Task fillAndEmpty(ReadyLine line) {
    for (int i = 0; i < 500; i++) line.push(new Idle(i));
    Task last = null;
    for (int i = 0; i < 500; i++) last = line.pop();
    return last;
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void aLineAgreesWithADequeForAnySequence(long seed) {
    var random = new Random(seed);
    var line = new ReadyLine(2, 8);
    var model = new ArrayDeque<Integer>();
    int lean = 1; // towards more or towards fewer, so that it gets long and runs empty
    for (int step = 0; step < 20_000; step++) {
      if (step % 500 == 0) lean = 5 - lean;
      if (random.nextInt(50) == 0) line.tidy();
      int drawn = random.nextInt(7);
      if (drawn <= lean) {
        boolean loud = random.nextBoolean();
        var task = new Idle(step);
        assertThat(loud ? line.push(task) : line.pushQuietly(task)).as("seed %d", seed).isTrue();
        model.add(step);
      } else if (drawn < 6) {
        check(seed, line.pop(), model.poll());
      } else {
        var stolen = new ReadyLine(16, 16);
        line.stealInto(stolen);
        for (Task task; (task = stolen.pop()) != null; ) check(seed, task, model.poll());
      }
      assertThat(line.isEmpty()).as("seed %d", seed).isEqualTo(model.isEmpty());
      assertThat(line.size()).as("seed %d", seed).isEqualTo(model.size());
    }
    while (!model.isEmpty()) check(seed, line.pop(), model.poll());
    assertThat(line.pop()).isNull();
  }

  // ---- injector and inbox ----------------------------------------------------------------------

  @Test
  void aTaskQueueKeepsOrder() {
    var queue = new TaskQueue();
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.poll()).isNull();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 1_000; i++) queue.push(new Idle(i));
      assertThat(queue.isEmpty()).isFalse();
      for (int i = 0; i < 1_000; i++) assertThat(((Idle) queue.poll()).number()).isEqualTo(i);
      assertThat(queue.isEmpty()).isTrue();
      assertThat(queue.poll()).isNull();
    }
  }

  @Test
  void aTaskMayBeQueuedAgainAfterItWasTaken() {
    var queue = new TaskQueue();
    var task = new Idle(1);
    for (int i = 0; i < 3; i++) {
      queue.push(task);
      queue.push(new Idle(2));
      assertThat(queue.poll()).isSameAs(task);
      assertThat(((Idle) queue.poll()).number()).isEqualTo(2);
    }
  }

  @Test
  void oneConsumerAtATimeHoldsTheClaim() {
    var queue = new TaskQueue();
    assertThat(queue.tryClaim()).isTrue();
    assertThat(queue.tryClaim()).isFalse();
    queue.release();
    assertThat(queue.tryClaim()).isTrue();
  }

  // ---- wheel -----------------------------------------------------------------------------------

  @Test
  void tasksComeRoundInTheOrderTheyAreDue() {
    var wheel = new Wheel(new Wheels());
    wheel.add(new Idle(3), wheel.position() + 9);
    wheel.add(new Idle(1), wheel.position());
    wheel.add(new Idle(2), wheel.position() + 4);
    wheel.add(new Idle(4), wheel.position() + 9);
    assertThat(wheel.size()).isEqualTo(4);
    assertThat(drain(wheel)).containsExactly(1, 2, 3, 4);
    assertThat(wheel.size()).isZero();
  }

  @Test
  void whoUsedUpItsCreditComesAfterEverybodyElse() {
    var wheel = new Wheel(new Wheels());
    for (int ahead = 0; ahead < Wheel.SEGMENTS; ahead++)
      wheel.add(new Idle(ahead), wheel.position() + ahead);
    wheel.add(new Idle(99), wheel.position() + Wheel.SEGMENTS);
    List<Integer> order = drain(wheel);
    assertThat(order).hasSize(Wheel.SEGMENTS + 1).last().isEqualTo(99);
  }

  @Test
  void oneFullTurnGivesEveryBusyTaskOneQuantum() {
    var wheel = new Wheel(new Wheels());
    for (int i = 0; i < 5; i++) wheel.add(new Idle(i), wheel.position() + Wheel.SEGMENTS);
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      var task = (Idle) wheel.poll();
      order.add(task.number());
      wheel.add(task, wheel.position() + Wheel.SEGMENTS); // used its whole quantum again
    }
    for (int i = 0; i < 50; i++) assertThat(order.get(i)).isEqualTo(i % 5);
  }

  @Test
  void aDueTimeInThePastIsNowAndOneTooFarIsATurnAhead() {
    var wheel = new Wheel(new Wheels());
    wheel.add(new Idle(2), wheel.position() + 1_000);
    wheel.add(new Idle(1), wheel.position() - 1_000);
    assertThat(drain(wheel)).containsExactly(1, 2);
  }

  @Test
  void anEmptyWheelTurnsFreelySoThatCreditsComeBack() {
    var wheel = new Wheel(new Wheels());
    int before = wheel.position();
    assertThat(wheel.poll()).isNull();
    assertThat(wheel.position() - before).isGreaterThanOrEqualTo(Wheel.SEGMENTS);
  }

  @Test
  void aThiefOfTheWheelTakesHalfAndLeavesThePinnedOnes() {
    var wheel = new Wheel(new Wheels());
    Set<Integer> pinned = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      var task = new Idle(i);
      if (i % 4 == 0) {
        task.pinTo(0);
        pinned.add(i);
      }
      wheel.add(task, wheel.position() + i % Wheel.SEGMENTS);
    }
    assertThat(wheel.movable()).isEqualTo(15);
    var thief = new Wheel(new Wheels());
    assertThat(wheel.stealInto(thief)).isEqualTo(8);
    List<Integer> stolen = drain(thief);
    assertThat(stolen).hasSize(8).doesNotContainAnyElementsOf(pinned);
    List<Integer> left = drain(wheel);
    assertThat(left).hasSize(12).containsAll(pinned).doesNotContainAnyElementsOf(stolen);
    assertThat(wheel.movable()).isZero();
  }

  @Test
  void aRoundEndsWhenNothingOfItIsLeftAndTheNextBeginsWhenTheOwnerSaysSo() {
    var wheel = new Wheel(new Wheels());
    wheel.add(new Idle(1), wheel.position());
    wheel.add(new Idle(2), wheel.position() + Wheel.SEGMENTS);
    assertThat(wheel.pollDue()).isInstanceOfSatisfying(Idle.class, is(1));
    assertThat(wheel.pollDue()).isNull();
    wheel.add(new Idle(3), wheel.position() + Wheel.SEGMENTS); // its quantum is used up, too
    assertThat(wheel.pollDue()).as("that is for the next round").isNull();
    assertThat(wheel.round()).isZero();
    assertThat(wheel.pollNext()).isInstanceOfSatisfying(Idle.class, is(2));
    assertThat(wheel.round()).isEqualTo(1);
    assertThat(wheel.pollDue()).isInstanceOfSatisfying(Idle.class, is(3));
    assertThat(wheel.size()).isZero();
  }

  private static Consumer<Idle> is(int number) {
    return task -> assertThat(task.number()).isEqualTo(number);
  }

  @Test
  void aThiefSeesInWhichRoundTheFirstIsDueThatItCouldTake() {
    var wheel = new Wheel(new Wheels());
    var pinned = new Idle(1);
    pinned.pinTo(0);
    wheel.add(pinned, wheel.position());
    wheel.add(new Idle(2), wheel.position() + Wheel.SEGMENTS);
    assertThat(wheel.firstRound()).isEqualTo(1);
    assertThat(wheel.takeDueIn(0)).isNull();
    assertThat(wheel.takeDueIn(2)).isNull();
    assertThat(wheel.takeDueIn(1)).isInstanceOfSatisfying(Idle.class, is(2));
    wheel.add(new Idle(3), wheel.position() + 7);
    assertThat(wheel.firstRound()).isZero();
    assertThat(wheel.takeDueIn(1)).isNull();
    assertThat(wheel.takeDueIn(0)).isInstanceOfSatisfying(Idle.class, is(3));
  }

  @Test
  void aWheelThatWasEmptyIsInTheNewestRoundAndOneThatWasNotIsNotFarBehind() {
    var all = new Wheels();
    var wheel = new Wheel(all);
    wheel.add(new Idle(1), wheel.position() + Wheel.SEGMENTS);
    all.begun(100);
    assertThat(wheel.pollNext()).isNotNull();
    assertThat(wheel.round()).isEqualTo(100 - Wheel.MOST_BEHIND);
    assertThat(wheel.pollNext()).as("it turns freely").isNull();
    all.begun(200);
    wheel.add(new Idle(2), wheel.position());
    assertThat(wheel.round()).isEqualTo(200);
  }

  @Test
  void busyAreThoseInAllWheels() {
    var all = new Wheels();
    var one = new Wheel(all);
    var other = new Wheel(all);
    for (int i = 0; i < 6; i++) one.add(new Idle(i), i);
    assertThat(all.busy(Share.OTHERS)).isEqualTo(6);
    one.stealInto(other);
    assertThat(all.busy(Share.OTHERS)).isEqualTo(6);
    var wanted = new Idle(9);
    other.add(wanted, 3);
    assertThat(other.remove(wanted)).isTrue();
    one.poll();
    one.takeFarthest();
    drain(other);
    assertThat(all.busy(Share.OTHERS)).isEqualTo(one.size()).isEqualTo(1);
  }

  private static List<Integer> drain(Wheel wheel) {
    List<Integer> all = new ArrayList<>();
    Task task;
    while ((task = wheel.poll()) != null) all.add(((Idle) task).number());
    return all;
  }

  // ---- who sleeps ------------------------------------------------------------------------------

  @Test
  void sleepersAreClaimedOnceEach() {
    var idle = new IdleWorkers(200);
    for (int worker : new int[] {0, 63, 64, 130, 199}) idle.fallAsleep(worker);
    assertThat(idle.sleepers).isEqualTo(5);
    assertThat(idle.isSleeping(64)).isTrue();
    assertThat(idle.isSleeping(65)).isFalse();
    assertThat(idle.claim(64)).isTrue();
    assertThat(idle.claim(64)).isFalse();
    assertThat(idle.wakeSelf(130)).isTrue();
    assertThat(idle.wakeSelf(130)).isFalse();
    assertThat(idle.sleepers).isEqualTo(3);
  }

  @Test
  void whileOneSearchesNoOtherIsWoken() {
    var idle = new IdleWorkers(100);
    for (int worker : new int[] {5, 70}) idle.fallAsleep(worker);
    int first = idle.claimSearcher();
    assertThat(first).isIn(5, 70);
    assertThat(idle.searching()).isEqualTo(1);
    assertThat(idle.claimSearcher()).isEqualTo(-1);
    assertThat(idle.endSearch()).as("the last searcher wakes the next").isTrue();
    assertThat(idle.claimSearcher()).isEqualTo(75 - first);
    assertThat(idle.endSearch()).isTrue();
    assertThat(idle.claimSearcher()).isEqualTo(-1);
    assertThat(idle.searching()).isZero();
    assertThat(idle.sleepers).isZero();
  }

  @Test
  void whoLooksOutForADeadlineIsWokenLastForOtherWork() {
    var idle = new IdleWorkers(100);
    for (int worker : new int[] {5, 70}) idle.fallAsleep(worker);
    assertThat(idle.beginWatch(5)).isTrue();
    assertThat(idle.beginWatch(70)).isFalse();
    assertThat(idle.claimSearcher()).isEqualTo(70);
    idle.endSearch();
    assertThat(idle.claimSearcher()).isEqualTo(5);
    idle.endSearch();
    idle.endWatch();
    assertThat(idle.beginWatch(70)).isTrue();
    idle.fallAsleep(5);
    assertThat(idle.claimSearcher()).as("70 is awake by now").isEqualTo(5);
  }

  @Test
  void whoIsClaimedBesideSearchersIsOneMoreAndWhoIsAwakeIsNone() {
    var idle = new IdleWorkers(10);
    idle.beginSearch();
    idle.fallAsleep(5);
    assertThat(idle.claimAsSearcher(5)).isTrue();
    assertThat(idle.searching()).isEqualTo(2);
    assertThat(idle.sleepers).isZero();
    assertThat(idle.claimAsSearcher(5)).isFalse();
    assertThat(idle.searching()).isEqualTo(2);
  }

  @Test
  void onlyTheLastOfSeveralSearchersIsTheLast() {
    var idle = new IdleWorkers(10);
    idle.beginSearch();
    idle.beginSearch();
    assertThat(idle.endSearch()).isFalse();
    assertThat(idle.endSearch()).isTrue();
  }

  /** Who runs in brief slices goes on without credit, and owes more and more. */
  @Test
  void aDebtIsNeverSoLargeThatItBecomesACredit() {
    var scheduler =
        new Scheduler("test", 1, 1, new Tick(System::nanoTime), false, () -> {}, _ -> {});
    var task = new Idle(1);
    for (int i = 0; i < 10; i++) {
      scheduler.queue(0).book(task, i % 2 == 0 ? 1_000_000_000 : Integer.MAX_VALUE, 0);
      assertThat(task.credit).isNegative();
    }
  }

  /** Nobody takes from the queues of a spare: what its code wakes must not stay there. */
  @Test
  void aTaskWithoutCreditThatIsWokenOnASpareGoesToTheInjector() {
    var scheduler =
        new Scheduler("test", 1, 1, new Tick(System::nanoTime), false, () -> {}, _ -> {});
    var spare = new RunQueue(scheduler, 1, true);
    var task = new Idle(1);
    task.credit = 0;
    task.refillAt = Integer.MAX_VALUE / 2;
    spare.admit(task, false);
    assertThat(scheduler.injector.tryPoll()).isSameAs(task);
  }

  /** To look round costs the sender more than the send; but who sleeps must be woken. */
  @Test
  void ofAStreamOutOfALongSliceOneInSixteenLooksRoundUnlessSomebodySleeps() {
    var scheduler =
        new Scheduler("test", 2, 2, new Tick(System::nanoTime), false, () -> {}, _ -> {});
    RunQueue queue = scheduler.queue(0);
    queue.longSlice.begin(queue.slice(), 0);
    List<Integer> looking = new ArrayList<>();
    for (int i = 0; i < 40; i++) if (queue.admit(new Idle(i), true)) looking.add(i);
    assertThat(looking).containsExactly(0, 16, 32);
    assertThat(queue.admit(new Idle(40), false)).as("no stream").isTrue();
    scheduler.idle.fallAsleep(1);
    for (int i = 41; i < 60; i++)
      assertThat(queue.admit(new Idle(i), true)).as("while one sleeps").isTrue();
    for (int i = 0; i < 60; i++)
      assertThat(((Idle) scheduler.injector.tryPoll()).number()).isEqualTo(i);
  }
}
