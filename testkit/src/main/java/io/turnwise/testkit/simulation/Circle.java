package io.turnwise.testkit.simulation;

import io.turnwise.internal.cell.DirectedSystem;
import io.turnwise.internal.door.JdkDoor;
import io.turnwise.internal.door.LockSight;
import io.turnwise.internal.scheduler.Director;
import io.turnwise.internal.scheduler.ParkReason;
import io.turnwise.internal.scheduler.Task;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for whom, among threads that are in the middle of something: for an answer, for room in
 * a mailbox, for a monitor, or for a lock of {@code java.util.concurrent}.
 */
final class Circle {
  /**
   * @param thread who waits
   * @param what for what, such as "for the answer of /shop/cart"
   * @param on the thread that must go on first
   * @param sure whether no other could help
   * @param until when it stops waiting; {@link Long#MAX_VALUE}: never
   */
  record Link(Thread thread, String what, Thread on, boolean sure, long until) {}

  /** Those that have not gone on since they began to wait. */
  private final Map<Thread, Task> waiting;

  private final DirectedSystem system;

  /** Made when it is needed: a look at every stack. */
  private @Nullable Map<Object, Thread> owners;

  Circle(Map<Thread, Task> waiting, DirectedSystem system) {
    this.waiting = waiting;
    this.system = system;
  }

  /** The circle that leads from this one back to it; empty: there is none. */
  List<Link> from(Thread begin) {
    Link link = linkFrom(begin);
    if (link == null) return List.of(); // most of them
    List<Link> path = new ArrayList<>();
    for (; link != null && path.size() <= waiting.size(); link = linkFrom(link.on())) {
      path.add(link);
      if (link.on() == begin) return path;
    }
    return List.of();
  }

  private @Nullable Link linkFrom(Thread thread) {
    Task task = waiting.get(thread);
    if (task == null) return null;
    DirectedSystem.Wait wait = system.waitOf(thread, task);
    if (wait != null) {
      Thread on = (Object) wait.on() instanceof Task other ? Director.threadOf(other) : null;
      return on == null ? null : new Link(thread, what(wait), on, wait.sure(), wait.until());
    }
    Thread.State state = thread.getState();
    if (state != Thread.State.BLOCKED && state != Thread.State.WAITING) return null;
    Object monitor = state == Thread.State.BLOCKED ? LockSight.wantedMonitor(thread) : null;
    Thread owner = monitor == null ? LockSight.ownerOfWanted(thread) : owners().get(monitor);
    if (owner == null) return null;
    String what =
        monitor == null
            ? "for a lock (" + nameOf(LockSupport.getBlocker(thread))
            : "for a monitor (" + nameOf(monitor);
    String all = what + ") that " + waiting.get(owner) + " has";
    return new Link(thread, all, owner, true, Long.MAX_VALUE);
  }

  private static String what(DirectedSystem.Wait wait) {
    return (wait.forRoom() ? "for room in the mailbox of " : "for the answer of ")
        + wait.on().path();
  }

  /** For what a thread waits, as far as the JDK tells. */
  String describe(Thread thread) {
    Task task = Objects.requireNonNull(waiting.get(thread));
    DirectedSystem.Wait wait = system.waitOf(thread, task);
    if (wait != null) return what(wait);
    Link link = linkFrom(thread);
    if (link != null) return link.what();
    Object blocker = LockSupport.getBlocker(thread);
    if (blocker instanceof ParkReason reason) return reason.name();
    if (blocker != null) return "for a " + nameOf(blocker);
    return JdkDoor.isAtMonitor(thread) ? "in a monitor" : "";
  }

  private static String nameOf(@Nullable Object lock) {
    return lock == null ? "" : Story.nameOf(lock.getClass());
  }

  private Map<Object, Thread> owners() {
    Map<Object, Thread> found = owners;
    if (found != null) return found;
    found = new IdentityHashMap<>();
    for (Thread thread : waiting.keySet())
      for (Object monitor : LockSight.ownedMonitors(thread)) {
        // One that waits in a monitor it has entered has given that up.
        if (monitor != LockSight.wantedMonitor(thread)) found.put(monitor, thread);
      }
    owners = found;
    return found;
  }
}
