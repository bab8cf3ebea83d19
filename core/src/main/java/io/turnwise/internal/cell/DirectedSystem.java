package io.turnwise.internal.cell;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.SystemConfig;
import io.turnwise.internal.scheduler.Director;
import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.Task;
import io.turnwise.internal.scheduler.Tick;
import org.jspecify.annotations.Nullable;

/** A system that runs on one thread, in the order that a director wants. */
public final class DirectedSystem {
  private final LocalActorSystem system;
  private final Director director;

  private DirectedSystem(LocalActorSystem system, Director director) {
    this.system = system;
    this.director = director;
  }

  public static DirectedSystem open(
      String name, SystemConfig config, Tick.Source clock, Director director, TurnWitness witness) {
    return new DirectedSystem(
        LocalActorSystem.open(name, config, clock, director, witness), director);
  }

  public ActorSystem system() {
    return system;
  }

  /** For looks at what must hold, between two slices. */
  public Audit audit() {
    return new Audit(system);
  }

  /**
   * What a suspended turn waits for, or a thread that one has started.
   *
   * @param on the actor that must do something first
   * @param forRoom in its mailbox; else, for its answer
   * @param sure whether nobody else can: an answer that was deferred may be given by anybody
   * @param until when it ends by itself; {@link Long#MAX_VALUE}: never
   */
  public record Wait(ActorRef<?> on, boolean forRoom, boolean sure, long until) {
    private static Wait forRoom(ActorRef<?> in) {
      return new Wait(in, true, true, Long.MAX_VALUE);
    }

    private static @Nullable Wait forAnswer(PendingCall<?> call) {
      ActorCell<?> callee = call.callee();
      return call.isOver()
          ? null
          : new Wait(callee, false, !callee.hasDeferred(call), call.deadline());
    }
  }

  /**
   * What a thread waits for another actor to do, or null: it does not, or for something else.
   *
   * @param task whose slice it was when it began to wait
   */
  public @Nullable Wait waitOf(Thread thread, Task task) {
    if (!(task instanceof ActorCell<?> waiter))
      return switch (system.plainWait(thread)) {
        case PendingCall<?> call -> Wait.forAnswer(call);
        case ActorCell<?> full -> Wait.forRoom(full);
        case null, default -> null;
      };
    Fiber fiber = task.suspendedFiber();
    Fiber.Wait waitsFor = fiber == null ? null : fiber.waitsFor();
    if (waitsFor == null) return null; // not for one of ours
    if (waitsFor instanceof BlockingCall<?> call) return Wait.forAnswer(call);
    return system.waits.target(waiter) instanceof ActorCell<?> full ? Wait.forRoom(full) : null;
  }

  /** Gives the director what came from threads that are no workers. */
  public void takeIn() {
    system.takeIn(director);
  }

  /** Runs strangers' code on a thread of its own, whose slices the director is given. */
  public void start(Runnable code) {
    system.startDirected(code, director);
  }

  /** Whether there is anything to take in. */
  public boolean hasArrivals() {
    return system.hasArrivals();
  }

  /** Whether there are deadlines of which {@link #nextDeadline} does not know before a beat. */
  public boolean hasNews() {
    return system.ticker.hasNews();
  }

  /** Lets everything happen whose time has come by the clock. */
  public void beat() {
    system.ticker.beatOnce();
  }

  /**
   * Whether the next slice of a task is nobody's to choose: it is the runtime's own, or has had its
   * message and only goes idle.
   */
  public static boolean isChore(Task task) {
    return task instanceof ActorCell<?> cell && (cell.kind.internal || cell.isDone());
  }

  /** Whether all that is left for a task that is ready is to go idle. */
  public static boolean isIdling(Task task) {
    return task instanceof ActorCell<?> cell && !cell.kind.internal && cell.isDone();
  }

  /** When the next of these is due, by the clock; or {@link Long#MAX_VALUE}. */
  public long nextDeadline() {
    return system.ticker.nextDeadline();
  }
}
