package io.turnwise.internal.mailbox;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE_INTERESTING;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.turnwise.stress.NotShown;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Actors that begin to wait for each other at the same time: 1 for each that sees the circle. */
public class WaitGraphStress {
  private static final Mailbox A = new StressMailbox();
  private static final Mailbox B = new StressMailbox();
  private static final Mailbox C = new StressMailbox();

  private WaitGraphStress() {}

  private static int beginToWait(WaitGraph graph, Mailbox waiter, Mailbox target) {
    graph.begin(waiter, target);
    return graph.circleThrough(waiter) == null ? 0 : 1;
  }

  @JCStressTest
  @Outcome(
      id = {"0, 1", "1, 0", "1, 1"},
      expect = ACCEPTABLE,
      desc = "At least the last to wait sees the circle.")
  @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "Both wait for ever.")
  @State
  public static class CircleOfTwo {
    private final WaitGraph graph = new WaitGraph();

    @Actor
    public void a(II_Result r) {
      r.r1 = beginToWait(graph, A, B);
    }

    @Actor
    public void b(II_Result r) {
      r.r2 = beginToWait(graph, B, A);
    }
  }

  @JCStressTest
  @Outcome(id = "0, 0, 0", expect = FORBIDDEN, desc = "All three wait for ever.")
  @Outcome(expect = ACCEPTABLE, desc = "At least the last to wait sees the circle.")
  @NotShown("three threads must write and read at once, and machines of two cores have no third")
  @State
  public static class CircleOfThree {
    private final WaitGraph graph = new WaitGraph();

    @Actor
    public void a(III_Result r) {
      r.r1 = beginToWait(graph, A, B);
    }

    @Actor
    public void b(III_Result r) {
      r.r2 = beginToWait(graph, B, C);
    }

    @Actor
    public void c(III_Result r) {
      r.r3 = beginToWait(graph, C, A);
    }
  }

  /** The graph with the fence taken away: who waits for whom is written plainly. */
  @JCStressTest
  @Outcome(
      id = {"0, 1", "1, 0", "1, 1"},
      expect = ACCEPTABLE,
      desc = "As it should be.")
  @Outcome(
      id = "0, 0",
      expect = ACCEPTABLE_INTERESTING,
      desc = "Both wait for ever: without the fence, CircleOfTwo fails.")
  @State
  public static class WeakCircleOfTwo {
    private @Nullable Mailbox aWaitsFor;
    private @Nullable Mailbox bWaitsFor;

    @Actor
    public void a(II_Result r) {
      aWaitsFor = B;
      r.r1 = bWaitsFor == A ? 1 : 0;
    }

    @Actor
    public void b(II_Result r) {
      bWaitsFor = A;
      r.r2 = aWaitsFor == B ? 1 : 0;
    }
  }

  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Nobody sees a circle: there is none.")
  @Outcome(expect = FORBIDDEN, desc = "One is refused for a circle that never was.")
  @State
  public static class OneEndsAnotherBegins {
    private final WaitGraph graph = new WaitGraph();

    public OneEndsAnotherBegins() {
      graph.begin(B, C);
    }

    @Actor
    public void a(II_Result r) {
      r.r1 = beginToWait(graph, A, B);
    }

    /** Makes room for B, which goes on, and then waits itself. */
    @Actor
    public void c(II_Result r) {
      graph.end(B);
      r.r2 = beginToWait(graph, C, A);
    }
  }

  /** The graph without the second pass: what was read one after another is taken for a circle. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "As it should be.")
  @Outcome(
      id = "1",
      expect = ACCEPTABLE_INTERESTING,
      desc = "A circle that never was: without the second pass, OneEndsAnotherBegins fails.")
  @State
  public static class WeakOneEndsAnotherBegins {
    private final ConcurrentHashMap<Mailbox, Mailbox> waits = new ConcurrentHashMap<>();

    public WeakOneEndsAnotherBegins() {
      waits.put(B, C);
    }

    @Actor
    public void a(I_Result r) {
      waits.put(A, B);
      Mailbox second = waits.get(B);
      r.r1 = second != null && waits.get(second) == A ? 1 : 0;
    }

    @Actor
    public void c() {
      waits.remove(B);
      waits.put(C, A);
    }
  }
}
