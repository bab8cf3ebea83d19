package io.turnwise.internal.cell;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.CallOutcome;
import io.turnwise.Context;
import io.turnwise.Reply;
import io.turnwise.internal.mailbox.Envelope;
import io.turnwise.internal.mailbox.Hand;
import io.turnwise.internal.name.Names;
import io.turnwise.time.ActorTimers;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The context of one actor: what is in its hand, and what was done with that. */
public final class TurnContext<M> extends Hand implements Context<M> {
  private final ActorCell<M> cell;

  /** What the message in hand was stashed as, or null: then it is done with this turn. */
  private @Nullable Envelope stashed;

  /** Notices that were taken out of the lane and are still to be handled, in order. */
  Notice.@Nullable Link laterNotices;

  /** The call in hand was answered, deferred or forwarded. */
  private boolean answered;

  /** The actor wants to stop when this turn has ended without a crash. */
  private boolean stopAsked;

  /** Since the turn began, something was done that its end, or the next message, depends on. */
  private boolean touched;

  TurnContext(ActorCell<M> cell) {
    this.cell = cell;
  }

  /** Whether the actor asked to be stopped in a turn that has ended. */
  boolean isStopAsked() {
    return stopAsked;
  }

  /** The actor is made anew. */
  void beginLife() {
    stopAsked = false;
  }

  /** The turn in hand did something of that kind. */
  void touch() {
    touched = true;
  }

  /** Whether the turn in hand did more than to compute and to send. */
  boolean isTouched() {
    return touched;
  }

  /** Returns whether the message in hand was put aside. */
  boolean endTurn() {
    touched = stopAsked; // of a turn that failed, and was forgiven, it is done after the next
    boolean aside = stashed != null;
    if (aside) stashed = null;
    if (answered) answered = false;
    return aside;
  }

  /** What the message in hand was stashed as; it is not any more. */
  @Nullable Envelope takeStashed() {
    Envelope aside = stashed;
    stashed = null;
    return aside;
  }

  private @Nullable Object message() {
    return cell.messageInHand();
  }

  private @Nullable Object caller() {
    Object inHand = cell.inHand();
    return inHand == null ? null : Envelope.callerOf(inHand);
  }

  private void clearCaller() {
    if (cell.inHand() instanceof Envelope envelope) envelope.clearCaller();
  }

  private void checkTurn(String what) {
    checkTurn(cell, what);
  }

  static void checkTurn(ActorCell<?> cell, String what) {
    if (!cell.isItsTurn())
      throw new IllegalStateException(
          "Context."
              + what
              + " of "
              + cell.path()
              + " was used outside its own turns, on thread "
              + ActorCell.nameOfThread()
              + ". [NOT-YOUR-TURN]\n  next:  send the actor a message, or use callToSelf");
  }

  @Override
  public ActorRef<M> self() {
    return cell;
  }

  @Override
  public ActorSystem system() {
    return cell.kind.system;
  }

  @Override
  public <N> ActorRef<N> spawn(Supplier<? extends Actor<N>> factory) {
    checkTurn("spawn");
    return cell.kind.system.spawnUnder(cell, null, factory);
  }

  @Override
  public <N> ActorRef<N> spawn(String name, Supplier<? extends Actor<N>> factory) {
    checkTurn("spawn");
    return cell.kind.system.spawnUnder(cell, Names.check(name), factory);
  }

  @Override
  public <N> ActorRef<N> spawn(ActorSpec<N> spec) {
    checkTurn("spawn");
    return cell.kind.system.spawnUnder(cell, null, spec);
  }

  @Override
  public <N> ActorRef<N> spawn(String name, ActorSpec<N> spec) {
    checkTurn("spawn");
    return cell.kind.system.spawnUnder(cell, Names.check(name), spec);
  }

  @Override
  public List<ActorRef<?>> children() {
    checkTurn("children");
    return cell.childRefs();
  }

  @Override
  public <R> void reply(Call<M, R> call, R value) {
    takeOver("reply", call).send(value);
  }

  @Override
  public <R> void fail(Call<M, R> call, Throwable cause) {
    Objects.requireNonNull(cause, "Context.fail: the cause is null; say why the call failed");
    takeOver("fail", call).fail(cause);
  }

  @Override
  public <R> Reply<R> defer(Call<M, R> call) {
    PendingCall<R> pending = takeOver("defer", call);
    cell.rememberDeferred(pending);
    return pending;
  }

  @Override
  public <N, R> void forward(Call<M, R> call, ActorRef<N> target, Call<N, R> request) {
    Objects.requireNonNull(target, "Context.forward: the target is null; name who is to answer");
    ActorCell<N> next = (ActorCell<N>) target;
    next.checkRequest(request);
    PendingCall<R> pending = takeOver("forward", call);
    pending.forwardedTo(next);
    next.sendRequest(request, pending);
  }

