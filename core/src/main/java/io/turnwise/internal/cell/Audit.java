package io.turnwise.internal.cell;

import io.turnwise.internal.scheduler.Inventory;
import io.turnwise.internal.scheduler.ParkReason;
import io.turnwise.internal.scheduler.Scheduler;
import io.turnwise.internal.scheduler.Task;
import io.turnwise.observation.SystemSnapshot;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * What must hold in every system, looked at where nobody runs: while it is open and at rest, and
 * after its close. For tests. Each sentence is a defect of the runtime.
 *
 * <ul>
 *   <li>No actor is both idle and holding messages.
 *   <li>Each is in at most one queue; and in one, if it is to run.
 *   <li>Credits are within their bounds.
 *   <li>Every fiber is owned once: by a turn in the middle, or by the worker that keeps it.
 *   <li>After the close nobody lives, and none of those that lived before has kept a message or a
 *       turn.
 *   <li>As many messages were handled, failed or became dead letters as were accepted. Counted
 *       where assertions are enabled, as in tests.
 *   <li>No timer is left behind then, and no fiber that nobody uses.
 * </ul>
 */
public final class Audit {
  /** How long it may take until what is seen on threads is said to be so. */
  private static final long PATIENCE_NANOS = 500_000_000L;

  /** How long threads may take to end. */
  private static final long PATIENCE_AT_END_NANOS = 5_000_000_000L;

  private final LocalActorSystem system;

  /** Those that lived when it was last looked at: known also when they have ended. */
  private List<ActorCell<?>> cells = List.of();

  public Audit(LocalActorSystem system) {
    this.system = system;
  }

  /**
   * While it is open. Where it has threads and somebody runs, nothing is found.
   *
   * @param directed what lies with a director instead of in a worker's queues
   */
  public List<String> lookWhileOpen(Iterable<? extends Task> directed) {
    cells = system.leftActors();
    return persisting(() -> atRest() ? lookAtRest(directed) : List.of(), PATIENCE_NANOS);
  }

  private boolean atRest() {
    return !system.isThreaded() || system.isStill();
  }

  /** Threads may begin to run while somebody looks: what is not there any more was no defect. */
  private List<String> persisting(Supplier<List<String>> look, long patience) {
    if (!system.isThreaded()) return look.get();
    List<String> defects = List.of();
    long deadline = System.nanoTime() + patience;
    do {
      try {
        defects = look.get();
        if (defects.isEmpty()) return defects;
      } catch (ConcurrentModificationException moved) {
        // Somebody runs.
      }
      LockSupport.parkNanos(ParkReason.WAITING_FOR_SYSTEM_TO_CLOSE, 1_000_000);
    } while (System.nanoTime() - deadline < 0);
    return defects;
  }

  private List<String> lookAtRest(Iterable<? extends Task> directed) {
    var inventory = new Inventory();
    for (Scheduler scheduler : system.schedulers()) inventory.of(scheduler);
    for (Task task : directed) inventory.queued(task, "the director's hands");
    List<String> defects = new ArrayList<>();
    for (ActorCell<?> cell : cells) {
      boolean idle = cell.isIdle();
      inventory.task(cell, idle, cell.isClosed());
      long queued = cell.countQueued();
      if (idle && queued > 0 && !cell.holdsBack())
        defects.add("%s rests although %d messages wait for it.".formatted(cell, queued));
    }
    defects.addAll(inventory.defects());
    return defects;
  }

  /** After a close that was complete. */
  public List<String> lookAfterClose() {
    if (!system.isThreaded()) system.ticker.beatOnce(); // what was cancelled is gone then
    return persisting(this::lookAtEnd, PATIENCE_AT_END_NANOS);
  }

  private List<String> lookAtEnd() {
    List<String> defects = new ArrayList<>();
    for (ActorCell<?> cell : cells) {
      if (!cell.isClosed()) defects.add(cell + " has not ended with its system.");
      long kept = cell.countKept();
      if (kept > 0) defects.add("%s has ended and kept %d messages.".formatted(cell, kept));
      if (cell.suspendedFiber() != null)
        defects.add(cell + " has ended and is in the middle of a turn.");
    }
    SystemSnapshot seen = system.snapshot();
    if (seen.actorsLive() != 0) defects.add(seen.actorsLive() + " actors live after the close.");
    long accounted = seen.messagesHandled() + seen.messagesFailed() + seen.deadLettersTotal();
    if (countsMessages() && accounted != system.accepted.get())
      defects.add(
          "%d messages were sent and %d handled, failed or dead letters."
              .formatted(system.accepted.get(), accounted));
    long timers = system.actorTimers();
    if (timers != 0) defects.add(timers + " timers of actors are left.");
    long pending = system.timers().metrics().pending();
    if (pending != 0) defects.add(pending + " timers of the system are left.");
    for (Scheduler scheduler : system.schedulers()) {
      int fibers = Inventory.freeFibers(scheduler);
      if (fibers > 0) defects.add("%s keeps %d fibers.".formatted(scheduler.name(), fibers));
    }
    return defects;
  }

  /** Where assertions are enabled; and a director counts by itself. */
  @SuppressWarnings("AssertWithSideEffects")
  private boolean countsMessages() {
    boolean enabled = false;
    assert enabled = true;
    return enabled && system.turnWitness == null;
  }
}
