package io.turnwise.internal.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.turnwise.internal.door.JdkDoor;
import io.turnwise.internal.door.LentThread;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** A fiber that is resumed while it is being suspended: how often its task is queued. */
public class FiberStress {
  static {
    JdkDoor.open();
  }

  private FiberStress() {}

  /** A fiber that came back from its mount with a task in the middle of a turn. */
  private static final class Suspending {
    private final Scheduler scheduler =
        new Scheduler("stress", 1, 1, new Tick(System::nanoTime), false, () -> {}, _ -> {});
    private final Worker worker = scheduler.worker(0);
    private final StressTask task = new StressTask(1);
    private final Fiber fiber = new Fiber(scheduler, worker);

    Suspending() {
      fiber.mount(worker); // finds nothing to do and comes back
      fiber.task = task;
      fiber.begin(task);
    }

    int timesQueued() {
      int times = 0;
      while (worker.queue.pick() != null) times++;
      return times;
    }
  }

  @JCStressTest
  @Outcome(
      id = "1",
      expect = ACCEPTABLE,
      desc =
          "Queued once, by the worker: it gave way, and a resume that comes as well adds nothing.")
  @Outcome(id = "2", expect = FORBIDDEN, desc = "The turn is in two hands.")
  @Outcome(expect = FORBIDDEN, desc = "The turn is suspended for ever.")
  @State
  public static class ResumeMeetsYield {
    private final Suspending scene = new Suspending();

    public ResumeMeetsYield() {
      scene.fiber.came = LentThread.Came.YIELDED;
    }

    @Actor
    public void resume() {
      scene.fiber.resume();
    }

    @Actor
    public void suspend() {
      scene.fiber.settleSuspended();
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = scene.timesQueued();
    }
  }

