package io.turnwise.internal.cell;

import io.turnwise.CallOutcome;
import io.turnwise.internal.mailbox.Envelope;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A call whose outcome comes back to its caller as a message. */
final class SelfCall<M, R> extends PendingCall<R> {
  private final ActorCell<M> caller;
  private final int incarnation;
  private final Function<? super CallOutcome<R>, ? extends M> toMessage;

  /** Made with the call: whoever brings the outcome must not fail for want of memory. */
  private final Envelope answer = new Envelope(new Answer<>(this), null);

  SelfCall(
      ActorCell<?> callee,
      Object request,
      long timeoutNanos,
      ActorCell<M> caller,
      Function<? super CallOutcome<R>, ? extends M> toMessage) {
    super(callee, request, timeoutNanos);
    this.caller = caller;
    this.incarnation = caller.incarnation();
    this.toMessage = toMessage;
  }

  /** Of a timeout: what the callee was doing then. Travels with the answer. */
  private @Nullable Throwable late;

  @Override
  void settled() {
    // Wrapped here, turned into the caller's own message in the caller's own turn.
    if (outcome() instanceof Failure f && f.cause() instanceof TimedOut) system.lateCalls.add(this);
    else caller.deliver(answer);
  }

  /** Now, and not when the caller comes to it: by then the callee may be doing something else. */
  @Override
  void tellLate(Throwable described) {
    late = described;
    caller.deliver(answer);
  }

  /** What is sent to the caller: not one of its messages yet. */
  static final class Answer<M, R> extends ActorCell.RuntimeMessage {
    private final SelfCall<M, R> call;

    Answer(SelfCall<M, R> call) {
      this.call = call;
    }

    /** The life of the caller that wanted it. */
    int incarnation() {
      return call.incarnation;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // a reply may be null
    M toMessage() {
      Object result = call.outcome();
      Throwable late = call.late;
      CallOutcome<R> outcome =
          result instanceof Failure failure
              ? new CallOutcome.Failed<>(late != null ? late : failure.cause())
              : new CallOutcome.Answered<>((R) result);
      return call.toMessage.apply(outcome);
    }
  }
}
