package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where actors run that do little but send, and when those run that they send to. */
class StreamsTest {
  private static final int BRIEF = 10;
  private static final long MILLISECOND = Scale.MILLISECOND;

  /** Handles a message and sends a hundred to one receiver, and one to itself. */
  private static final class Pouring extends SimulatedActor {
    private final SimulatedMachine machine;
    private final SimulatedActor receiver;

    Pouring(SimulatedMachine machine, SimulatedActor receiver) {
      super(machine);
      this.machine = machine;
      this.receiver = receiver;
    }

    @Override
    void turnEnded(SimulatedWorker on) {
      super.turnEnded(on);
      for (int i = 0; i < 100; i++) machine.send(on, receiver, BRIEF);
      machine.send(on, this, BRIEF);
    }
  }

  /**
   * Shared out evenly, they were on both workers, and so was the contention for the mailbox of
   * their receiver.
   */
  @Test
  void allThatPourToOneComeTogetherAwayFromIt() {
    var machine = new SimulatedMachine(2, 1);
    var receiver = machine.add(new SimulatedActor(machine));
    List<SimulatedActor> pouring = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      var next = machine.add(new Pouring(machine, receiver));
      pouring.add(next);
      machine.at(1_000L * i, () -> machine.sendFromOutside(next, BRIEF));
    }
    machine.runUntil(20 * MILLISECOND);

