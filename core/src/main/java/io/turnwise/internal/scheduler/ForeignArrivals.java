package io.turnwise.internal.scheduler;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How virtual threads that handlers started come to the workers of one scheduler. */
final class ForeignArrivals {
  private final Scheduler scheduler;

  /** Of threads that none of our handlers started, but whose maker was one. */
  private final ForeignThreads nobodys;

  private final ForeignOwners owners;

  ForeignArrivals(Scheduler scheduler) {
    this.scheduler = scheduler;
    this.nobodys = scheduler.nobodys;
    this.owners = scheduler.foreignOwners;
  }

  /**
   * A virtual thread that a handler started wants to run, for the first time or again. On any
   * thread, like {@link Fiber#execute}.
   */
  void run(Runnable thread) {
    ForeignTask task;
    try {
      StackProbe.forSend();
      Worker here = scheduler.workerUnderThisThread();
      ForeignTask before = here == null ? null : here.foreign.inHand();
      if (here != null && before != null && before.isOf(thread)) {
        // It waits for nothing: the JDK has just unmounted it, and calls from its carrier.
        here.foreign.goOnLater(before, thread);
        return;
      }
      task = nextSlice(thread, here, before);
    } catch (StackOverflowError e) { // it must run all the same
      task = new ForeignTask(thread, scheduler);
    }
    scheduler.wakeSafely(task);
  }

  /** Of a thread that starts or wakes: it takes over what others of the same actor owe. */
  private ForeignTask nextSlice(
      Runnable thread, @Nullable Worker here, @Nullable ForeignTask wakes) {
    ForeignThreads owner = owners.of(thread, starter);
    var task = new ForeignTask(thread, scheduler, owner);
    boolean takesOver = false;
    if (here != null && wakes != null && wakes.threads == owner) {
      takesOver = true;
      here.foreign.passOnDebt(wakes);
    }
    int owed = owner.takeOwed(scheduler.tick.now());
    if (owed == 0) return task;
    Worker home =
        here != null && here.scheduler == scheduler && here.index < scheduler.workerCount()
            ? here
            : scheduler.worker(0);
    task.home = (short) home.index;
    task.refillAt = home.queue.wheel.position() + Wheel.SEGMENTS;
    task.unpaid = owed;
    // One that starts another is often about to end, or to wait for it.
    task.credit = task.quantum() / Math.max(1, task.sharers() - (takesOver ? 1 : 0)) - owed;
    return task;
  }

  /** A field: to make one of these for the first time takes more stack than there may be. */
  private final Supplier<ForeignThreads> starter = this::starter;

  /** Whom the code that runs here works for. */
  private ForeignThreads starter() {
    Fiber here = Fiber.current();
    if (here != null) {
      Task task = here.task;
      return task == null ? nobodys : task.account().threadsOf(task);
    }
    Worker under = scheduler.workerUnderThisThread();
    ForeignTask running = under == null ? null : under.foreign.inHand();
    return running == null ? nobodys : running.threads;
  }
}