  @JCStressTest
  @Outcome(
      id = "1",
      expect = ACCEPTABLE,
      desc = "Queued once: by who resumes, or by the worker that finds it resumed.")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "The turn is suspended for ever.")
  @Outcome(expect = FORBIDDEN, desc = "The turn is in two hands.")
  @State
  public static class ResumeMeetsSuspend {
    private final Suspending scene = new Suspending();

    @Actor
    public void resume() {
      scene.fiber.resume();
    }

    @Actor
    public void suspend() {
      scene.fiber.settleSuspended();
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = scene.timesQueued();
    }
  }

  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "Of two that resume it, one queues it.")
  @Outcome(expect = FORBIDDEN, desc = "The turn is in two hands, or in nobody's.")
  @State
  public static class ResumeMeetsResume {
    private final Suspending scene = new Suspending();

    public ResumeMeetsResume() {
      scene.fiber.settleSuspended();
    }

    @Actor
    public void one() {
      scene.fiber.resume();
    }

    @Actor
    public void other() {
      scene.fiber.resume();
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = scene.timesQueued();
    }
  }

  @JCStressTest
  @Outcome(
      id = "1",
      expect = ACCEPTABLE,
      desc = "Queued once: by who resumes, or by who held it meanwhile and lets go.")
  @Outcome(id = "0", expect = FORBIDDEN, desc = "The resume was lost while somebody held it.")
  @Outcome(expect = FORBIDDEN, desc = "The turn is in two hands.")
  @State
  public static class RouseMeetsResume {
    private final Suspending scene = new Suspending();

    public RouseMeetsResume() {
      scene.fiber.settleSuspended();
    }

    @Actor
    public void cancel() {
      scene.fiber.rouseToCancel(scene.task, () -> false);
    }

    @Actor
    public void resume() {
      scene.fiber.resume();
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = scene.timesQueued();
    }
  }

  @JCStressTest
  @Outcome(
      id = "1, 0",
      expect = ACCEPTABLE,
      desc = "Taken away: the task is with who took it, and in no queue.")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "Resumed first: the task is queued, once.")
  @Outcome(id = "1, 1", expect = FORBIDDEN, desc = "The task is in two hands.")
  @Outcome(expect = FORBIDDEN, desc = "The task is in nobody's hands.")
  @State
  public static class AbandonMeetsResume {
    private final Suspending scene = new Suspending();

    public AbandonMeetsResume() {
      scene.fiber.enterHandler();
      scene.fiber.settleSuspended();
    }

    @Actor
    public void abandon(II_Result r) {
      r.r1 = scene.fiber.abandonSuspended(scene.task, () -> true) == null ? 0 : 1;
    }

    @Actor
    public void resume() {
      scene.fiber.resume();
    }

    @Arbiter
    public void rest(II_Result r) {
      Task next;
      while ((next = scene.worker.queue.pick()) != null) if (next == scene.task) r.r2++;
    }
  }

  /** The state with one step weakened: the worker suspends it by a look and a write. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      id = "0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Never queued: without the compare-and-set, ResumeMeetsSuspend fails.")
  @State
  public static class WeakResumeMeetsSuspend {
    private static final int RUNNING = 0;
    private static final int SUSPENDED = 1;
    private static final int RESUMED = 2;
    private static final int QUEUED = 3;
    private final AtomicInteger state = new AtomicInteger(RUNNING);
    private final AtomicInteger queued = new AtomicInteger();

    @Actor
    public void resume() {
      if (state.compareAndSet(RUNNING, RESUMED)) return;
      if (state.compareAndSet(SUSPENDED, QUEUED)) queued.incrementAndGet();
    }

    @Actor
    public void suspend() {
      if (state.get() == RUNNING) {
        state.set(SUSPENDED); // weakened
      } else {
        state.set(QUEUED);
        queued.incrementAndGet();
      }
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = queued.get();
    }
  }

  /** The worker lets it pass for one that waits before it queues it. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      id = "2",
      expect = ACCEPTABLE_INTERESTING,
      desc = "In two hands: if it is SUSPENDED for a moment, ResumeMeetsYield fails.")
  @State
  public static class WeakResumeMeetsYield {
    private static final int RUNNING = 0;
    private static final int SUSPENDED = 1;
    private static final int RESUMED = 2;
    private static final int QUEUED = 3;
    private final AtomicInteger state = new AtomicInteger(RUNNING);
    private final AtomicInteger queued = new AtomicInteger();

    @Actor
    public void resume() {
      if (state.compareAndSet(RUNNING, RESUMED)) return;
      if (state.compareAndSet(SUSPENDED, QUEUED)) queued.incrementAndGet();
    }

    @Actor
    public void suspend() {
      state.set(SUSPENDED); // weakened
      state.set(QUEUED);
      queued.incrementAndGet();
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = queued.get();
    }
  }

  private static final int HELD = 4;
  private static final int HELD_RESUMED = 5;

  /** A suspended turn: its state, and how often its task was queued. */
  private static class WeakTurn {
    static final int SUSPENDED = 1;
    static final int QUEUED = 3;
    final AtomicInteger state = new AtomicInteger(SUSPENDED);
    final AtomicInteger queued = new AtomicInteger();
  }

  /** The state with one step weakened: who resumes it queues it by a look and a write. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "In two hands: without the compare-and-set, ResumeMeetsResume fails.")
  @State
  public static class WeakResumeMeetsResume {
    private final WeakTurn turn = new WeakTurn();

    private void resume() {
      if (turn.state.get() != WeakTurn.SUSPENDED) return;
      turn.state.set(WeakTurn.QUEUED); // weakened
      turn.queued.incrementAndGet();
    }

    @Actor
    public void one() {
      resume();
    }

    @Actor
    public void other() {
      resume();
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = turn.queued.get();
    }
  }

  /** The state with one step weakened: who held it lets go by a look and a write. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      id = "0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "The resume is lost: without the compare-and-set, RouseMeetsResume fails.")
  @State
  public static class WeakRouseMeetsResume {
    private final WeakTurn turn = new WeakTurn();

    @Actor
    public void cancel() {
      if (!turn.state.compareAndSet(WeakTurn.SUSPENDED, HELD)) return;
      if (turn.state.get() == HELD) {
        turn.state.set(WeakTurn.SUSPENDED); // weakened
      } else {
        turn.state.set(WeakTurn.QUEUED);
        turn.queued.incrementAndGet();
      }
    }

    @Actor
    public void resume() {
      for (; ; ) {
        if (turn.state.compareAndSet(HELD, HELD_RESUMED)) return;
        if (turn.state.compareAndSet(WeakTurn.SUSPENDED, WeakTurn.QUEUED)) {
          turn.queued.incrementAndGet();
          return;
        }
      }
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = turn.queued.get();
    }
  }

  /** The state with one step weakened: the turn is taken by a look, and not held meanwhile. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      id = "1, 1",
      expect = ACCEPTABLE_INTERESTING,
      desc = "In two hands: without the compare-and-set, AbandonMeetsResume fails.")
  @State
  public static class WeakAbandonMeetsResume {
    private final WeakTurn turn = new WeakTurn();

    @Actor
    public void abandon(II_Result r) {
      if (turn.state.get() != WeakTurn.SUSPENDED) return;
      turn.state.set(HELD); // weakened
      r.r1 = 1;
    }

    @Actor
    public void resume(II_Result r) {
      r.r2 = turn.state.compareAndSet(WeakTurn.SUSPENDED, WeakTurn.QUEUED) ? 1 : 0;
    }
  }
}
