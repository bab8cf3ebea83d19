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
  private static final long LOG_PATIENCE_NANOS = SECOND_NANOS / 2;
  private static final long KILL_PATIENCE_NANOS = 100_000_000;

  private static volatile @Nullable Auditor auditor;

  private final LocalActorSystem system;
  private final Children top;
  private final AtomicBoolean begun = new AtomicBoolean();
  private volatile @Nullable Thread closer;

  /** Set while it lets everybody handle what is queued. */
  private volatile boolean draining;

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
    return report != null;
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
    if (!begun.compareAndSet(false, true)) return awaitReport(nanos);
    try {
      return runFirst(nanos);
    } finally {
      // Whatever went wrong: nobody may wait for a report that never comes.
      CloseReport done = report;
      if (done == null) report = done = new CloseReport(deadline, 0, 0, List.of());
      reported.complete(done);
    }
  }

  private CloseReport runFirst(long nanos) {
    Auditor watching = auditor;
    if (watching != null) watching.closes(system);
    long began = System.nanoTime();
    long buriedBefore = countBuried();
    closer = Thread.currentThread();
    system.timers.close();
    boolean interrupted = stopActors(began, nanos);
    interrupted |= awaitLog(began + nanos);
    List<ActorCell<?>> left = system.leftActors();
    List<ActorSnapshot> stuck = left.stream().limit(STUCK_SHOWN).map(ActorCell::snapshot).toList();
    if (!left.isEmpty()) interrupted |= kill(left);
    system.stopThreads();
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
  private boolean kill(List<ActorCell<?>> left) {
    for (ActorCell<?> cell : left) cell.kill();
    return awaitEmpty(System.nanoTime() + KILL_PATIENCE_NANOS);
  }

  /** Another thread closes: waits for it, and a second longer than asked at most. */
  private CloseReport awaitReport(long nanos) {
    boolean interrupted = false;
    long patience = Math.max(nanos, system.callTimeoutNanos) + SECOND_NANOS;
    long deadline = System.nanoTime() + patience;
    CloseReport done;
    while ((done = report) == null) {
      if (System.nanoTime() - deadline > 0)
        throw new IllegalStateException(
            "System " + system.name() + " is being closed by another thread");
      LockSupport.parkNanos(ParkReason.WAITING_FOR_SYSTEM_TO_CLOSE, 1_000_000);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) Thread.currentThread().interrupt();
    return done;
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
