package io.turnwise.internal.cell;

import io.turnwise.CallInterruptedException;
import io.turnwise.HandlerCancelled;
import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.ParkReason;
import io.turnwise.internal.scheduler.Preemption;
import io.turnwise.internal.scheduler.Seat;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A call whose caller waits in place: a fiber, or a thread that is none of ours. */
final class BlockingCall<R> extends PendingCall<R> implements Fiber.Wait {
  private final @Nullable Fiber fiber;
  private final @Nullable Thread thread;

  BlockingCall(ActorCell<?> callee, Object request, long timeoutNanos, @Nullable Fiber fiber) {
    super(callee, request, timeoutNanos);
    this.fiber = fiber;
    this.thread = fiber == null ? Thread.currentThread() : null;
  }

  @Override
  void settled() {
    if (fiber != null) fiber.resume();
    else LockSupport.unpark(thread);
  }

  R await(LocalActorSystem system) {
    if (fiber != null) awaitOnFiber(fiber);
    else awaitOnPlainThread(system);
    return valueOrThrow();
  }

  private void awaitOnFiber(Fiber own) {
    try {
      own.await(this);
    } catch (HandlerCancelled e) {
      settleFailed(e); // nobody waits for the answer any more
      throw e;
    }
  }

  private void awaitOnPlainThread(LocalActorSystem system) {
    system.beginPlainWait(this);
    try {
      awaitOnThread(system);
    } finally {
      system.endPlainWait();
    }
  }

  private void awaitOnThread(LocalActorSystem system) {
    if (system.drivesHere()) system.driveUntil(this::isOver, "an answer of " + callee().path());
    AnswerSpins spins = system.answerSpins;
    for (int i = spins.now(); i > 0; i--) {
      if (isOver()) {
        spins.paid();
        return;
      }
      Thread.onSpinWait();
    }
    spins.inVain();
    long deadline = system.tick.nanoTime() + timeoutNanos;
    boolean interrupted = false;
    while (!isOver()) {
      long left = deadline - system.tick.nanoTime();
      if (left <= 0) {
        settleFailed(TimedOut.MARK);
        break;
      }
      LockSupport.parkNanos(ParkReason.WAITING_FOR_REPLY, left);
      if (!Thread.interrupted()) continue;
      interrupted = true;
      if (!mustWaitOn()) settleFailed(new CallInterruptedException(callee().path(), requestType()));
    }
    if (interrupted) Thread.currentThread().interrupt();
  }

  /**
   * Whether the interrupt is to end a handler, and what it would become here must not be thrown.
   * The handler is left behind, where it waits.
   */
  private static boolean mustWaitOn() {
    Seat seat = Seat.current();
    if (seat == null) return false;
    boolean toEnd =
        seat.isAbandoned() || seat.task() instanceof ActorCell<?> caller && caller.isToEnd();
    return toEnd && !Preemption.mayThrowHere();
  }
}
