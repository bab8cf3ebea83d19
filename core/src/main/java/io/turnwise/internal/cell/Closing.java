package io.turnwise.internal.cell;

import io.turnwise.StopReason;
import io.turnwise.internal.scheduler.ParkReason;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.CloseReport;
import io.turnwise.observation.DeadLetterReason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The end of a system: everybody handles what is queued, then everybody stops, then who has not is
 * killed, and it is counted what was left. The first thread that asks does it; others wait for its
 * report.
 */
final class Closing {
  private static final int STUCK_SHOWN = 10;
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long LOOK_AGAIN_NANOS = SECOND_NANOS / 1000;
  private static final long LOG_PATIENCE_NANOS = SECOND_NANOS / 2;

  /**
   * What comes after the deadline, or after the last actor's end, has this time together: first
   * those that must be killed, then the threads. A tenth of a second is promised.
   */
  private static final long END_NANOS = 70_000_000;

  /** Of that: for those that must be killed. */
  private static final long KILL_NANOS = 55_000_000;

  /** So long after the time by which a close should have ended, it is not going to. */
  private static final long HANG_NANOS = 10 * SECOND_NANOS;

  private static volatile @Nullable Auditor auditor;

  private final LocalActorSystem system;
  private final Children top;
  private final AtomicBoolean begun = new AtomicBoolean();
  private volatile @Nullable Thread closer;

  /** Set while it lets everybody handle what is queued. */
  private volatile boolean draining;

  /** When the closer should have ended, on the JVM's clock; written before {@code closer}. */
  private volatile long endsBy;

  private volatile @Nullable CloseReport report;
  private final CompletableFuture<CloseReport> reported = new CompletableFuture<>();

  /**
   * @param top the actors without a parent
   */
  Closing(LocalActorSystem system, Children top) {
    this.system = system;
    this.top = top;
  }

  /** Tests only: somebody who is told of each close from now on; null: nobody. */
  static void auditBy(@Nullable Auditor next) {
    auditor = next;
  }

  boolean hasBegun() {
    return begun.get();
  }

  boolean isDraining() {
    return draining;
  }

  boolean isOver() {
    return report != null || reported.isDone();
  }

  CompletionStage<CloseReport> whenOver() {
    return reported.copy();
  }

  /** The last of the top has ended. */
  void allEnded() {
    Thread waiting = closer;
    if (waiting != null) LockSupport.unpark(waiting);
  }

  CloseReport run(Duration deadline) {
    long nanos = ActorCell.nanos(deadline);
    if (!begun.compareAndSet(false, true)) return awaitReport();
    CloseReport done;
    try {
      done = runFirst(nanos);
    } catch (Throwable e) { // nobody may wait for a report that never comes
      reported.completeExceptionally(e);
      throw e;
    }
    reported.complete(done);
    return done;
  }

  private CloseReport runFirst(long nanos) {
    endsBy = System.nanoTime() + nanos;
    closer = Thread.currentThread();
    Auditor watching = auditor;
    if (watching != null) watching.closes(system);
    long began = System.nanoTime();
    endsBy = began + nanos;
    long buriedBefore = countBuried();
    system.timers.close();
    boolean interrupted = stopActors(began, nanos);
    interrupted |= awaitLog(began + nanos);
    long ending = System.nanoTime(); // before: to look at what is stuck takes a while, too
    List<ActorCell<?>> left = system.leftActors();
    List<ActorSnapshot> stuck = left.stream().limit(STUCK_SHOWN).map(ActorCell::snapshot).toList();
    if (!left.isEmpty()) interrupted |= kill(left, ending + KILL_NANOS);
    system.stopThreads(ending + END_NANOS - System.nanoTime());
    long messages = countBuried() - buriedBefore;
    for (ActorCell<?> cell : system.leftActors()) messages += cell.abandon();
    var done =
        new CloseReport(Duration.ofNanos(System.nanoTime() - began), left.size(), messages, stuck);
    system.forgetProcess();
    report = done;
    if (watching != null) watching.closed(system, done);
    if (interrupted) Thread.currentThread().interrupt();
    return done;
  }

  private long countBuried() {
    return system.deadLetters.counts().getOrDefault(DeadLetterReason.LEFT_BEHIND, 0L);
  }

  /** Gently for four fifths of the time. Returns whether the thread was interrupted meanwhile. */
  private boolean stopActors(long began, long nanos) {
    var reason = new StopReason.ShutDown("system " + system.name());
    draining = true;
    for (ActorCell<?> cell : top.close()) cell.sendPill(reason);
    boolean interrupted = awaitEmpty(began + nanos / 10 * 8);
    draining = false;
    if (!top.isEmpty()) for (ActorCell<?> cell : system.leftActors()) cell.stop(reason);
    return interrupted | awaitEmpty(began + nanos);
  }

  /**
   * They have had their time and are in the report. Without an end they would go on for ever: in
   * code of theirs, on our threads, where nobody can reach them any more.
   */
  private boolean kill(List<ActorCell<?>> left, long deadline) {
    for (ActorCell<?> cell : left) cell.kill();
    return awaitEmpty(deadline);
  }

  /**
   * Another thread closes: waits for its end, which is set by that one's deadline and not by this
   * one's. Only where that thread itself was stopped in the middle is there no end to wait for.
   */
  private CloseReport awaitReport() {
    if (closer == Thread.currentThread() && !reported.isDone())
      throw new IllegalStateException(
          "System "
              + system.name()
              + " is closed by this very thread, further up, which would wait for itself."
              + " [CLOSE-FROM-INSIDE]\n  next:  use whenClosed(), which brings the report");
    boolean interrupted = false;
    while (!reported.isDone()) {
      if (closer != null && System.nanoTime() - endsBy > HANG_NANOS) throw hangs();
      LockSupport.parkNanos(ParkReason.WAITING_FOR_SYSTEM_TO_CLOSE, LOOK_AGAIN_NANOS);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) Thread.currentThread().interrupt();
    if (reported.state() == Future.State.SUCCESS) return reported.resultNow();
    throw new IllegalStateException(
        "The close of system " + system.name() + " failed. [CLOSE-FAILED]",
        reported.exceptionNow());
  }

  private IllegalStateException hangs() {
    return new IllegalStateException(
        "System "
            + system.name()
            + " is being closed by thread "
            + closer
            + ", which has not come to its end long after the deadline. [CLOSE-HANGS]\n"
            + "  next:  look at that thread: was it a handler that was killed meanwhile?");
  }

  private boolean awaitEmpty(long deadline) {
    boolean interrupted = false;
    while (!top.isEmpty()) {
      if (!system.isThreaded() && !system.moveOn()) break;
      long leftNanos = deadline - System.nanoTime();
      if (leftNanos <= 0) break;
      if (system.isThreaded())
        LockSupport.parkNanos(ParkReason.WAITING_FOR_SYSTEM_TO_CLOSE, leftNanos);
      interrupted |= Thread.interrupted();
    }
    return interrupted;
  }

  /**
   * Lets what was to be logged be written, so that a crash just before the close is not kept from
   * whoever looks for it; but not for long, should the log hang.
   */
  private boolean awaitLog(long deadline) {
    CompletableFuture<Void> written = system.reporter.flush();
    if (!system.isThreaded()) system.runUntilIdle();
    long nanos = Math.min(LOG_PATIENCE_NANOS, deadline - System.nanoTime());
    try {
      written.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      return true;
    } catch (ExecutionException | TimeoutException e) {
      // Then some of it is lost.
    }
    return false;
  }
}
