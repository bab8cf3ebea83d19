package io.turnwise.internal.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The ready line of a worker where it goes from one ring to the next. Tasks are digits. */
public class ReadyLineStress {
  private ReadyLineStress() {}

  private static int drain(ReadyLine line) {
    int digits = 0;
    Task task;
    while ((task = line.pop()) != null) digits = digits * 10 + StressTask.number(task);
    return digits;
  }

  @JCStressTest
  @Outcome(
      id = {"1, 2, 3", "1, 0, 23", "2, 1, 3"},
      expect = ACCEPTABLE,
      desc = "Each task is in one hand.")
  @Outcome(expect = FORBIDDEN, desc = "A task is in two hands, or lost.")
  @State
  public static class GrowthMeetsSteal {
    private final ReadyLine line = new ReadyLine(1, 2);
    private final ReadyLine thief = new ReadyLine(4, 4);
    private final Task second = new StressTask(2);
    private final Task third = new StressTask(3);

    public GrowthMeetsSteal() {
      line.push(new StressTask(1));
    }

    @Actor
    public void owner(III_Result r) {
      line.pushQuietly(second); // does not fit
      line.pushQuietly(third);
      r.r1 = StressTask.number(line.pop());
    }

    @Actor
    public void thief(III_Result r) {
      line.stealInto(thief);
      r.r2 = drain(thief);
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = drain(line);
    }
  }

  @JCStressTest
  @Outcome(
      id = {"12, 0, 3", "1, 2, 3", "2, 1, 3", "12, 3, 0"},
      expect = ACCEPTABLE,
      desc = "Each task is in one hand.")
  @Outcome(expect = FORBIDDEN, desc = "A task went into a ring that was let go of.")
  @State
  public static class ShrinkingMeetsSteal {
    private final ReadyLine line = new ReadyLine(1, 2);
    private final ReadyLine thief = new ReadyLine(4, 4);
    private final Task third = new StressTask(3);

    public ShrinkingMeetsSteal() {
      line.push(new StressTask(1));
      line.push(new StressTask(2));
    }

    @Actor
    public void owner(III_Result r) {
      r.r1 = drain(line);
      line.tidy(); // and so it is a short one again
      line.pushQuietly(third);
    }

    @Actor
    public void thief(III_Result r) {
      line.stealInto(thief);
      r.r2 = drain(thief);
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = drain(line);
    }
  }

  @JCStressTest
  @Outcome(
      id = {"-1, 1", "0, 1"},
      expect = ACCEPTABLE,
      desc = "The worker saw the work before it slept.")
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "The worker slept and was woken.")
  @Outcome(
      id = "-1, 0",
      expect = FORBIDDEN,
      desc = "The worker sleeps, and nobody wakes it for the work.")
  @State
  public static class GrowthMeetsSleeper {
    private final IdleWorkers idle = new IdleWorkers(1);
    private final ReadyLine line = new ReadyLine(1, 2);
    private final ReadyLine own = new ReadyLine(4, 4);
    private final Task second = new StressTask(2);

    public GrowthMeetsSleeper() {
      idle.beginSearch();
      line.push(new StressTask(1));
    }

    @Actor
    public void owner(II_Result r) {
      line.push(second); // fits only if the first is gone
      r.r1 = idle.claimSearcher();
    }

    @Actor
    public void sleeper(II_Result r) {
      line.stealInto(own); // one of the two
      idle.fallAsleep(0);
      idle.endSearch();
      r.r2 = line.isEmpty() ? 0 : 1;
    }
  }

  /** The line with one step weakened: a ring is linked by a release. */
  private static final class WeakLine {
    private static final VarHandle NEXT;

    static {
      try {
        NEXT = MethodHandles.lookup().findVarHandle(WeakLine.class, "next", int.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private volatile int next;

    void grow() {
      NEXT.setRelease(this, 1); // weakened
    }

    boolean isEmpty() {
      return next == 0;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"-1, 1", "0, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      id = "-1, 0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Stranded: without the volatile write of the link, GrowthMeetsSleeper fails.")
  @State
  public static class WeakGrowthMeetsSleeper {
    private final WeakLine line = new WeakLine();
    private final AtomicInteger sleepers = new AtomicInteger();

    @Actor
    public void owner(II_Result r) {
      line.grow();
      r.r1 = sleepers.get() - 1;
    }

    @Actor
    public void sleeper(II_Result r) {
      sleepers.incrementAndGet();
      r.r2 = line.isEmpty() ? 0 : 1;
    }
  }

  /** The line with one step weakened: the oldest ring gives by a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"1, 2, 0", "2, 1, 0", "1, 0, 2"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Doubled: without the compare-and-set, GrowthMeetsSteal fails.")
  @State
  public static class WeakGrowthMeetsSteal {
    private volatile int oldRing = 1;
    private final AtomicInteger newRing = new AtomicInteger();

    private int take() {
      int task = oldRing;
      if (task == 0) return newRing.getAndSet(0);
      oldRing = 0; // weakened
      return task;
    }

    @Actor
    public void owner(III_Result r) {
      newRing.set(2);
      r.r1 = take();
    }

    @Actor
    public void thief(III_Result r) {
      r.r2 = take();
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = take();
    }
  }

  /** The line with one step weakened: a thief, too, lets go of a ring that it found empty. */
  @JCStressTest
  @Outcome(
      id = {"1, 0, 3", "0, 1, 3", "1, 3, 0"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost: if others than the owner let go of a ring, ShrinkingMeetsSteal fails.")
  @State
  public static class WeakShrinkingMeetsSteal {
    private final AtomicInteger oldRing = new AtomicInteger(1);
    private final AtomicInteger newRing = new AtomicInteger();
    private volatile AtomicInteger first = oldRing;

    @Actor
    public void owner(III_Result r) {
      r.r1 = oldRing.getAndSet(0);
      first.set(3);
    }

    @Actor
    public void thief(III_Result r) {
      r.r2 = oldRing.getAndSet(0);
      if (oldRing.get() == 0) first = newRing; // weakened
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = first.get();
    }
  }
}
