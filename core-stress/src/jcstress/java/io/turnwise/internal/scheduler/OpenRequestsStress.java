package io.turnwise.internal.scheduler;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Why no request to stop is left open with the flag down, and the flag not up without one. */
public class OpenRequestsStress {
  private static final int OLD = 1;
  private static final int NEW = 2;

  private OpenRequestsStress() {}

  /** A worker with an open request, as {@link LongSlice} has it, and a flag of its own. */
  private static class Asked {
    final OpenRequests open = new OpenRequests(1);
    volatile int stop = OLD;
    volatile boolean flag = true;

    Asked() {
      open.add(0);
    }

    void ask() {
      stop = NEW;
      open.add(0);
      flag = true;
    }

    void settle() {
      flag = false;
      if (open.isAny(_ -> stop == NEW)) flag = true;
    }

    void show(II_Result r) {
      r.r1 = stop == NEW ? 1 : 0;
      r.r2 = flag ? 1 : 0;
    }
  }

  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "The new request is open, and the flag is up.")
  @Outcome(
      id = {"0, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "It was taken for the old one, and answered with it.")
  @Outcome(id = "1, 0", expect = FORBIDDEN, desc = "It is open, and nobody will look.")
  @State
  public static class AskMeetsAnswer extends Asked {
    @Actor
    public void asker() {
      ask();
    }

    @Actor
    public void answerer() {
      open.remove(0);
      stop = LongSlice.NONE;
      settle();
    }

    @Arbiter
    public void see(II_Result r) {
      show(r);
    }
  }

  /** The same with the steps of the answer in the other order. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "0, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      id = "1, 0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "The bit of the new request was cleared: in this order, AskMeetsAnswer fails.")
  @State
  public static class WeakAskMeetsAnswer extends Asked {
    @Actor
    public void asker() {
      ask();
    }

    @Actor
    public void answerer() {
      stop = LongSlice.NONE; // weakened: before the bit
      open.remove(0);
      settle();
    }

    @Arbiter
    public void see(II_Result r) {
      show(r);
    }
  }

  /** A long slice that its owner forgets meanwhile: the next has begun. */
  @JCStressTest
  @Outcome(
      id = "1, 1",
      expect = ACCEPTABLE,
      desc = "It was asked: a tick finds that it was in vain, and withdraws the request.")
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "It was forgotten, and nobody was asked.")
  @Outcome(
      id = "0, 1",
      expect = FORBIDDEN,
      desc = "Nobody was asked and the flag is up: there is nothing that a tick could withdraw.")
  @State
  public static class AskMeetsForget {
    private final OpenRequests open = new OpenRequests(1);
    private final LongSlice slice = new LongSlice(open, 0);

    public AskMeetsForget() {
      slice.begin(OLD, 0);
    }

    @Actor
    public void asker() {
      slice.askToStop();
    }

    @Actor
    public void owner() {
      slice.forget();
    }

    @Arbiter
    public void see(II_Result r) {
      r.r1 = slice.isAskedInVain(NEW) ? 1 : 0;
      r.r2 = open.isAny(_ -> true) ? 1 : 0; // set right before the flag is raised
      slice.answer();
    }
  }

  /** The same where the slice is read once to see whether there is one, and again to name it. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "0, 0"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      id = "0, 1",
      expect = ACCEPTABLE_INTERESTING,
      desc = "It was forgotten between the two: with two reads, AskMeetsForget fails.")
  @State
  public static class WeakAskMeetsForget {
    private final OpenRequests open = new OpenRequests(1);
    private volatile int slice = OLD;
    private volatile int stop = LongSlice.NONE;

    @Actor
    public void asker() {
      if (slice == LongSlice.NONE) return;
      stop = slice; // weakened: read again
      open.add(0);
    }

    @Actor
    public void owner() {
      slice = LongSlice.NONE;
    }

    @Arbiter
    public void see(II_Result r) {
      r.r1 = stop == LongSlice.NONE ? 0 : 1;
      r.r2 = open.isAny(_ -> true) ? 1 : 0;
    }
  }
}
