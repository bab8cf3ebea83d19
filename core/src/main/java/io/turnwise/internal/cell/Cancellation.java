package io.turnwise.internal.cell;

import io.turnwise.HandlerCancelled;
import io.turnwise.KillReport;
import io.turnwise.KillReport.Force;
import io.turnwise.StopReason;
import io.turnwise.internal.scheduler.AbandonedTurn;
import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.Preemption;
import io.turnwise.internal.scheduler.Responsiveness;
import io.turnwise.internal.scheduler.Runner;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.scheduler.StackProbe;
import io.turnwise.internal.scheduler.Task;
import io.turnwise.internal.timer.Ticker;
import io.turnwise.internal.timer.TimerEntry;
import io.turnwise.scheduling.TimeoutAction;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ending of a handler, or of an actor whatever it does, with more and more force:
 *
 * <ol>
 *   <li>a handler that runs gets {@link HandlerCancelled} from its next poll; one that waits is
 *       woken for it;
 *   <li>if it goes on all the same, it gets another after a grace, so that what it does in {@code
 *       finally} can end first;
 *   <li>if it goes on even then, or waits where it cannot be woken, its actor goes on without it.
 * </ol>
 *
 * <p>It lies in the actor's system lane, where polls find it. One that is for a timeout holds only
 * while that handler is under way; so it cannot hit the next message, however late it comes.
 */
final class Cancellation {
  private static final long STEP_NANOS = 5_000_000;
  private static final int STEPS_IN_A_ROW = 4;
  private static final int LATER_STEP = 10;

  /** After so many times its time it is left behind even if the machine does not run it. */
  private static final int LAST_RESORTS = 30;

  final ActorCell<?> cell;

  /** Which of the actor's lives is to end. */
  final int incarnation;

  final @Nullable TurnLimit limit;
  final String askedBy;

  /** The end of who is killed. Made here: where it strikes, memory may be what is missing. */
  final StopReason killed;

  /** Handler code goes on after a throw for this long before the next. */
  private final long graceNanos;

  /** A handler that waits and cannot be woken is left behind after this. */
  private final long patienceNanos;

  /** A handler that does not poll is left behind after this. */
  private final long resortNanos;

  /**
   * When it could first be answered. Written by the ticking thread while the handler is masked; the
   * handler's own thread looks.
   */
  private volatile long began;

  /** By the handler's own thread. */
  private int strikes;

  /**
   * When the handler was last thrown at or interrupted, if it was. By its own thread, or by the
   * ticking thread while the handler cannot run, or cannot end.
   */
  private volatile long disturbedAt;

  private volatile boolean disturbed;

  /** Written before the handler is interrupted, read when it has ended. */
  private volatile boolean interrupted;

  /** By the ticking thread. */
  private final Responsiveness running = new Responsiveness();

  private int steps;

  /** How often a handler that waits was woken, and when first. */
  private int rouses;

  private long rousedAt;

  private boolean open;

  private volatile Force force = Force.NONE;

  /**
   * @param limit the timeout that has passed, or null to kill
   */
  Cancellation(ActorCell<?> cell, @Nullable TurnLimit limit, String askedBy) {
    this(cell, limit, askedBy, cell.incarnation());
  }

  private Cancellation(
      ActorCell<?> cell, @Nullable TurnLimit limit, String askedBy, int incarnation) {
    this.cell = cell;
    this.incarnation = incarnation;
    this.limit = limit;
    this.askedBy = askedBy;
    this.killed = new StopReason.Killed(askedBy);
    this.graceNanos = limit == null ? 5_000_000 : 100_000_000;
    this.resortNanos = limit == null ? 30_000_000 : 1_000_000_000;
    this.began = cell.kind.system.tick.nanoTime();
    this.patienceNanos = limit == null ? 8_000_000 : 1_000_000_000;
  }

  /** Ends an actor whatever it does. From any thread; the result says what that took. */
  static CompletionStage<KillReport> kill(ActorCell<?> cell, String askedBy) {
    return kill(cell, askedBy, cell.incarnation());
  }

  /** The same for one of its lives: this one, or one that it is about to begin. */
  static CompletionStage<KillReport> kill(ActorCell<?> cell, String askedBy, int incarnation) {
    LocalActorSystem system = cell.kind.system;
    long began = system.tick.nanoTime();
    var killing = new Cancellation(cell, null, askedBy, incarnation);
    // The report itself: where there is no memory for it, who waits for it hears of that.
    CompletionStage<KillReport> done =
        cell.whenLifeEnded(killing.incarnation)
            .thenApply(
                _ ->
                    new KillReport(
                        cell.path(),
                        killing.force,
                        Duration.ofNanos(system.tick.nanoTime() - began)));
    if (system.hasEnded() && !cell.hasEnded())
      return CompletableFuture.failedFuture(
          new IllegalStateException(
              "Actor " + cell.path() + " cannot be killed: its system is closed. [SYSTEM-CLOSED]"));
    if (!cell.hasEnded()) killing.begin();
    return done;
  }

