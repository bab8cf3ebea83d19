package io.turnwise.internal.cell;

import java.util.concurrent.CompletableFuture;

/** A call whose answer goes into a future. */
final class AsyncCall<R> extends PendingCall<R> {
  /** Seen by the caller. Callbacks run on the system's callback threads, never inside a turn. */
  final CompletableFuture<R> future;

  AsyncCall(ActorCell<?> callee, Object request, long timeoutNanos) {
    super(callee, request, timeoutNanos);
    this.future = new CallFuture<>(callee.kind.system);
  }

  @Override
  void settled() {
    Object result = outcome();
    boolean timedOut = result instanceof Failure f && f.cause() instanceof TimedOut;
    // Describing a timeout takes a while, and callbacks are strangers' code: neither belongs here.
    if (timedOut || future.getNumberOfDependents() > 0) completeElsewhere();
    else complete();
  }

  private void completeElsewhere() {
    try {
      callee().kind.system.callbacks.execute(this::complete);
    } catch (Throwable noThread) { // then here: who waits for it must hear of it
      complete();
    }
  }

  @SuppressWarnings("unchecked")
  private void complete() {
    Object result = outcome();
    try {
      if (result instanceof Failure failure) {
        future.completeExceptionally(
            failure.cause() instanceof TimedOut ? timeout() : failure.cause());
      } else {
        future.complete((R) result);
      }
    } catch (Throwable undescribed) { // no memory to say what the callee is doing
      future.completeExceptionally(undescribed);
    }
  }

  /** A future whose asynchronous stages run on the system's callback threads. */
  private static final class CallFuture<T> extends CompletableFuture<T> {
    private final LocalActorSystem system;

    CallFuture(LocalActorSystem system) {
      this.system = system;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new CallFuture<>(system);
    }

    @Override
    public java.util.concurrent.Executor defaultExecutor() {
      return system.callbacks;
    }
  }
}