    long moved = 0;
    long together = 0;
    for (int i = 1; i <= 20; i++) {
      long migrations = machine.tally.migrations;
      machine.runUntil((20 + i) * MILLISECOND);
      moved += machine.tally.migrations - migrations;
      together += pouring.stream().filter(each -> each.ranOn != receiver.ranOn).count();
    }
    assertThat(together / 20).as("of 64 away from the receiver").isGreaterThanOrEqualTo(62);
    assertThat(moved / 20).as("moves in a millisecond").isLessThan(16);
    assertThat(pouring).allMatch(each -> each.messagesHandled > 100);
    machine.close();
  }

  /**
   * What pours and computes as well needs both workers: each slice is longer than to send takes.
   */
  @Test
  void thoseThatComputeBeforeTheyPourAreOnBothWorkers() {
    var machine = new SimulatedMachine(2, 1);
    var receiver = machine.add(new SimulatedActor(machine));
    List<SimulatedActor> pouring = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      var next =
          machine.add(
              new SimulatedActor(machine) {
                @Override
                void turnEnded(SimulatedWorker on) {
                  super.turnEnded(on);
                  for (int j = 0; j < 100; j++) machine.send(on, receiver, BRIEF);
                  machine.send(on, this, 15_000);
                }
              });
      pouring.add(next);
      machine.at(1_000L * i, () -> machine.sendFromOutside(next, 15_000));
    }
    machine.runUntil(20 * MILLISECOND);
    long ranBefore = pouring.stream().mapToLong(each -> each.ran(machine.now())).sum();
    machine.runUntil(120 * MILLISECOND);
    long ran = pouring.stream().mapToLong(each -> each.ran(machine.now())).sum() - ranBefore;
    assertThat(ran).as("of 200 ms of two workers").isGreaterThan(150 * MILLISECOND);
    machine.close();
  }

  /**
   * Who writes to a hundred others pours to nobody: those wait behind it, and another worker takes
   * half of them.
   */
  @Test
  void whatABroadcastWokeIsSharedOut() {
    var machine = new SimulatedMachine(2, 1);
    List<SimulatedActor> subscribers = new ArrayList<>();
    for (int i = 0; i < 100; i++) subscribers.add(machine.add(new SimulatedActor(machine)));
    subscribers.getLast().home = 1; // the others are at home where the broadcast is
    var broadcast =
        machine.add(
            new SimulatedActor(machine) {
              @Override
              void turnEnded(SimulatedWorker on) {
                super.turnEnded(on);
                for (SimulatedActor each : subscribers) machine.send(on, each, 5_000);
                machine.send(on, this, BRIEF);
              }
            });
    machine.at(0, () -> machine.sendFromOutside(broadcast, BRIEF));
    machine.runUntil(100 * MILLISECOND);
    long ran = subscribers.stream().mapToLong(each -> each.ran(machine.now())).sum();
    assertThat(ran).as("of 200 ms of two workers").isGreaterThan(150 * MILLISECOND);
    machine.close();
  }

  /** Those in the longer of two lines would have fewer turns than the others, for ever. */
  @ParameterizedTest(name = "{0} and {1}")
  @CsvSource({
    "3, 1",
    "8, 2",
    "9, 1",
    "10, 5",
    "40, 20",
    "200, 100",
    "300, 0",
    "1000, 600",
    "3000, 2000"
  })
  void manyThatAreNeverDoneComeToHaveAboutAsManyTurnsEach(int here, int there) {
    var machine = new SimulatedMachine(2, 1);
    List<SimulatedActor> busy = new ArrayList<>();
    for (int worker = 0; worker < 2; worker++) {
      List<SimulatedActor> made = new ArrayList<>();
      for (int i = 0; i < (worker == 0 ? here : there); i++)
        made.add(
            machine.add(
                new SimulatedActor(machine) {
                  @Override
                  void turnEnded(SimulatedWorker on) {
                    super.turnEnded(on);
                    machine.send(on, this, 100);
                  }
                }));
      var maker =
          machine.add(
              new SimulatedActor(machine) {
                @Override
                void turnEnded(SimulatedWorker on) {
                  for (SimulatedActor each : made) machine.send(on, each, 1_000);
                }
              });
      maker.pinTo(worker);
      machine.at(0, () -> machine.sendFromOutside(maker, 1_000));
      busy.addAll(made);
    }
    machine.runUntil(50 * MILLISECOND);
    List<Long> before = busy.stream().map(each -> each.messagesHandled).toList();
    machine.runUntil(1_050 * MILLISECOND);
    long least = Long.MAX_VALUE;
    long sum = 0;
    for (int i = 0; i < busy.size(); i++) {
      long handled = busy.get(i).messagesHandled - before.get(i);
      least = Math.min(least, handled);
      sum += handled;
    }
    assertThat(least / ((double) sum / busy.size()))
        .as("the worst served, of the mean")
        .isGreaterThan(0.9);
    machine.close();
  }

  /** Where those run that are not this scheduler's says nothing about its own workers. */
  @Test
  void whoPoursToAnothersActorsStaysWhereItIs() {
    var machine = new SimulatedMachine(2, 1);
    var other = new SimulatedMachine(2, 1);
    var stranger = other.add(new SimulatedActor(other));
    SimulatedWorker worker = machine.worker(0);
    var sender = machine.add(new SimulatedActor(machine));
    worker.seat.begin(sender);
    for (int i = 0; i < 100; i++) worker.seat.sends(stranger);
    assertThat(worker.seat.sentTo()).isNegative();
    worker.seat.begin(sender);
    assertThat(worker.seat.sentTo()).as("nothing is left of the slice before").isNegative();
    for (int i = 0; i < 100; i++) worker.seat.sends(sender);
    assertThat(worker.seat.sentTo()).isZero();
    machine.close();
    other.close();
  }

  /** One that was woken ran at once, with the one or two messages that it had by then. */
  @Test
  void whoIsWokenWaitsForAShortLineAndHasMoreToDoThen() {
    int partners = 20;
    var machine = new SimulatedMachine(1, 1);
    var slices = new AtomicLong();
    List<SimulatedActor> asking = new ArrayList<>();
    var hub =
        machine.add(
            new SimulatedActor(machine) {
              private int next;

              @Override
              void turnEnded(SimulatedWorker on) {
                super.turnEnded(on);
                if (handled == 0) slices.incrementAndGet();
                machine.send(on, asking.get(next++ % partners), BRIEF);
              }
            });
    for (int i = 0; i < partners; i++) {
      var one =
          machine.add(
              new SimulatedActor(machine) {
                @Override
                void turnEnded(SimulatedWorker on) {
                  super.turnEnded(on);
                  machine.send(on, hub, BRIEF);
                }
              });
      asking.add(one);
      machine.at(0, () -> machine.sendFromOutside(one, BRIEF));
    }
    machine.runUntil(20 * MILLISECOND);
    assertThat(hub.messagesHandled).isGreaterThan(10_000);
    assertThat(hub.messagesHandled / (double) slices.get()).isGreaterThan(partners / 2.0);
    machine.close();
  }

  /** However many another worker takes from it meanwhile: of what was there before it as well. */
  @ParameterizedTest(name = "stopped = {1} if the other takes {0} of 16")
  @CsvSource({"16, false", "15, true", "0, true"})
  void aStreamOutOfALongSliceStopsWhenItIsFarAhead(int taken, boolean stopped) {
    var scheduler =
        new Scheduler("ahead", 2, 2, new Tick(System::nanoTime), false, () -> {}, _ -> {});
    RunQueue queue = scheduler.queue(0);
    try {
      for (int i = 0; i < 500; i++) scheduler.injector.push(new Idle(i));
      for (int i = 0; i < 500; i++) scheduler.injector.tryPoll();
      assertThat(queue.pick()).isNull();
      queue.longSlice.begin(queue.slice(), 0);
      for (int i = 0; i < RunQueue.FAR_AHEAD; i++) queue.admit(new Idle(i), true);
      assertThat(queue.longSlice.isAsked(queue.slice())).as("not yet").isFalse();
      for (int round = 0; round < 200; round++) {
        for (int i = 0; i < taken; i++) scheduler.injector.tryPoll();
        for (int i = 0; i < 16; i++) queue.admit(new Idle(i), true);
      }
      assertThat(queue.longSlice.isAsked(queue.slice())).isEqualTo(stopped);
    } finally {
      queue.longSlice.answer();
      scheduler.stop();
      scheduler.letGo();
    }
  }

  /** A clock that counts how often it is read, and moves as the test says. */
  private static final class CountedClock {
    private long now;
    private int reads;
    private final Tick tick = new Tick(this::read);

    private long read() {
      reads++;
      return now;
    }
  }

  /** Slice 7 began at 0, and was asked to stop. */
  private static LongSlice asked() {
    var slice = new LongSlice(new OpenRequests(1), 0);
    slice.begin(7, 0);
    slice.askToStop();
    return slice;
  }

  /** As by one who saw the slice, and was not run since: the flag would go up, and stay. */
  @Test
  void aSliceThatItsOwnerHasForgottenIsNotAskedToStop() {
    var open = new OpenRequests(1);
    var slice = new LongSlice(open, 0);
    slice.begin(7, 0);
    slice.forget();
    slice.askToStop();
    assertThat(open.isAny(_ -> true)).as("who lowers the flag looks here").isFalse();
    assertThat(slice.isAskedInVain(8)).isFalse();
  }

  /** Each of them read it, which takes longer than most rounds of a loop. */
  @Test
  void fastPollsOfASliceThatIsTooYoungToStopSeldomReadTheClock() {
    var clock = new CountedClock();
    LongSlice slice = asked();
    int readsBefore = clock.reads;
    int polls = 0;
    for (; !slice.mustStop(7, clock.tick); polls++) clock.now += 100;
    assertThat(polls).isBetween(LongSlice.LEAST_NANOS / 100, LongSlice.LEAST_NANOS / 100 + 8);
    assertThat(clock.reads - readsBefore).isLessThan(polls / 6);
    assertThat(slice.mustStop(8, clock.tick)).as("another slice").isFalse();
    slice.answer();
  }

  @Test
  void aPollAfterATickReadsTheClockHoweverFastThoseBeforeItWere() {
    var clock = new CountedClock();
    LongSlice slice = asked();
    for (int i = 0; i < 3; i++) {
      assertThat(slice.mustStop(7, clock.tick)).isFalse();
      clock.now += 100;
    }
    clock.now += 2 * MILLISECOND;
    assertThat(slice.mustStop(7, clock.tick)).as("the coarse clock stands still").isFalse();
    clock.tick.advanceTo();
    assertThat(slice.mustStop(7, clock.tick)).isTrue();
    slice.answer();
  }

  @Test
  void slowPollsReadTheClockEachTime() {
    var clock = new CountedClock();
    LongSlice slice = asked();
    int polls = 0;
    for (; !slice.mustStop(7, clock.tick); polls++) clock.now += 5_000;
    assertThat(polls).isEqualTo(LongSlice.LEAST_NANOS / 5_000);
    slice.answer();
  }

  /** What was found about the polls of one slice says nothing about those of the next. */
  @Test
  void theNextSliceBeginsWithALookAtTheClock() {
    var clock = new CountedClock();
    LongSlice slice = asked();
    for (int i = 0; i < 4; i++) {
      assertThat(slice.mustStop(7, clock.tick)).isFalse();
      clock.now += 100;
    }
    slice.begin(9, clock.now);
    slice.askToStop();
    clock.now += LongSlice.LEAST_NANOS;
    assertThat(slice.mustStop(9, clock.tick)).isTrue();
    slice.answer();
  }
}
