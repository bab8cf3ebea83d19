package io.turnwise.internal.cell;

import io.turnwise.internal.door.Completion;
import io.turnwise.internal.scheduler.ParkReason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A call whose answer goes into a future. */
final class AsyncCall<R> extends PendingCall<R> {
  /** Seen by the caller. Callbacks run on the system's callback threads, never inside a turn. */
  final CallFuture<R> future;

  AsyncCall(ActorCell<?> callee, Object request, long timeoutNanos) {
    super(callee, request, timeoutNanos);
    this.future = new CallFuture<>(callee.kind.system);
  }

  @Override
  @SuppressWarnings("unchecked")
  void settled() {
    Object result = outcome();
    if (!(result instanceof Failure failure)) future.settle(result);
    else if (failure.cause() instanceof TimedOut) system.lateCalls.add(this);
    else future.settleFailed(failure.cause());
  }

  @Override
  void tellLate(Throwable described) {
    future.settleFailed(described);
  }

  /** A future whose asynchronous stages run on the system's callback threads. */
  private static class StageFuture<T> extends CompletableFuture<T> {
    final LocalActorSystem system;

    StageFuture(LocalActorSystem system) {
      this.system = system;
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new StageFuture<>(system);
    }

    @Override
    public Executor defaultExecutor() {
      return system.callbacks;
    }
  }

  /**
   * The future of the call itself. A plain thread that waits for it is no callback: whoever answers
   * wakes it, without another thread between the two.
   *
   * <pre>
   *   who waits                               who completes
   *   1. compare-and-set waiter               1. write the result (volatile)
   *   2. is it done? else park                2. read waiter; unpark
   * </pre>
   *
   * Every way to complete it comes past here; a timeout of the future's own is one of these.
   */
  static final class CallFuture<T> extends StageFuture<T> {
    private static final VarHandle WAITER;

    static {
      try {
        WAITER = MethodHandles.lookup().findVarHandle(CallFuture.class, "waiter", Thread.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    /** One thread that waits; if there are more, they wait as for any future. */
    private volatile @Nullable Thread waiter;

    CallFuture(LocalActorSystem system) {
      super(system);
    }

    /** The call has its answer. On whatever thread that came to be: no stage runs here. */
    void settle(@Nullable Object value) {
      if (Completion.value(this, value)) settled();
    }

    /** The call has failed. The same. */
    void settleFailed(Throwable cause) {
      if (Completion.failure(this, cause)) settled();
    }

    /** Stages are strangers' code. */
    private void settled() {
      wakeWaiter();
      if (getNumberOfDependents() == 0) return;
      try {
        system.callbacks.execute(this::runStages);
      } catch (Throwable noMemory) { // then here: who waits for it must hear of it
        runStages();
      }
    }

    /** Once it has an outcome, to complete it again does nothing else, and takes no memory. */
    private void runStages() {
      super.complete(null);
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
      awaitDone();
      return super.get();
    }

    @Override
    public T join() {
      awaitDone();
      return super.join();
    }

    @Override
    public boolean complete(T value) {
      boolean first = super.complete(value);
      wakeWaiter();
      return first;
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
      boolean first = super.completeExceptionally(failure);
      wakeWaiter();
      return first;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
      boolean cancelled = super.cancel(mayInterruptIfRunning);
      wakeWaiter();
      return cancelled;
    }

    @Override
    public void obtrudeValue(T value) {
      super.obtrudeValue(value);
      wakeWaiter();
    }

    @Override
    public void obtrudeException(Throwable failure) {
      super.obtrudeException(failure);
      wakeWaiter();
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
      executor.execute(
          () -> {
            if (isDone()) return;
            try {
              complete(supplier.get());
            } catch (Throwable e) {
              completeExceptionally(
                  e instanceof CompletionException ? e : new CompletionException(e));
            }
          });
      return this;
    }

    /** Returns early where the ordinary way must do the rest: interrupted, or another waits. */
    private void awaitDone() {
      if (system.drivesHere()) system.driveUntil(this::isDone, "the answer of a call");
      AnswerSpins spins = system.answerSpins;
      for (int i = spins.now(); i > 0; i--) {
        if (isDone()) {
          spins.paid();
          return;
        }
        Thread.onSpinWait();
      }
      spins.inVain();
      Thread self = Thread.currentThread();
      if (self.isVirtual() || !WAITER.compareAndSet(this, null, self)) return;
      while (!isDone() && !self.isInterrupted()) LockSupport.park(ParkReason.WAITING_FOR_REPLY);
      waiter = null;
    }

    private void wakeWaiter() {
      Thread waits = waiter;
      if (waits != null) LockSupport.unpark(waits);
    }
  }
}
