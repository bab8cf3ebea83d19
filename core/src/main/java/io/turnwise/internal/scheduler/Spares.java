package io.turnwise.internal.scheduler;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Threads that take over what waits behind handlers that cannot be stopped. They are started when
 * they are first needed, and rest in between: never fewer.
 *
 * <p>The next one is made beforehand. A handler that waits for a monitor while no memory is left
 * cannot be unmounted and holds its worker; then who has the monitor, and who has the memory, may
 * be those that wait behind it.
 */
final class Spares {
  private static final int MOST = 64;

  private final Scheduler scheduler;
  private final Consumer<String> report;
  private final AtomicReferenceArray<Worker> all = new AtomicReferenceArray<>(MOST);

  /** How many have a thread. Written by the ticking thread, after they are in. */
  private volatile int count;

  /** The ticking thread's own: has no thread yet. */
  private @Nullable Worker next;

  private final AtomicLong relieved = new AtomicLong();

  Spares(Scheduler scheduler, Consumer<String> report) {
    this.scheduler = scheduler;
    this.report = report;
  }

  /** How many there are: they keep their places. Any thread. */
  int count() {
    return count;
  }

  Worker get(int place) {
    return Objects.requireNonNull(all.get(place));
  }

  /** Before the ticking thread begins, and by it. Where threads are wanted at all. */
  void prepareNext() {
    int place = count;
    if (next != null || place >= MOST) return;
    var spare = new Worker(scheduler, scheduler.mostWorkers() + place, true);
    scheduler.makeThread(spare);
    next = spare;
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
    try {
      relieveOne();
    } catch (OutOfMemoryError e) {
      // The next tick tries again; what else there is to do at this one must not wait for it.
    }
  }

  private void relieveOne() {
    int needed = 0;
    int n = scheduler.workerCount();
    for (int i = 0; i < n; i++) {
      RunQueue queue = scheduler.queue(i);
      if (queue.stuck && (scheduler.idle.sleepers == 0 || queue.hasPinnedWaiting())) needed++;
    }
    for (int i = 0; i < count; i++) if (get(i).isDeputy() && !get(i).queue.stuck) needed--;
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
    prepareNext();
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
    int now = count;
    for (int i = 0; i < now; i++) if (!get(i).isDeputy()) return get(i);
    if (now >= MOST) return null;
    prepareNext();
    Worker spare = Objects.requireNonNull(next);
    all.set(now, spare);
    count = now + 1; // before: who stops the scheduler must find it
    try {
      Objects.requireNonNull(spare.thread).start();
    } catch (Throwable noThread) { // it is still the next
      count = now;
      throw noThread;
    }
    next = null;
    return spare;
  }

  /**
   * The ticking thread: says so, if it has lasted. To take a stack stops its thread, and waits
   * until the machine runs that: not on the ticking thread.
   */
  void sayStuck(Worker stuck, Task task, Thread code) {
    try {
      Thread.ofPlatform()
          .daemon()
          .name("turnwise-" + scheduler.name() + "-report")
          .start(() -> sayStuck(stuck, task, code.getStackTrace()));
    } catch (OutOfMemoryError e) {
      // Not said: the rest of the tick is worth more.
    }
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
            .append(IntStream.range(0, count).filter(i -> get(i).isDeputy()).count())
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
