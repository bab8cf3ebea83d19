package io.turnwise.internal.scheduler;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Threads that take over what waits behind handlers that cannot be stopped. They are made when they
 * are first needed, and rest in between: never fewer.
 */
final class Spares implements Iterable<Worker> {
  private static final int MOST = 64;

  private final Scheduler scheduler;
  private final Consumer<String> report;
  private final List<Worker> all = new CopyOnWriteArrayList<>();
  private final AtomicLong relieved = new AtomicLong();

  Spares(Scheduler scheduler, Consumer<String> report) {
    this.scheduler = scheduler;
    this.report = report;
  }

  @Override
  public Iterator<Worker> iterator() {
    return all.iterator();
  }

  /** How often one of them took over. */
  long relieved() {
    return relieved.get();
  }

  /**
   * The ticking thread: a worker is in code that does not poll, tasks wait behind it, and nobody is
   * free to take them. A spare thread does, until the worker comes back.
   */
  void relieve() {
    int needed = 0;
    int n = scheduler.workerCount();
    for (int i = 0; i < n; i++) {
      RunQueue queue = scheduler.queue(i);
      if (queue.stuck && (scheduler.idle.sleepers == 0 || queue.hasPinnedWaiting())) needed++;
    }
    for (Worker spare : all) if (spare.isDeputy() && !spare.queue.stuck) needed--;
    if (needed <= 0) return;
    Worker spare = resting();
    if (spare == null) {
      if (!saidNoneLeft) sayNoneLeft();
      saidNoneLeft = true;
      return;
    }
    saidNoneLeft = false;
    relieved.incrementAndGet();
    spare.deputise();
  }

  /** The ticking thread's own. */
  private boolean saidNoneLeft;

  private void sayNoneLeft() {
    report.accept(
        "All workers of dispatcher "
            + scheduler.name()
            + " and all its "
            + MOST
            + " spare threads are held by code that cannot be stopped. What waits there, kills included,"
            + " waits until one of them comes back. [NO-SPARE-LEFT]\n"
            + "  next:  use Backend.BLOCKING for actors that call native code; [WORKER-STUCK] says which");
  }

  private @Nullable Worker resting() {
    for (Worker spare : all) if (!spare.isDeputy()) return spare;
    if (all.size() >= MOST) return null;
    var spare = new Worker(scheduler, scheduler.mostWorkers() + all.size(), true);
    all.add(spare);
    scheduler.startThread(spare);
    return spare;
  }

  /**
   * The ticking thread: says so, if it has lasted. To take a stack stops its thread, and waits
   * until the machine runs that: not on the ticking thread.
   */
  void sayStuck(Worker stuck, Task task, Thread code) {
    Thread.ofPlatform()
        .daemon()
        .name("turnwise-" + scheduler.name() + "-report")
        .start(() -> sayStuck(stuck, task, code.getStackTrace()));
  }

  private void sayStuck(Worker stuck, Task task, StackTraceElement[] stack) {
    var text =
        new StringBuilder(scheduler.nameOf(stuck))
            .append(" of dispatcher ")
            .append(scheduler.name())
            .append(" is held by ")
            .append(task)
            .append(", whose code cannot be stopped where it is: it is native or a class")
            .append(" initialiser, or it was not woven. Spare threads in use: ")
            .append(all.stream().filter(Worker::isDeputy).count())
            .append(" of at most ")
            .append(MOST)
            .append(". [WORKER-STUCK]\n  next:  start with -javaagent:turnwise-agent.jar, so that")
            .append(" its loops are woven; if it calls native code, use Backend.BLOCKING for it");
    ShownStack.appendTo(text, List.of(stack));
    report.accept(text.toString());
  }

  /** Whether any worker is stuck. */
  boolean areNeeded() {
    int n = scheduler.workerCount();
    for (int i = 0; i < n; i++) if (scheduler.queue(i).stuck) return true;
    return false;
  }

  /** Whether something waits behind a worker that is stuck. */
  boolean isAnyOverdue() {
    int n = scheduler.workerCount();
    for (int i = 0; i < n; i++)
      if (scheduler.queue(i).stuck && scheduler.queue(i).overdue) return true;
    return false;
  }
}
