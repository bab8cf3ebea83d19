package io.turnwise.internal.cell;

import io.turnwise.internal.mailbox.Envelope;
import io.turnwise.internal.scheduler.Scheduler;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.scheduler.ShownStack;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.ActorState;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An actor as those see it who only look: from any thread, while it goes on.
 *
 * <p>A part of {@link ActorCell}, and one object with it.
 *
 * @param <M> the messages it understands
 */
abstract sealed class Observed<M> extends Watched<M> permits ActorCell {
  private static final int LOOKS_AT_STACK = 3;

  Observed(Kind kind, @Nullable ActorCell<?> parent, @Nullable String name) {
    super(kind, parent, name);
  }

  abstract boolean hasEnded();

  /** How many messages are kept for it while it is down. */
  abstract int countHeld();

  /** Where its life stands, while nothing but that matters; else null. */
  abstract @Nullable ActorState stateOfLife();

  final ActorState state() {
    if (hasEnded() || isClosed()) return ActorState.HALTED;
    ActorState ofLife = stateOfLife();
    if (ofLife != null) return ofLife;
    if (isIdle()) return ActorState.RECEIVING;
    return switch (phase()) {
      case IDLE -> ActorState.RUNNABLE;
      case QUEUED -> isPreempted() ? ActorState.PREEMPTED : ActorState.RUNNABLE;
      case RUNNING ->
          kind.runner instanceof Scheduler workers && workers.isStuckIn(this)
              ? ActorState.BLOCKED
              : ActorState.RUNNING;
      case SUSPENDED -> isPreempted() ? ActorState.PREEMPTED : ActorState.SUSPENDED;
    };
  }

  /** Whether there is nothing for it to do, and nothing that it does. */
  final boolean rests() {
    ActorState state = state();
    return state == ActorState.HALTED
        || state == ActorState.RECEIVING && countQueued() == 0
        || state == ActorState.RESTARTING && isIdle();
  }

  /** Whether a turn is under way: on a thread, waiting, or stopped in the middle. */
  private boolean isInTurn() {
    if (hasEnded() || isClosed() || isIdle()) return false;
    return switch (phase()) {
      case IDLE -> false;
      case QUEUED -> suspendedFiber() != null;
      case RUNNING, SUSPENDED -> true;
    };
  }

  final @Nullable Object messageInHand() {
    Object inHand = inHand();
    return inHand == null ? null : Envelope.messageOf(inHand);
  }

  @Override
  public final ActorSnapshot snapshot() {
    return snapshot(stack());
  }

  /**
   * Where the turn under way is, innermost first. Fibers are lent: if it is not this actor's any
   * more once its stack was taken, that may be another's.
   */
  final List<StackTraceElement> stack() {
    for (int i = 0; i < LOOKS_AT_STACK && isInTurn(); i++) {
      Thread thread = kind.runner.threadOf(this);
      if (thread == null) continue;
      StackTraceElement[] stack = thread.getStackTrace();
      if (isInTurn() && kind.runner.threadOf(this) == thread) return List.of(stack);
    }
    return List.of();
  }

  /**
   * @param stack the whole of it; the snapshot has its innermost frames
   */
  final ActorSnapshot snapshot(List<StackTraceElement> stack) {
    ActorState state = state();
    boolean inTurn = isInTurn();
    Object message = inTurn ? messageInHand() : null;
    Seat seat = inTurn ? kind.runner.seatOf(this) : null;
    boolean waits =
        switch (state) {
          case RECEIVING, HALTED, RESTARTING -> true;
          case STARTING, RUNNABLE, RUNNING, PREEMPTED, BLOCKED, SUSPENDED, STOPPING -> false;
        };
    int since = seat != null ? seat.turnTick() : sinceTick();
    int ticks = waits ? 0 : Math.max(0, kind.system.tick.fresh() - since);
    return new ActorSnapshot(
        path(),
        state,
        countWaiting(),
        message == null ? null : message.getClass().getSimpleName(),
        Duration.ofMillis(ticks),
        usage(kind.system.tick),
        ShownStack.innermost(stack));
  }

  /** In the mailbox, and kept for it while it is down. */
  final long countWaiting() {
    return countQueued() + countHeld();
  }
}
