package io.turnwise.internal.timer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

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
}
