package io.turnwise.internal.scheduler;

import java.util.Objects;

/** Breaks what the scheduler keeps of a task, and mends it. */
public final class BrokenTasks {
  private BrokenTasks() {}

  /** The actor is idle, and in a line all the same. */
  public static Runnable queueIdle(Object actor) {
    ReadyLine line = lineOf((Task) actor);
    line.push((Task) actor);
    return line::pop;
  }

  /** It is to run, and nobody knows. */
  public static Runnable loseFiber(Object actor) {
    Task task = (Task) actor;
    Fiber fiber = Objects.requireNonNull(task.suspended, "it is not in the middle of a turn");
    task.suspended = null;
    return () -> task.suspended = fiber;
  }

  /** It is in two places of a line. */
  public static Runnable queueTwice(Object actor) {
    ReadyLine line = lineOf((Task) actor);
    line.push((Task) actor);
    line.push((Task) actor);
    return () -> {
      line.pop();
      line.pop();
    };
  }

  public static Runnable raiseCredit(Object actor) {
    Task task = (Task) actor;
    int before = task.credit;
    task.credit = Integer.MAX_VALUE - 1;
    return () -> task.credit = before;
  }

  public static Runnable lowerCredit(Object actor) {
    Task task = (Task) actor;
    int before = task.credit;
    task.credit = Integer.MIN_VALUE;
    return () -> task.credit = before;
  }

  /** The fiber that holds the turn of one is said to hold one of the other as well. */
  public static Runnable lendFiberTwice(Object inTheMiddle, Object idle) {
    Task other = (Task) idle;
    Fiber fiber = ((Task) inTheMiddle).suspended;
    other.suspended = Objects.requireNonNull(fiber, "it is not in the middle of a turn");
    return () -> other.suspended = null;
  }

  private static ReadyLine lineOf(Task task) {
    return ((Scheduler) task.runner()).queue(0).line;
  }
}
