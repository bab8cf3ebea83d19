package io.turnwise.internal.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.turnwise.stress.NotShown;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Injector and inboxes. Numbers of tasks are shown as digits, in the order they came out. */
public class TaskQueueStress {
  private TaskQueueStress() {}

  private static int drain(TaskQueue queue) {
    int digits = 0;
    Task task;
    while ((task = queue.poll()) != null) digits = digits * 10 + StressTask.number(task);
    return digits;
  }

  @JCStressTest
  @Outcome(
      id = "1, 2",
      expect = ACCEPTABLE,
      desc = "The consumer has the last task; the new one waits.")
  @Outcome(
      id = "0, 12",
      expect = ACCEPTABLE,
      desc = "The consumer came between swap and link: both wait, in order.")
  @Outcome(expect = FORBIDDEN, desc = "A task is lost, doubled or overtaken.")
  @State
  public static class PushMeetsLastPoll {
    private final TaskQueue queue = new TaskQueue();
    private final Task second = new StressTask(2);

    public PushMeetsLastPoll() {
      queue.push(new StressTask(1));
    }

    @Actor
    public void push() {
      queue.push(second);
    }

    @Actor
    public void poll(II_Result r) {
      r.r1 = StressTask.number(queue.poll());
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = drain(queue);
    }
  }

  @JCStressTest
  @Outcome(
      id = {"12", "21"},
      expect = ACCEPTABLE,
      desc = "Both wait, in the order of their swaps.")
  @Outcome(expect = FORBIDDEN, desc = "A task is lost or doubled.")
  @State
  public static class PushMeetsPush {
    private final TaskQueue queue = new TaskQueue();
    private final Task first = new StressTask(1);
    private final Task second = new StressTask(2);

    @Actor
    public void pushFirst() {
      queue.push(first);
    }

    @Actor
    public void pushSecond() {
      queue.push(second);
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = drain(queue);
    }
  }

  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "The consumer came first.")
  @Outcome(
      id = "7",
      expect = ACCEPTABLE,
      desc = "Whoever gets a task sees what was written into it.")
  @Outcome(expect = FORBIDDEN, desc = "The task came without what was written into it.")
  @NotShown(NotShown.STORES_IN_ORDER)
  @State
  public static class WritesTravelWithTheTask {
    private final TaskQueue queue = new TaskQueue();
    private final StressTask task = new StressTask(9);

    @Actor
    public void push() {
      task.number = 7;
      queue.push(task);
    }

    @Actor
    public void poll(I_Result r) {
      r.r1 = StressTask.number(queue.poll());
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "One of two consumers has the claim and the task.")
  @Outcome(expect = FORBIDDEN, desc = "Both have it, or nobody although it was there.")
  @State
  public static class ClaimMeetsClaim {
    private final TaskQueue queue = new TaskQueue();

    public ClaimMeetsClaim() {
      queue.push(new StressTask(1));
    }

    @Actor
    public void one(II_Result r) {
      r.r1 = StressTask.number(queue.tryPoll());
    }

    @Actor
    public void other(II_Result r) {
      r.r2 = StressTask.number(queue.tryPoll());
    }
  }

  /** The queue with one step weakened: what should be one compare-and-set is a look and a write. */
  private static final class WeakQueue {
    private volatile @Nullable StressTask tail;
    private volatile @Nullable StressTask head;

    /** As it should be, but for the swap, which nobody contends here. */
    synchronized void push(StressTask task) {
      task.queueNext = null;
      StressTask before = tail;
      tail = task;
      if (before == null) head = task;
      else before.queueNext = task;
    }

    @Nullable StressTask poll() {
      StressTask first = head;
      if (first == null) return null;
      StressTask next = (StressTask) first.queueNext;
      if (next == null) {
        head = null;
        if (tail == first) { // weakened
          tail = null;
          return first;
        }
        head = first;
        next = (StressTask) first.queueNext;
        if (next == null) return null;
      }
      head = next;
      return first;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 2", "0, 12"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost: without the compare-and-set, PushMeetsLastPoll fails.")
  @State
  public static class WeakPushMeetsLastPoll {
    private final WeakQueue queue = new WeakQueue();
    private final StressTask second = new StressTask(2);

    public WeakPushMeetsLastPoll() {
      queue.push(new StressTask(1));
    }

    @Actor
    public void push() {
      queue.push(second);
    }

    @Actor
    public void poll(II_Result r) {
      r.r1 = StressTask.number(queue.poll());
    }

    @Arbiter
    public void rest(II_Result r) {
      int digits = 0;
      Task task;
      while ((task = queue.poll()) != null) digits = digits * 10 + StressTask.number(task);
      r.r2 = digits;
    }
  }

  /** The queue with one step weakened: the swap of the tail is a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"12", "21"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(expect = ACCEPTABLE_INTERESTING, desc = "Lost: without the swap, PushMeetsPush fails.")
  @State
  public static class WeakPushMeetsPush {
    private final StressTask first = new StressTask(1);
    private final StressTask second = new StressTask(2);
    private volatile @Nullable Task tail;
    private volatile @Nullable Task head;

    private void push(StressTask task) {
      Task before = tail;
      tail = task; // weakened
      if (before == null) head = task;
      else before.queueNext = task;
    }

    @Actor
    public void pushFirst() {
      push(first);
    }

    @Actor
    public void pushSecond() {
      push(second);
    }

    @Arbiter
    public void rest(I_Result r) {
      for (Task task = head; task != null; task = task.queueNext)
        r.r1 = r.r1 * 10 + StressTask.number(task);
    }
  }

  /** The queue with one step weakened: the claim is taken by a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Both have it: without the compare-and-set, ClaimMeetsClaim fails.")
  @State
  public static class WeakClaimMeetsClaim {
    private volatile boolean claimed;
    private volatile int task = 1;

    private int tryPoll() {
      if (claimed) return 0;
      claimed = true; // weakened
      int taken = task;
      task = 0;
      claimed = false;
      return taken;
    }

    @Actor
    public void one(II_Result r) {
      r.r1 = tryPoll();
    }

    @Actor
    public void other(II_Result r) {
      r.r2 = tryPoll();
    }
  }
}
