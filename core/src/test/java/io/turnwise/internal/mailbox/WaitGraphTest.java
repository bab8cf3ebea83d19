package io.turnwise.internal.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.internal.scheduler.Runner;
import io.turnwise.internal.scheduler.Seat;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class WaitGraphTest {
  private final WaitGraph graph = new WaitGraph();
  private final Node a = new Node("a");
  private final Node b = new Node("b");
  private final Node c = new Node("c");

  /** A mailbox without an actor; what is to happen before its edge is read happens then. */
  private static final class Node extends Mailbox {
    private final String name;
    private final Deque<Runnable> beforeLooks = new ArrayDeque<>();

    Node(String name) {
      this.name = name;
    }

    /** The map of edges asks for it, once for each look. */
    @Override
    public int hashCode() {
      Runnable next = beforeLooks.poll();
      if (next != null) next.run();
      return name.hashCode();
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public String toString() {
      return name;
    }

    @Override
    protected Hand hand() {
      throw new AssertionError("nobody takes from it");
    }

    @Override
    protected @Nullable Hand handIfAny() {
      return null;
    }

    @Override
    protected @Nullable BoundedStore bounded() {
      return null;
    }

    @Override
    protected boolean hasSignals() {
      return false;
    }

    @Override
    protected boolean holdsBack() {
      return false;
    }

    @Override
    protected void onTooLate(Object item) {}

    @Override
    protected Runner runner() {
      throw new AssertionError("nobody runs it");
    }

    @Override
    protected boolean runSlice(Seat seat) {
      throw new AssertionError("nobody runs it");
    }

    @Override
    protected int quantum() {
      return Integer.MAX_VALUE;
    }
  }

  @Test
  void aCircleIsSeenByEachOfItsMembersAndByNobodyElse() {
    var outside = new Node("outside");
    graph.begin(a, b);
    graph.begin(b, c);
    graph.begin(outside, a);
    assertThat(graph.circleThrough(a)).isNull();
    graph.begin(c, a);
    assertThat(graph.circleThrough(a)).containsExactly(a, b, c);
    assertThat(graph.circleThrough(c)).containsExactly(c, a, b);
    assertThat(graph.circleThrough(outside)).isNull();
    graph.end(b);
    assertThat(graph.circleThrough(a)).isNull();
  }

  @Test
  void edgesOfWhichOneEndedBeforeAnotherBeganAreNoCircle() {
    graph.begin(b, c);
    graph.begin(a, b);
    c.beforeLooks.add(
        () -> { // c makes room, b goes on, and c sends to a
          graph.end(b);
          graph.begin(c, a);
        });
    assertThat(graph.circleThrough(a)).isNull();
    assertThat(graph.target(c)).isSameAs(a); // it was seen to wait
  }

  /** The same three wait for each other in both passes, and never all at once. */
  @Test
  void anEdgeThatEndedAndBeganAnewIsAnotherEdge() {
    graph.begin(b, c);
    graph.begin(a, b);
    c.beforeLooks.add(
        () -> {
          graph.end(b);
          graph.begin(c, a);
          b.beforeLooks.add(
              () -> { // the second pass
                graph.end(c);
                graph.begin(b, c);
                c.beforeLooks.add(
                    () -> {
                      graph.end(b);
                      graph.begin(c, a);
                    });
              });
        });
    assertThat(graph.circleThrough(a)).isNull();
  }
}
