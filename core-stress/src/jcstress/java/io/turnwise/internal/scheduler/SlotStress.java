package io.turnwise.internal.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The wake-up slot of a worker, between its owner and a thief. */
public class SlotStress {
  private static final MethodHandle STEAL_FROM;

  static {
    try {
      STEAL_FROM =
          MethodHandles.privateLookupIn(RunQueue.class, MethodHandles.lookup())
              .findVirtual(
                  RunQueue.class, "stealFrom", MethodType.methodType(Task.class, RunQueue.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Workers without threads; a few for all states, because each is large. */
  private static final Scheduler SCHEDULER =
      new Scheduler("stress", 2, 2, new Tick(System::nanoTime), false, () -> {}, _ -> {});

  private SlotStress() {}

  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "Owner or thief has the task.")
  @Outcome(expect = FORBIDDEN, desc = "Both have it, or nobody.")
  @State
  public static class PickMeetsThief {
    private final RunQueue owner = new RunQueue(SCHEDULER, 0, false);
    private final RunQueue thief = new RunQueue(SCHEDULER, 1, false);

    public PickMeetsThief() {
      owner.admit(new StressTask(1), false);
      owner.overdue = true;
    }

    @Actor
    public void owner(II_Result r) {
      r.r1 = StressTask.number(owner.pick());
    }

    @Actor
    public void thief(II_Result r) {
      r.r2 = StressTask.number(steal(thief, owner));
    }
  }

  private static @Nullable Task steal(RunQueue thief, RunQueue victim) {
    try {
      return (Task) STEAL_FROM.invokeExact(thief, victim);
    } catch (Throwable e) {
      throw new AssertionError("stealing never throws", e);
    }
  }

  /** The slot with one step weakened: emptied by a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Doubled: without the compare-and-set, PickMeetsThief fails.")
  @State
  public static class WeakPickMeetsThief {
    private volatile @Nullable Task slot = new StressTask(1);

    private int take() {
      Task task = slot;
      slot = null; // weakened
      return StressTask.number(task);
    }

    @Actor
    public void owner(II_Result r) {
      r.r1 = take();
    }

    @Actor
    public void thief(II_Result r) {
      r.r2 = take();
    }
  }
}