  boolean isKill() {
    return limit == null;
  }

  /** Whether an error that ends the handler may be its doing. */
  boolean hasStruck() {
    return disturbed || interrupted;
  }

  /** Whether the actor outlives it. */
  boolean isOnlyForTheTurn() {
    return limit != null && limit.timeout.action() == TimeoutAction.CANCEL;
  }

  private boolean isOver() {
    return limit == null ? cell.hasEnded(incarnation) : cell.limitInForce() != limit;
  }

  /** Any thread. Where it fails for want of memory, nothing has begun. */
  void begin() {
    cell.notify(new Notice.Cancel(this));
    step();
  }

  // ---- the ticking thread, after the first step ------------------------------------------------

  /** One for all steps, so that none needs memory to be followed by another. */
  private final Step next = new Step();

  private final class Step extends TimerEntry {
    Step() {
      super(0); // its time is set each time
    }

    @Override
    protected void fire() {
      step();
    }

    @Override
    protected void abandon() {
      shut();
    }
  }

  private void step() {
    if (isOver()) {
      shut();
      return;
    }
    steps++;
    boolean inARow = steps <= STEPS_IN_A_ROW;
    boolean masked = false;
    try {
      // Where polls do not answer, all others would look at the flag for nothing: not all the time.
      if (!open) running.watch(null); // while the flag was down there was nothing to answer
      if (inARow || !open) openUp();
      else shut();
      masked = runner().isMasked(cell);
      if (masked)
        began = cell.kind.system.tick.nanoTime(); // it cannot answer; between masks it can
      else press();
    } catch (OutOfMemoryError | StackOverflowError e) {
      // What there was no memory, no thread or no stack for is tried again by the next step.
    }
    // Not after any other error: that goes to the wheel, which then has this entry come again.
    Ticker ticker = cell.kind.system.ticker;
    long delay = masked || inARow || open ? STEP_NANOS : LATER_STEP * STEP_NANOS;
    ticker.scheduleAgain(next, cell.kind.system.tick.nanoTime() + delay);
    if (ticker.isStopped()) shut(); // nobody ticks any more
  }

  private void press() {
    Fiber fiber = cell.suspendedFiber();
    if (fiber != null) {
      wake(fiber);
      runner().hurry(cell);
    } else {
      interruptThread();
      takeAway();
    }
  }

  /** What waits is woken; once that was in vain twice, a grace apart, it is left behind. */
  private void wake(Fiber fiber) {
    if (isInGrace()) return;
    long now = cell.kind.system.tick.nanoTime();
    if (rouses > 1 && now - rousedAt >= patienceNanos) {
      attempt(() -> fiber.abandonSuspended(cell, () -> !isOver()));
    } else if (fiber.rouseToCancel(cell, this::mayInterrupt) && rouses++ == 0) {
      rousedAt = now;
    }
  }

  /** What a handler does in {@code finally} after it was disturbed is let alone for a while. */
  private boolean isInGrace() {
    return disturbed && cell.kind.system.tick.nanoTime() - disturbedAt < graceNanos;
  }

  private void disturb() {
    disturbedAt = cell.kind.system.tick.nanoTime();
    disturbed = true;
  }

  /**
   * Code that has not polled for so long is not going to, if it was run. To take its turn away
   * stops its thread for a moment, and waits until the machine runs that: not on the ticking
   * thread.
   */
  private void takeAway() {
    Thread carrier = runner().carrierOf(cell);
    if (carrier != running.watched()) running.watch(carrier);
    long waited = cell.kind.system.tick.nanoTime() - began;
    if (waited < resortNanos || isInGrace()) return;
    if (waited < LAST_RESORTS * resortNanos && !running.hadItsChance()) return;
    attempt(() -> runner().abandonRunning(cell, () -> !isOver()));
  }

  /** One at a time: to look at stacks takes a while, and the next step comes soon. */
  private void attempt(Supplier<@Nullable AbandonedTurn> take) {
    if (attempting) return;
    attempting = true;
    try {
      cell.kind.system.endings.execute(
          () -> {
            try {
              goOnWithout(take.get());
            } finally {
              attempting = false;
            }
          });
    } catch (Throwable noMemory) {
      attempting = false;
      throw noMemory;
    }
  }

  /** By the ticking thread, and then by the one that it was left to. */
  private volatile boolean attempting;

  private void goOnWithout(@Nullable AbandonedTurn turn) {
    if (turn == null) return;
    raise(Force.ABANDONED);
    sayAbandoned(turn);
    cell.goOnWithoutTurn(this);
  }

