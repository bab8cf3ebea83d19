package io.turnwise.internal.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.turnwise.stress.NotShown;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The ready ring of a worker, between its owner and thieves. Tasks are shown as digits. */
public class ReadyRingStress {
  private ReadyRingStress() {}

  private static int drain(ReadyRing ring) {
    int digits = 0;
    Task task;
    while ((task = ring.pop()) != null) digits = digits * 10 + StressTask.number(task);
    return digits;
  }

  @JCStressTest
  @Outcome(id = "12, 0", expect = ACCEPTABLE, desc = "The owner was faster twice.")
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = ACCEPTABLE,
      desc = "Each has one.")
  @Outcome(expect = FORBIDDEN, desc = "A task is in two hands, or lost.")
  @State
  public static class PopMeetsSteal {
    private final ReadyRing ring = new ReadyRing(4);
    private final ReadyRing thief = new ReadyRing(4);

    public PopMeetsSteal() {
      ring.push(new StressTask(1));
      ring.push(new StressTask(2));
    }

    @Actor
    public void owner(II_Result r) {
      r.r1 = drain(ring);
    }

    @Actor
    public void thief(II_Result r) {
      ring.stealInto(thief);
      r.r2 = drain(thief);
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 2, 3", "1, 0, 23", "1, 23, 0", "2, 1, 3"},
      expect = ACCEPTABLE,
      desc = "Each task is in one hand.")
  @Outcome(
      expect = FORBIDDEN,
      desc = "The thief has what it read before the slot was filled again.")
  @State
  public static class RefillMeetsSteal {
    private final ReadyRing ring = new ReadyRing(2);
    private final ReadyRing thief = new ReadyRing(2);
    private final Task third = new StressTask(3);

    public RefillMeetsSteal() {
      ring.push(new StressTask(1));
      ring.push(new StressTask(2));
    }

    @Actor
    public void owner(III_Result r) {
      r.r1 = StressTask.number(ring.pop());
      ring.pushQuietly(third);
    }

    @Actor
    public void thief(III_Result r) {
      ring.stealInto(thief);
      r.r2 = drain(thief);
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = drain(ring);
    }
  }

  @JCStressTest
  @Outcome(
      id = "0, 7",
      expect = ACCEPTABLE,
      desc = "The thief came first; the owner has its own writes.")
  @Outcome(
      id = "7, 0",
      expect = ACCEPTABLE,
      desc = "Whoever steals a task sees what was written into it.")
  @Outcome(expect = FORBIDDEN, desc = "The task came without what was written into it.")
  @NotShown(NotShown.STORES_IN_ORDER)
  @State
  public static class WritesTravelWithTheTask {
    private final ReadyRing ring = new ReadyRing(2);
    private final ReadyRing thief = new ReadyRing(2);
    private final StressTask task = new StressTask(9);

    @Actor
    public void owner() {
      task.number = 7;
      ring.pushQuietly(task); // the weaker of the two ways in
    }

    @Actor
    public void thief(II_Result r) {
      ring.stealInto(thief);
      r.r1 = drain(thief);
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = drain(ring);
    }
  }

  /** The ring with one step weakened: the head is moved by a look and a write. */
  private static final class WeakRing {
    private final int[] slots = {1, 2};
    private volatile int head;

    int take() {
      int h = head;
      if (h == slots.length) return 0;
      int task = slots[h];
      head = h + 1; // weakened
      return task;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Doubled: without the compare-and-set, PopMeetsSteal fails.")
  @State
  public static class WeakPopMeetsSteal {
    private final WeakRing ring = new WeakRing();

    @Actor
    public void owner(II_Result r) {
      r.r1 = ring.take();
    }

    @Actor
    public void thief(II_Result r) {
      r.r2 = ring.take();
    }
  }

  /** The ring with two steps exchanged: the thief moves the head, and copies afterwards. */
  @JCStressTest
  @Outcome(
      id = {"1, 2, 3", "2, 1, 3"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Filled again: without the order of the steps, RefillMeetsSteal fails.")
  @State
  public static class WeakRefillMeetsSteal {
    private final AtomicIntegerArray slots = new AtomicIntegerArray(new int[] {1, 2});
    private final AtomicInteger head = new AtomicInteger();

    private int take() {
      int at = head.getAndIncrement(); // weakened
      return slots.get(at & 1);
    }

    @Actor
    public void owner(III_Result r) {
      r.r1 = take();
      if (head.get() == 2) { // a thief has the other: both slots are free
        slots.set(0, 3);
        slots.set(1, 3);
        r.r3 = 3;
      }
    }

    @Actor
    public void thief(III_Result r) {
      r.r2 = take();
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = 3;
    }
  }
}
