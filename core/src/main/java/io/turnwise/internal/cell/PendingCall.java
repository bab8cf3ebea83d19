package io.turnwise.internal.cell;

import io.turnwise.CallTimeoutException;
import io.turnwise.CalleeFailedException;
import io.turnwise.CalleeStoppedException;
import io.turnwise.NoReplyException;
import io.turnwise.Reply;
import io.turnwise.RequestDroppedException;
import io.turnwise.StopReason;
import io.turnwise.internal.mailbox.TimedRequest;
import io.turnwise.internal.timer.TimerEntry;
import io.turnwise.observation.ActorSnapshot;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A call that waits for its answer. {@code outcome} moves once, by compare-and-set, from null to a
 * value or a failure: of an answer, a timeout and a crash that race, the first counts.
 *
 * @param <R> the type of the reply
 */
public abstract non-sealed class PendingCall<R> extends TimerEntry
    implements Reply<R>, TimedRequest {
  /** In place of a reply that is null. */
  private static final Object NULL = new Object();

  private static final VarHandle OUTCOME;
  private static final VarHandle SENDER;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      OUTCOME = lookup.findVarHandle(PendingCall.class, "outcome", Object.class);
      SENDER = lookup.findVarHandle(PendingCall.class, "sender", Runnable.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** In place of a value: why there is none. */
  record Failure(Throwable cause) {}

  /** Made beforehand: a timeout must not fail for want of memory. */
  private static final Failure TIMED_OUT = new Failure(TimedOut.MARK);

  /** Made beforehand, too: for who must be told, and there is no memory to say why. */
  private static final Failure UNSAID =
      new Failure(new OutOfMemoryError("no memory was left to say why the call failed"));

  final Object request;
  final long timeoutNanos;

  /** Whose ticker has it. A forward may lead out of it. */
  final LocalActorSystem system;

  /** Who is to answer now; a forward changes it. Plain: travels with the envelope. */
  private ActorCell<?> callee;

  private boolean forwarded;

  /** The next in {@link LateCalls}. Whoever has those. */
  @Nullable PendingCall<?> nextLate;

  private volatile @Nullable Object outcome;

  /**
   * Who waits for room for the request, if anybody.
   *
   * <pre>
   *   who waits                               who brings the outcome
   *   1. write sender (volatile)              1. outcome: from null (CAS)
   *   2. is it over? else sleep               2. read sender; wake it
   * </pre>
   */
  private volatile @Nullable Runnable sender;

  PendingCall(ActorCell<?> callee, Object request, long timeoutNanos) {
    super(timeoutNanos, true);
    this.system = callee.kind.system;
    this.callee = callee;
    this.request = request;
    this.timeoutNanos = timeoutNanos;
  }

  /** Tells whoever waits. Called once, by who brought the outcome, from any thread. */
  abstract void settled();

  /**
   * Once it was put with the {@link LateCalls}: the time to say so to whoever waits. Not on the
   * ticking thread where there is one.
   *
   * @param described a {@link CallTimeoutException}, or why there is none
   */
  void tellLate(Throwable described) {
    throw new AssertionError("whoever waits for this call describes its timeout");
  }

  final ActorCell<?> callee() {
    return callee;
  }

  final void forwardedTo(ActorCell<?> next) {
    callee = next;
    forwarded = true;
  }

  public final boolean isOver() {
    return outcome != null;
  }

  @Override
  public boolean isWithdrawn() {
    return isOver();
  }

  @Override
  public final void beginWait(Runnable waits) {
    sender = waits;
  }

  /** Whoever has forwarded it meanwhile may wait by now. */
  @Override
  public final void endWait(Runnable waits) {
    SENDER.compareAndSet(this, waits, null);
  }

  /** Whether somebody waits for the answer. */
  public boolean isAwaited() {
    return !isOver();
  }

  /** The outcome once it is over: the value, or a {@link Failure}. */
  final @Nullable Object outcome() {
    Object result = outcome;
    return result == NULL ? null : result;
  }

  @SuppressWarnings({
    "unchecked",
    "NullAway"
  }) // reply checked the type; it may be null for the user
  final R valueOrThrow() {
    Object result = outcome();
    if (result instanceof Failure failure) {
      if (failure.cause instanceof TimedOut) throw timeout();
      throw sneaky(failure.cause);
    }
    return (R) result;
  }

  /** Marks a timeout until somebody who may take its time describes what the callee is doing. */
  static final class TimedOut extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final TimedOut MARK = new TimedOut();

    private TimedOut() {
      super(null, null, false, false);
    }
  }

  private CallTimeoutException timeout() {
    return timeout(callee.snapshot());
  }

  final CallTimeoutException timeout(ActorSnapshot calleeThen) {
    return new CallTimeoutException(
        calleeThen.path(), requestType(), Duration.ofNanos(timeoutNanos), calleeThen);
  }

  private static RuntimeException sneaky(Throwable cause) {
    if (cause instanceof RuntimeException e) {
      // The stack of the caller is what the caller wants to see.
      e.addSuppressed(new Throwable("called from here"));
      return e;
    }
    if (cause instanceof Error e) throw e;
    return new IllegalStateException(cause);
  }

  final String requestType() {
    return request.getClass().getSimpleName();
  }

  @Override
  public final boolean send(R value) {
    return settle(value);
  }

  @Override
  public final boolean fail(Throwable cause) {
    Objects.requireNonNull(cause, "Reply.fail: the cause is null; say why the call failed");
    try {
      return settleFailed(new CalleeFailedException(callee.path(), requestType(), cause));
    } catch (OutOfMemoryError _) {
      return settle(UNSAID);
    }
  }

  /**
   * A mailbox refused the request. Whoever sent it itself gets the refusal as it is; who sent a
   * request that was forwarded gets it wrapped: its own was accepted.
   */
  final void refused(RuntimeException refusal) {
    if (forwarded) fail(refusal);
    else settleFailed(refusal);
  }

  final void noReply() {
    try {
      settleFailed(new NoReplyException(callee.path(), requestType()));
    } catch (OutOfMemoryError _) {
      settle(UNSAID);
    }
  }

  final void calleeStopped(String detail) {
    try {
      settleFailed(new CalleeStoppedException(callee.path(), requestType(), detail, null));
    } catch (OutOfMemoryError _) {
      settle(UNSAID);
    }
  }

  /**
   * The request came after the callee's end.
   *
   * @param reason null: it is being told to others at this very moment
   */
  final void calleeGone(@Nullable StopReason reason) {
    try {
      Throwable crash = reason instanceof StopReason.Crashed crashed ? crashed.cause() : null;
      String how = crash != null ? "it has crashed" : "it has stopped";
      if (reason instanceof StopReason.Killed killed) how = "it was killed by " + killed.askedBy();
      settleFailed(new CalleeStoppedException(callee.path(), requestType(), how, crash));
    } catch (OutOfMemoryError _) {
      settle(UNSAID);
    }
  }

  /** The callee waits for its restart, with as many requests as its spec lets it keep. */
  final void notHeld() {
    try {
      settleFailed(
          new CalleeStoppedException(
              callee.path(),
              requestType(),
              "it is down until its restart, and its spec keeps no more for it",
              "ask again later, or raise ChildSpec.heldMessages",
              null));
    } catch (OutOfMemoryError _) {
      settle(UNSAID);
    }
  }

  /** The callee ends for this reason, and has not done what the words say. */
  final void calleeEnded(@Nullable StopReason reason, String undone) {
    try {
      Throwable crash = reason instanceof StopReason.Crashed crashed ? crashed.cause() : null;
      String how = crash != null ? "it crashed" : "it stopped";
      if (reason instanceof StopReason.Killed killed) how = "it was killed by " + killed.askedBy();
      settleFailed(
          new CalleeStoppedException(
              callee.path(), requestType(), how + " before it " + undone, crash));
    } catch (OutOfMemoryError _) {
      settle(UNSAID);
    }
  }

  /** The mailbox of the callee was full and dropped the request. */
  final void dropped() {
    try {
      settleFailed(new RequestDroppedException(callee.path(), requestType(), callee.kind.mailbox));
    } catch (OutOfMemoryError _) {
      settle(UNSAID);
    }
  }

  final boolean settleFailed(Throwable cause) {
    return settle(new Failure(cause));
  }

  private boolean settle(@Nullable Object result) {
    if (!OUTCOME.compareAndSet(this, null, result == null ? NULL : result)) return false;
    TurnWitness witness = system.turnWitness;
    if (witness != null) witness.answered(callee, result == null ? NULL : result);
    system.ticker.cancel(this);
    Runnable waits = sender;
    if (waits != null) waits.run();
    settled();
    return true;
  }

  @Override
  protected final void fire() {
    settle(TIMED_OUT);
  }

  @Override
  protected final void abandon() {
    calleeStopped("the system was closed");
  }
}