  private void sayAbandoned(AbandonedTurn turn) {
    try {
      var text =
          new StringBuilder("A handler of ")
              .append(cell.path())
              .append(" could not be ended; the actor went on without it, and locks it holds stay")
              .append(" held. [HANDLER-ABANDONED]");
      turn.appendTo(text);
      cell.kind.system.reporter.say(text.toString());
    } catch (Throwable unsaid) { // no memory, or no stack
      // The actor must go on all the same.
    }
  }

  /**
   * Wakes a thread of another backend that waits in the middle of a turn. One that runs sees the
   * interrupt when it next waits, and has not been disturbed by it: its next poll throws. Under the
   * limit's lock, with which {@code ActorCell.endLimit} makes sure that the interrupt comes before
   * the turn's end, where it is scrubbed away.
   */
  private void interruptThread() {
    if (cell.phase() != Task.Phase.RUNNING || isInGrace()) return;
    synchronized (limit == null ? this : limit) {
      runner()
          .interrupt(cell, isWaiting(runner().threadOf(cell)) ? this::mayInterrupt : this::mayFlag);
    }
  }

  private static boolean isWaiting(@Nullable Thread thread) {
    return thread != null && thread.getState() != Thread.State.RUNNABLE;
  }

  /** Asked each time: an actor with a thread of its own may have had to leave that behind. */
  private Runner runner() {
    return cell.kind.runner;
  }

  /**
   * Whether to interrupt now. Asked while the turn cannot end, so that the interrupt hits no other.
   * The force is noted before: the actor may be gone right after.
   */
  private boolean mayInterrupt() {
    if (!mayFlag()) return false;
    if (!disturbed) disturb(); // what takes no notice of a second one is thrown at right behind it
    return true;
  }

  /** The same for one that runs. */
  private boolean mayFlag() {
    if (isOver()) return false;
    interrupted = true;
    raise(Force.INTERRUPTED);
    return true;
  }

  /** Where no thread ticks: nobody is going to take another step of any of them. */
  static void shutAll(Ticker ticker) {
    ticker.takeIn();
    ticker.forEach(
        entry -> {
          if (entry instanceof Step step) step.abandon();
        });
  }

  private synchronized void openUp() {
    if (open || cell.kind.system.ticker.isStopped()) return;
    open = true;
    Preemption.openCancel();
  }

  private synchronized void shut() {
    if (!open) return;
    open = false;
    Preemption.closeCancel();
  }

  private synchronized void raise(Force next) {
    if (next.compareTo(force) > 0) force = next;
  }

  // ---- the handler's own thread ----------------------------------------------------------------

  boolean isDue(Seat seat) {
    return !isLeftToOthers && !seat.isMasked() && !isInGrace();
  }

  /**
   * Throws, or, if that has not helped, leaves the turn behind; or leaves that to another thread,
   * where the stack has no room to let the actor go on. A recursion that catches its own overflow
   * is there most of the time, and what is begun there must not be left half done.
   */
  void strike(Seat seat) {
    if (strikes >= 2) {
      if (!hasRoomToGoOn()) {
        isLeftToOthers = true;
        return;
      }
      AbandonedTurn here = AbandonedTurn.here();
      if (seat.claimHere()) goOnWithout(here);
      seat.abandonHere();
    }
    strikes++;
    disturb();
    raise(Force.CANCELLED);
    throw error();
  }

  /**
   * Where nothing may be thrown, code that polls is as code that does not: after the same time its
   * actor goes on without it. Its own thread sees to that, and then runs on; for another to find it
   * outside of a poll would be chance.
   */
  void outlast(Seat seat) {
    if (cell.kind.system.tick.nanoTime() - began < resortNanos || !hasRoomToGoOn()) return;
    AbandonedTurn here = AbandonedTurn.here();
    if (!seat.claimHere()) return;
    try {
      goOnWithout(here);
    } catch (OutOfMemoryError noThread) {
      // The actor is queued, and the next tick finds it one.
    }
  }

  private static boolean hasRoomToGoOn() {
    try {
      StackProbe.forEnding();
      return true;
    } catch (StackOverflowError e) {
      return false;
    }
  }

  /** By the handler's own thread: {@link #takeAway} takes its turn, as if it did not poll. */
  private boolean isLeftToOthers;

  /** Always has one: whoever asks is in the middle of ending something. */
  HandlerCancelled error() {
    try {
      return new HandlerCancelled(
          limit == null
              ? "Actor " + cell.path() + " is killed by " + askedBy + ". [KILLED]"
              : limit.describe() + " and is cancelled. [HANDLER-CANCELLED]");
    } catch (OutOfMemoryError e) {
      return SPEECHLESS;
    }
  }

  /** The same for a handler that ended by an error of its own, which may be why it was woken. */
  HandlerCancelled error(Throwable own) {
    HandlerCancelled error = error();
    if (error != SPEECHLESS) error.addSuppressed(own);
    return error;
  }

  private static final HandlerCancelled SPEECHLESS =
      new HandlerCancelled(
          "A handler is cancelled, and no memory was left to say whose. [HANDLER-CANCELLED]");
}
