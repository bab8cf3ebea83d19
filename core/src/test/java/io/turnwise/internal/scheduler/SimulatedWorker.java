package io.turnwise.internal.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * A worker whose thread is a row of events: it takes from its queues as the fibers' loop does,
 * looks for work and sleeps as the platform thread does.
 */
final class SimulatedWorker extends Worker {
  final SimulatedSeat seat;
  long stealsBefore;

  private final SimulatedMachine machine;
  private @Nullable SimulatedActor inHand;

  /** An event of another number was arranged for a slice that has been stopped meanwhile. */
  private long arranged;

  private boolean requestOpen;
  private boolean justWoken;
  private long searchesSince;

  SimulatedWorker(SimulatedMachine machine, Scheduler scheduler, int index) {
    super(new SimulatedQueue(machine, scheduler, index));
    this.machine = machine;
    this.seat = new SimulatedSeat(queue, scheduler.tick);
  }

  void begin() {
    next(0, this::pickNext);
  }

  void countFromHere() {
    stealsBefore = counters.steals;
  }

  /** Its processor does this next. */
  private void next(long time, Runnable step) {
    long number = ++arranged;
    machine.at(
        time,
        () -> {
          if (number == arranged) step.run();
        });
  }

  // ---- slices ----------------------------------------------------------------------------------

  private void pickNext() {
    machine.spend(machine.costs.slice());
    Task task = queue.pick();
    if (task == null) task = queue.pick(); // the fiber, and then the platform thread
    if (task != null) run(task);
    else {
      searchesSince = machine.now();
      beginSearch();
      look(0);
    }
  }

  private void run(Task task) {
    var actor = (SimulatedActor) task;
    justWoken = false;
    machine.tally.slices++;
    if (actor.ranOn >= 0 && actor.ranOn != index) {
      machine.tally.migrations++;
      machine.spend(machine.costs.move());
    }
    actor.ranOn = index;
    actor.home = (short) index;
    actor.phase = Task.Phase.RUNNING_CODE;
    inHand = actor;
    seat.task = actor;
    if (actor.preempted) {
      machine.spend(machine.costs.goOn());
      seat.goOn(actor);
      actor.preempted = false;
      seat.time(actor);
      beginLong(seat.startedAt());
    } else {
      seat.begin(actor);
      actor.handled = 0;
    }
    if (actor.isInTurn() || actor.hasMessages()) turn(actor);
    else goIdle(actor); // its last slice ended by what it sent
  }

  private void turn(SimulatedActor actor) {
    if (actor.handled > 0) seat.beginTiming(actor);
    long length = actor.go(machine.now());
    if (length != SimulatedActor.ENDLESS) next(machine.now() + length, () -> endTurn(actor));
    else arranged++;
  }

  private void endTurn(SimulatedActor actor) {
    actor.stop(machine.now());
    actor.turnEnded(this);
    if (++actor.handled >= SimulatedActor.THROUGHPUT
        || seat.sends() >= SimulatedActor.THROUGHPUT
        || seat.isOver()) {
      endSlice(actor);
      queue.requeueAfter(seat, actor);
    } else if (actor.hasMessages()) {
      turn(actor);
      return;
    } else {
      goIdle(actor);
      return;
    }
    next(machine.now(), this::pickNext);
  }

  private void goIdle(SimulatedActor actor) {
    endSlice(actor);
    actor.becomeIdle();
    next(machine.now(), this::pickNext);
  }

  private void endSlice(SimulatedActor actor) {
    seat.charge(actor);
    machine.checkCredit(actor);
    inHand = null;
    seat.task = null;
  }

  @Override
  @Nullable Task seenInHand() {
    return inHand;
  }

  @Nullable SimulatedActor actorInHand() {
    return inHand;
  }

  // ---- requests to stop ------------------------------------------------------------------------

  @Override
  void askToStop() {
    super.askToStop();
    if (!requestOpen) {
      requestOpen = true;
      machine.requestOpened();
    }
    int slice = queue.slice();
    long usual = machine.costs.poll();
    long until = inHand == null ? usual : inHand.untilPoll(usual);
    machine.at(machine.now() + until, () -> poll(slice));
  }

  /** The code in hand comes past a poll. */
  private void poll(int slice) {
    SimulatedActor actor = inHand;
    if (actor == null || queue.slice() != slice || !hasOpenRequest()) return;
    long old = queue.longSlice.since() + LongSlice.LEAST_NANOS;
    if (machine.now() < old) {
      machine.at(old, () -> poll(slice));
      return;
    }
    if (!mustStop()) return;
    answerStop();
    actor.stop(machine.now());
    actor.preempted = true;
    lastStopped = actor;
    counters.preemptions++;
    machine.spend(machine.costs.stop());
    endSlice(actor);
    queue.requeue(actor);
    next(machine.now(), this::pickNext);
  }

  @Override
  void answerStop() {
    super.answerStop();
    if (requestOpen) {
      requestOpen = false;
      machine.requestClosed();
    }
  }

  @Override
  boolean hasOpenRequest() {
    machine.lookedAt();
    return super.hasOpenRequest();
  }

  @Override
  boolean isInLongSlice() {
    machine.lookedAt();
    return super.isInLongSlice();
  }

  // ---- looking for work, and sleeping ----------------------------------------------------------

  private void look(int looks) {
    Task task = lookEverywhere();
    if (task != null) {
      searchPaid(looks);
      endSearch();
      machine.tally.searchNanos += machine.now() - searchesSince;
      run(task);
    } else if (looksAgain(looks)) {
      next(machine.now() + machine.costs.spin(), () -> look(looks + 1));
    } else {
      machine.tally.searchNanos += machine.now() - searchesSince;
      if (justWoken) machine.tally.vainWakes++;
      justWoken = false;
      sleep();
    }
  }

  private void sleep() {
    switch (lieDown()) {
      case ASLEEP -> arranged++;
      case WORK_CAME -> {
        Task task = lookEverywhere();
        if (task != null) run(task);
        else next(machine.now(), this::pickNext);
      }
      case CLAIMED -> throw new AssertionError("nobody acts in the middle of a step");
    }
  }

  @Override
  void unpark() {
    machine.tally.wakes++;
    machine.spend(machine.costs.unpark());
    next(
        machine.now() + machine.costs.wake(),
        () -> {
          justWoken = true;
          searchesSince = machine.now();
          rise();
          look(0);
        });
  }

  /** The pace of a slice, kept by the real one. */
  static final class SimulatedSeat extends Seat {
    private final RunQueue queue;

    SimulatedSeat(RunQueue queue, Tick tick) {
      super(queue.counters, tick);
      this.queue = queue;
    }

    @Override
    boolean isHere(Task receiver) {
      return receiver.runner() == queue.scheduler;
    }

    @Override
    protected boolean othersWait() {
      return queue.othersWait();
    }

    @Override
    protected void book(Task task, int used) {
      queue.book(task, used, 0);
    }
  }

  /** To look into another's queues takes time, and is counted. */
  private static final class SimulatedQueue extends RunQueue {
    private final SimulatedMachine machine;

    SimulatedQueue(SimulatedMachine machine, Scheduler scheduler, int index) {
      super(scheduler, index, false);
      this.machine = machine;
    }

    @Override
    boolean isWorthStealing() {
      machine.lookedAt();
      return super.isWorthStealing();
    }

    @Override
    boolean isQuick() {
      machine.lookedAt();
      return super.isQuick();
    }

    @Override
    void pause() {
      machine.spend(
          machine.costs.spin() / 16 + (long) scheduler.workerCount() * machine.costs.look());
    }
  }
}
