package io.turnwise.internal.scheduler;

import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Decides what happens next in systems that run on one thread: which task, and where its turn is
 * stopped. Takes the place of the workers' own queues and of the machine's clock.
 */
public interface Director {
  /** A task wants to run. It is in the director's hands until that gives it to {@link #run}. */
  void ready(Task task);

  /**
   * What a fiber that has ended a slice runs next, without a switch to the director's thread and
   * back: a task of the same scheduler that needs no other thread. It is in the caller's hands
   * then. Null if the director's thread is to go on: it may find the same task there.
   */
  @Nullable Task nextHere(Runner scheduler);

  /** Whether the current thread is the director's own, or one that is mounted on it. */
  boolean isHere();

  /**
   * A thread of a turn may go on, says a thread outside: the JVM's own, where a monitor was given
   * up. From any thread but the director's.
   *
   * @param waiter the one that may go on; null if the JDK does not tell
   * @param goOn to be run on the director's thread, between two slices
   */
  void arrives(@Nullable Thread waiter, Runnable goOn);

  /** Whether the turn in hand is stopped at the poll it has come to. On its own thread. */
  boolean stopsHere(Task task);

  /** A thread of a turn sleeps for so long: then the action wakes it. On any of the threads. */
  Future<?> schedule(Runnable action, long delayNanos);

  /** Code that no turn waits for is to be run some time: a listener, what follows a future. */
  void errand(Runnable code);

  /** Runs everything that can run; time passes where all wait for it. Not inside a turn. */
  void runAll();

  /** Whose simulation the current thread's code belongs to, or null. */
  static @Nullable Director ofThisThread() {
    Fiber maker = Fiber.makerOf(Thread.currentThread());
    return maker == null ? null : maker.scheduler().director;
  }

  /** The thread that a task would go on with; null if it has none in the middle of something. */
  static @Nullable Thread threadOf(Task task) {
    if (task instanceof ForeignTask foreign) return foreign.thread();
    Fiber fiber = task.suspendedFiber();
    return fiber == null ? null : fiber.thread();
  }

  /** Whether a task is run by the workers of this scheduler. */
  static boolean runsOn(Task task, Runner scheduler) {
    return task.runner() == scheduler;
  }

  /** Runs one slice of a task that was ready, on this thread, until it ends or is suspended. */
  static void run(Task task) {
    if (task.runner() instanceof Scheduler scheduler) scheduler.runDirected(task);
    else throw new IllegalStateException(task + " is not run by workers");
  }
}