  /** Takes the answer of the call in hand out of the turn's care. */
  @SuppressWarnings("unchecked") // the pending call was made for this very message
  private <R> PendingCall<R> takeOver(String what, Call<M, R> call) {
    checkTurn(what);
    if (call == null || call != message())
      throw new IllegalStateException(
          "Context."
              + what
              + ": "
              + nameOf(call)
              + " is not the message in hand of "
              + cell.path()
              + ". [NOT-IN-HAND]\n  next:  to answer in a later turn, keep what defer returns");
    Object caller = caller();
    if (caller == null) {
      if (stashed != null || answered)
        throw new IllegalStateException(
            "Context."
                + what
                + ": "
                + nameOf(call)
                + (stashed != null ? " was stashed" : " was answered, deferred or forwarded before")
                + " by "
                + cell.path());
      touched = true;
      answered = true; // sent with cast: there is nobody to tell
      return (PendingCall<R>) new Nobody(cell, call);
    }
    clearCaller();
    touched = true;
    answered = true;
    return (PendingCall<R>) caller;
  }

  /** Not what is in it: that may be nobody's business who reads the log. */
  private static String nameOf(@Nullable Call<?, ?> call) {
    return call == null ? "null" : "this " + call.getClass().getSimpleName();
  }

  /** Stands in for the caller of a request that was sent with cast, and waits for nothing. */
  private static final class Nobody extends PendingCall<Object> {
    Nobody(ActorCell<?> callee, Object request) {
      super(callee, request, 1);
      send(this);
    }

    @Override
    void settled() {}

    @Override
    public boolean isAwaited() {
      return false;
    }

    /** It was cast: a message like any other, which waits for room as long as it takes. */
    @Override
    public boolean isWithdrawn() {
      return false;
    }
  }

  @Override
  public <N, R> void callToSelf(
      ActorRef<N> target,
      Call<N, R> request,
      Function<? super CallOutcome<R>, ? extends M> toMessage) {
    callToSelf(target, request, cell.kind.system.config().callTimeout(), toMessage);
  }

  @Override
  public <N, R> void callToSelf(
      ActorRef<N> target,
      Call<N, R> request,
      Duration timeout,
      Function<? super CallOutcome<R>, ? extends M> toMessage) {
    checkTurn("callToSelf");
    Objects.requireNonNull(target, "Context.callToSelf: the target is null; name whom to call");
    Objects.requireNonNull(
        toMessage, "Context.callToSelf: the function is null; make a message of the outcome");
    ActorCell<N> callee = (ActorCell<N>) target;
    callee.checkRequest(request);
    var call = new SelfCall<>(callee, request, callee.timeoutNanos(timeout), cell, toMessage);
    cell.kind.system.startTimer(call);
    callee.sendRequest(request, call);
  }

  @Override
  public void watch(ActorRef<?> actor) {
    checkTurn("watch");
    Objects.requireNonNull(actor, "Context.watch: the actor is null; name whom to watch");
    cell.watch((ActorCell<?>) actor);
  }

  @Override
  public void unwatch(ActorRef<?> actor) {
    checkTurn("unwatch");
    Objects.requireNonNull(actor, "Context.unwatch: the actor is null; name whom not to watch");
    cell.unwatch((ActorCell<?>) actor);
  }

  @Override
  public void link(ActorRef<?> actor) {
    checkTurn("link");
    Objects.requireNonNull(actor, "Context.link: the actor is null; name whom to link to");
    cell.link((ActorCell<?>) actor);
  }

  @Override
  public void unlink(ActorRef<?> actor) {
    checkTurn("unlink");
    Objects.requireNonNull(actor, "Context.unlink: the actor is null; name whom to unlink");
    cell.unlink((ActorCell<?>) actor);
  }

  @Override
  public void stash() {
    checkTurn("stash");
    Object message = message();
    if (message == null || stashed != null)
      throw new IllegalStateException(
          "Context.stash of "
              + cell.path()
              + ": there is no message in hand to put aside"
              + (stashed != null ? ", it is stashed already" : "")
              + ". [NOTHING-IN-HAND]\n  next:  stash in receive, each message once");
    touched = true;
    stashed = cell.stash(message, caller());
    clearCaller();
  }

  @Override
  public void unstashAll() {
    checkTurn("unstashAll");
    touched = true;
    cell.unstashAll();
  }

  @Override
  public ActorTimers<M> timers() {
    checkTurn("timers");
    return cell.timers();
  }

  @Override
  public void receiveTimeout(Duration timeout, M message) {
    checkTurn("receiveTimeout");
    cell.timers().receiveTimeout(timeout, message);
  }

  @Override
  public void cancelReceiveTimeout() {
    checkTurn("cancelReceiveTimeout");
    cell.timers().cancelReceiveTimeout();
  }

  @Override
  public void stop() {
    checkTurn("stop");
    touched = true;
    stopAsked = true;
  }

  @Override
  public void stopAfterDrain() {
    checkTurn("stopAfterDrain");
    cell.sendPill(ActorCell.FINISHED);
  }
}
