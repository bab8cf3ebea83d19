package io.turnwise.internal.timer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A deadline that comes while it is cancelled: how often it fired, and whether it was cancelled.
 */
public class TimerStress {
  private TimerStress() {}

  private static final class Deadline extends TimerEntry {
    int fired;

    Deadline() {
      super(TimerWheel.TICK_NANOS);
    }

    @Override
    protected void fire() {
      fired++;
    }
  }

  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "It fired, and cancelling says no.")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "It was cancelled, and never fires.")
  @Outcome(expect = FORBIDDEN, desc = "Both happened, or neither.")
  @State
  public static class FireMeetsCancel {
    private final TimerWheel wheel = new TimerWheel(0);
    private final Deadline deadline = new Deadline();

    public FireMeetsCancel() {
      wheel.schedule(deadline);
      wheel.advance(0);
    }

    @Actor
    public void tick() {
      wheel.advance(3 * TimerWheel.TICK_NANOS);
    }

    @Actor
    public void cancel(II_Result r) {
      r.r2 = wheel.cancel(deadline) ? 1 : 0;
    }

    @Arbiter
    public void rest(II_Result r) {
      wheel.advance(5 * TimerWheel.TICK_NANOS);
      r.r1 = deadline.fired;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "It fired or was cancelled, in the inbox or out of it.")
  @Outcome(expect = FORBIDDEN, desc = "Both happened, or neither.")
  @State
  public static class TakingInMeetsCancel {
    private final TimerWheel wheel = new TimerWheel(0);
    private final Deadline deadline = new Deadline();

    public TakingInMeetsCancel() {
      wheel.schedule(deadline);
    }

    @Actor
    public void tick() {
      wheel.advance(0);
    }

    @Actor
    public void cancel(II_Result r) {
      r.r2 = wheel.cancel(deadline) ? 1 : 0;
    }

    @Arbiter
    public void rest(II_Result r) {
      wheel.advance(3 * TimerWheel.TICK_NANOS);
      wheel.advance(5 * TimerWheel.TICK_NANOS);
      r.r1 = deadline.fired;
    }
  }

  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both are taken in, and fire.")
  @Outcome(expect = FORBIDDEN, desc = "A deadline is lost, or fires twice.")
  @State
  public static class ScheduleMeetsSchedule {
    private final TimerWheel wheel = new TimerWheel(0);
    private final Deadline first = new Deadline();
    private final Deadline second = new Deadline();

    @Actor
    public void one() {
      wheel.schedule(first);
    }

    @Actor
    public void other() {
      wheel.schedule(second);
    }

    @Arbiter
    public void rest(II_Result r) {
      wheel.advance(0);
      wheel.advance(5 * TimerWheel.TICK_NANOS);
      r.r1 = first.fired;
      r.r2 = second.fired;
    }
  }

  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "Taken in by this round or the next, it fires.")
  @Outcome(expect = FORBIDDEN, desc = "The deadline is lost, or fires twice.")
  @State
  public static class ScheduleMeetsTakingIn {
    private final TimerWheel wheel = new TimerWheel(0);
    private final Deadline before = new Deadline();
    private final Deadline deadline = new Deadline();

    public ScheduleMeetsTakingIn() {
      wheel.schedule(before);
    }

    @Actor
    public void schedule() {
      wheel.schedule(deadline);
    }

    @Actor
    public void tick() {
      wheel.advance(0);
    }

    @Arbiter
    public void rest(I_Result r) {
      wheel.advance(0);
      wheel.advance(5 * TimerWheel.TICK_NANOS);
      r.r1 = deadline.fired;
    }
  }

  /** The state with one step weakened: a look and a write. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Both: without the compare-and-set, FireMeetsCancel fails.")
  @State
  public static class WeakFireMeetsCancel {
    private volatile int state = TimerEntry.WAITING;

    private int move(int to) {
      if (state != TimerEntry.WAITING) return 0;
      state = to; // weakened
      return 1;
    }

    @Actor
    public void tick(II_Result r) {
      r.r1 = move(TimerEntry.FIRED);
    }

    @Actor
    public void cancel(II_Result r) {
      r.r2 = move(TimerEntry.CANCELLED);
    }
  }

  /** Taking in with one step weakened: it is waiting, whatever became of it meanwhile. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "It fires although it is cancelled: TakingInMeetsCancel fails.")
  @State
  public static class WeakTakingInMeetsCancel {
    private final AtomicInteger state = new AtomicInteger(TimerEntry.NEW);

    @Actor
    public void tick() {
      if (state.get() == TimerEntry.NEW) state.set(TimerEntry.WAITING); // weakened
    }

    @Actor
    public void cancel(II_Result r) {
      boolean is =
          state.compareAndSet(TimerEntry.NEW, TimerEntry.CANCELLED)
              || state.compareAndSet(TimerEntry.WAITING, TimerEntry.CANCELLED);
      r.r2 = is ? 1 : 0;
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r1 = state.get() == TimerEntry.CANCELLED ? 0 : 1;
    }
  }

  /** An inbox with one step weakened: pushed to by a look and a write, or emptied so. */
  private static final class WeakInbox {
    private record Link(int number, @Nullable Link next) {}

    private volatile @Nullable Link first;

    void push(int number) {
      first = new Link(number, first); // weakened
    }

    int takeAll() {
      int sum = 0;
      for (Link link = first; link != null; link = link.next) sum += link.number;
      first = null; // weakened
      return sum;
    }
  }

  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost: without the compare-and-set, ScheduleMeetsSchedule fails.")
  @State
  public static class WeakScheduleMeetsSchedule {
    private final WeakInbox inbox = new WeakInbox();

    @Actor
    public void one() {
      inbox.push(1);
    }

    @Actor
    public void other() {
      inbox.push(2);
    }

    @Arbiter
    public void rest(I_Result r) {
      r.r1 = inbox.takeAll();
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 2", "3, 0"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Lost or twice: without the swap, ScheduleMeetsTakingIn fails.")
  @State
  public static class WeakScheduleMeetsTakingIn {
    private final WeakInbox inbox = new WeakInbox();

    public WeakScheduleMeetsTakingIn() {
      inbox.push(1);
    }

    @Actor
    public void schedule() {
      inbox.push(2);
    }

    @Actor
    public void tick(II_Result r) {
      r.r1 = inbox.takeAll();
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = inbox.takeAll();
    }
  }
}
