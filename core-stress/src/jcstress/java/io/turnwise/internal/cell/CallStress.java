package io.turnwise.internal.cell;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The outcome of a call, for which its answer, its timeout and the end of its callee race: whether
 * who answers is told that it was in time, how often the caller was told, and of what (an answer as
 * its number, a timeout as -1).
 */
public class CallStress {
  private CallStress() {}

  private static final class Pending extends PendingCall<Integer> {
    final AtomicInteger settled = new AtomicInteger();

    Pending() {
      super(StressCell.CELL, "question", 1_000_000_000);
    }

    @Override
    void settled() {
      settled.incrementAndGet();
    }

    int told() {
      return outcome() instanceof Integer answer ? answer : -1;
    }
  }

  @JCStressTest
  @Outcome(id = "1, 1, 7", expect = ACCEPTABLE, desc = "Answered in time.")
  @Outcome(id = "0, 1, -1", expect = ACCEPTABLE, desc = "Too late: who answers is told so.")
  @Outcome(expect = FORBIDDEN, desc = "Told twice, or of something else than who answered thinks.")
  @State
  public static class AnswerMeetsTimeout {
    private final Pending call = new Pending();

    @Actor
    public void answer(III_Result r) {
      r.r1 = call.send(7) ? 1 : 0;
    }

    @Actor
    public void tick() {
      call.fire();
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r2 = call.settled.get();
      r.r3 = call.told();
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 0, 7", "0, 1, 8"},
      expect = ACCEPTABLE,
      desc = "Of two answers one counts, and who gave it is told so.")
  @Outcome(expect = FORBIDDEN, desc = "Both or none count, or the other one's is told.")
  @State
  public static class AnswerMeetsAnswer {
    private final Pending call = new Pending();

    @Actor
    public void one(III_Result r) {
      r.r1 = call.send(7) ? 1 : 0;
    }

    @Actor
    public void other(III_Result r) {
      r.r2 = call.send(8) ? 1 : 0;
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = call.told();
    }
  }

  /** The outcome with one step weakened: settled by a look and a write. */
  private static final class WeakCall {
    private volatile int outcome;

    int settle(int with) {
      if (outcome != 0) return 0;
      outcome = with; // weakened
      return 1;
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Told twice: without the compare-and-set, AnswerMeetsTimeout fails.")
  @State
  public static class WeakAnswerMeetsTimeout {
    private final WeakCall call = new WeakCall();

    @Actor
    public void answer(II_Result r) {
      r.r1 = call.settle(7);
    }

    @Actor
    public void tick(II_Result r) {
      r.r2 = call.settle(-1);
    }
  }

  @JCStressTest
  @Outcome(
      id = {"1, 0, 7", "0, 1, 8"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      expect = ACCEPTABLE_INTERESTING,
      desc = "Both count: without the compare-and-set, AnswerMeetsAnswer fails.")
  @State
  public static class WeakAnswerMeetsAnswer {
    private final WeakCall call = new WeakCall();

    @Actor
    public void one(III_Result r) {
      r.r1 = call.settle(7);
    }

    @Actor
    public void other(III_Result r) {
      r.r2 = call.settle(8);
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = call.outcome;
    }
  }
}
