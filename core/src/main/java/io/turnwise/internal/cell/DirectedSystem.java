package io.turnwise.internal.cell;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.SystemConfig;
import io.turnwise.internal.scheduler.Director;
import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.Task;
import io.turnwise.internal.scheduler.Tick;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.ActorState;
import java.util.List;
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

  /** Those that are idle and hold messages: none, or something is wrong with us. */
  public List<ActorSnapshot> restingWithMessages() {
    return system.leftActors().stream()
        .map(ActorCell::snapshot)
        .filter(seen -> seen.state() == ActorState.RECEIVING && seen.queued() > 0)
        .toList();
  }

  /**
   * What a suspended turn waits for.
   *
   * @param on the actor that must do something first
   * @param forRoom in its mailbox; else, for its answer
   */
  public record Wait(ActorRef<?> on, boolean forRoom) {}

  /** What a task waits for another actor to do, or null: it does not, or for something else. */
  public static @Nullable Wait waitOf(Task task) {
    Fiber fiber = task.suspendedFiber();
    if (fiber == null || !(task instanceof ActorCell<?> waiter)) return null;
    if (fiber.waitsFor() instanceof BlockingCall<?> call)
      return call.isOver() ? null : new Wait(call.callee(), false);
    return waiter.kind.system.waits.target(waiter) instanceof ActorCell<?> full
        ? new Wait(full, true)
        : null;
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

  /** How many timers of actors wait, once everybody has ended: none. */
  public long actorTimers() {
    system.ticker.beatOnce();
    return system.actorTimers();
  }

  /** When the next of these is due, by the clock; or {@link Long#MAX_VALUE}. */
  public long nextDeadline() {
    return system.ticker.nextDeadline();
  }
}
