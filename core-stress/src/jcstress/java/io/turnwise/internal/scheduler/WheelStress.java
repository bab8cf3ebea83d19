package io.turnwise.internal.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * The wheel of a worker, between its owner, a thief, and who wants one task out of it. Tasks are
 * shown as digits.
 */
public class WheelStress {
  private WheelStress() {}

  private static int drain(Wheel wheel) {
    int digits = 0;
    Task task;
    while ((task = wheel.poll()) != null) digits = digits * 10 + StressTask.number(task);
    return digits;
  }

  @JCStressTest
  @Outcome(
      id = {"1, 2, 0", "2, 1, 0"},
      expect = ACCEPTABLE,
      desc = "Each has one.")
  @Outcome(expect = FORBIDDEN, desc = "A task is in two hands, or lost.")
  @State
  public static class PollMeetsSteal {
    private final Wheel wheel = new Wheel(new Wheels());
    private final Wheel thief = new Wheel(new Wheels());

    public PollMeetsSteal() {
      wheel.add(new StressTask(1), 0);
      wheel.add(new StressTask(2), 0);
    }

    @Actor
    public void owner(III_Result r) {
      r.r1 = StressTask.number(wheel.poll());
    }

    @Actor
    public void thief(III_Result r) {
      wheel.stealInto(thief);
      r.r2 = drain(thief);
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = drain(wheel);
    }
  }

  /** A worker that is being removed empties its wheel, and so does the ticking thread. */
  @JCStressTest
  @Outcome(
      id = {"1, 2, 0", "2, 1, 0"},
      expect = ACCEPTABLE,
      desc = "Each has one.")
  @Outcome(expect = FORBIDDEN, desc = "A task is in two hands, lost, or passed over.")
  @State
  public static class PollMeetsPoll {
    private final Wheel wheel = new Wheel(new Wheels());

    public PollMeetsPoll() {
      wheel.poll(); // not where a round begins
      wheel.add(new StressTask(0), wheel.position() + Wheel.SEGMENTS - 2);
      wheel.poll();
      wheel.add(new StressTask(1), wheel.position() + Wheel.SEGMENTS);
      wheel.add(new StressTask(2), wheel.position() + Wheel.SEGMENTS);
    }

    @Actor
    public void owner(III_Result r) {
      r.r1 = StressTask.number(wheel.poll());
    }

    @Actor
    public void ticking(III_Result r) {
      r.r2 = StressTask.number(wheel.poll());
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = drain(wheel);
    }
  }

  @JCStressTest
  @Outcome(id = "1, 0, 2", expect = ACCEPTABLE, desc = "The owner was faster.")
  @Outcome(id = "2, 1, 0", expect = ACCEPTABLE, desc = "It was taken out; the owner has the next.")
  @Outcome(expect = FORBIDDEN, desc = "A task is in two hands, or lost.")
  @State
  public static class PollMeetsRemove {
    private final Wheel wheel = new Wheel(new Wheels());
    private final Task wanted = new StressTask(1);

    public PollMeetsRemove() {
      wheel.add(wanted, 0);
      wheel.add(new StressTask(2), 0);
    }

    @Actor
    public void owner(III_Result r) {
      r.r1 = StressTask.number(wheel.poll());
    }

    @Actor
    public void remove(III_Result r) {
      r.r2 = wheel.remove(wanted) ? 1 : 0;
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = drain(wheel);
    }
  }

  /** A segment of the wheel without its lock. */
  private static final class WeakSegment {
    private volatile @Nullable StressTask first;

    WeakSegment() {
      var one = new StressTask(1);
      one.queueNext = new StressTask(2);
      first = one;
    }

    int poll() {
      StressTask task = first;
      if (task == null) return 0;
      first = (StressTask) task.queueNext; // weakened
      return task.number;
    }

    int remove(int wanted) {
      StressTask task = first;
      if (task == null || task.number != wanted) return 0;
      first = (StressTask) task.queueNext; // weakened
      return 1;
    }
  }

  /** A wheel that looks, begins its next round, and looks again, each by itself. */
  private static final class WeakRound {
    private static final int DUE = 1;

    private volatile int round;

    int poll() {
      if (round == DUE) return 1;
      round = round + 1; // weakened: somebody else may have begun it meanwhile
      return round == DUE ? 1 : 0;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 0, 0", "0, 1, 0", "1, 1, 0"},
      expect = ACCEPTABLE,
      desc = "As it should be: somebody comes to the round in which the task is due.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Passed over: without one lock for all of it, PollMeetsPoll fails.")
  @State
  public static class WeakPollMeetsPoll {
    private final WeakRound wheel = new WeakRound();

    @Actor
    public void owner(III_Result r) {
      r.r1 = wheel.poll();
    }

    @Actor
    public void ticking(III_Result r) {
      r.r2 = wheel.poll();
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = 0;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 2, 0", "2, 1, 0"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "In two hands: without the lock, PollMeetsSteal fails.")
  @State
  public static class WeakPollMeetsSteal {
    private final WeakSegment segment = new WeakSegment();

    @Actor
    public void owner(III_Result r) {
      r.r1 = segment.poll();
    }

    @Actor
    public void thief(III_Result r) {
      r.r2 = segment.poll();
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = segment.poll();
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 0, 2", "2, 1, 0"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "In two hands: without the lock, PollMeetsRemove fails.")
  @State
  public static class WeakPollMeetsRemove {
    private final WeakSegment segment = new WeakSegment();

    @Actor
    public void owner(III_Result r) {
      r.r1 = segment.poll();
    }

    @Actor
    public void remove(III_Result r) {
      r.r2 = segment.remove(1);
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = segment.poll();
    }
  }
}
