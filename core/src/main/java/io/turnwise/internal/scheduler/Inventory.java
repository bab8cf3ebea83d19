package io.turnwise.internal.scheduler;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which tasks lie in which queues, and which fibers are whose: counted where nobody runs, to see
 * that each is there once. For tests; what is found while somebody runs after all means nothing.
 */
public final class Inventory {
  private final Map<Task, String> places = new IdentityHashMap<>();
  private final Map<Fiber, String> owners = new IdentityHashMap<>();
  private final List<String> defects = new ArrayList<>();

  /** All queues of a scheduler, and the fibers that nobody uses. */
  public void of(Scheduler scheduler) {
    String name = scheduler.name();
    queue(scheduler.injector, "the injector of " + name);
    for (Share share : scheduler.shares()) queue(share.waiting(), "a share of " + name);
    for (int i = 0; i < scheduler.workerCount(); i++) {
      Worker worker = scheduler.worker(i);
      String own = " of worker " + i + " of " + name;
      worker.queue.eachQueued((task, place) -> queued(task, place + own));
      queue(worker.queue.inbox, "the inbox" + own);
      Task handed = worker.handed;
      if (handed != null) queued(handed, "the hand" + own);
      worker.eachFreeFiber(fiber -> free(fiber, "the free fibers" + own));
    }
    busy(scheduler);
  }

  /** Those in the wheels, and what came out of one. */
  private void busy(Scheduler scheduler) {
    int[] counts = new int[Share.MOST];
    for (int i = 0; i < scheduler.workerCount(); i++) scheduler.queue(i).countBusy(counts);
    for (Share share : scheduler.shares()) {
      int said = scheduler.wheels.busy(share);
      if (said != counts[share.index])
        defects.add(
            "Of share %d of %s %d tasks are said to be busy, and %d are."
                .formatted(share.index, scheduler.name(), said, counts[share.index]));
    }
  }

  private void queue(TaskQueue queue, String place) {
    for (Task task = queue.first(); task != null && !isIn(task, place); task = task.queueNext)
      queued(task, place);
  }

  /** A list that leads back into itself has no end. */
  private boolean isIn(Task task, String place) {
    boolean again = place.equals(places.get(task));
    if (again) defects.add(task + " is in " + place + " twice.");
    return again;
  }

  /** A task lies in some queue. */
  public void queued(Task task, String place) {
    String before = places.put(task, place);
    if (before != null) defects.add(task + " is in " + before + " and in " + place + ".");
  }

  private void free(Fiber fiber, String place) {
    owned(fiber, place);
    if (fiber.task != null)
      defects.add(nameOf(fiber) + " is in " + place + ", and has a turn of " + fiber.task + ".");
  }

  private void owned(Fiber fiber, String owner) {
    String before = owners.put(fiber, owner);
    if (before != null)
      defects.add(nameOf(fiber) + " belongs to " + before + " and to " + owner + ".");
  }

  private static String nameOf(Fiber fiber) {
    return "Fiber " + fiber.thread().getName();
  }

  /**
   * One of the tasks there are, after all queues.
   *
   * @param idle nobody has made it runnable
   * @param ended it is never run again
   */
  public void task(Task task, boolean idle, boolean ended) {
    String place = places.get(task);
    Fiber fiber = task.suspended;
    if (fiber != null) {
      owned(fiber, task.toString());
      if (fiber.task != task)
        defects.add(nameOf(fiber) + " is with " + task + ", and has a turn of " + fiber.task + ".");
    }
    if (idle && place != null) defects.add(task + " is idle and in " + place + ".");
    boolean lost = !idle && !ended && place == null && fiber == null;
    // Other runners have queues of their own.
    if (lost && task.runner() instanceof Scheduler)
      defects.add(task + " is to run and in no queue.");
    long most = RunQueue.mostCredit(task);
    if (task.credit != Integer.MAX_VALUE
        && (task.credit > most || task.credit < -RunQueue.MOST_DEBT_NANOS))
      defects.add(
          "%s has a credit of %,d ns; it may have from -%,d to %,d."
              .formatted(task, task.credit, RunQueue.MOST_DEBT_NANOS, most));
  }

  /** How many fibers a scheduler keeps that nobody uses. */
  public static int freeFibers(Scheduler scheduler) {
    int[] count = new int[1];
    for (int i = 0; i < scheduler.workerCount(); i++)
      scheduler
          .worker(i)
          .eachFreeFiber(
              fiber -> {
                if (fiber.task == null) count[0]++; // else code that could not be ended is on it
              });
    return count[0];
  }

  /** Each in a sentence. */
  public List<String> defects() {
    return defects;
  }
}
