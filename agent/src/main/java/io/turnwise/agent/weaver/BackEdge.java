package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A step back in the code that closes a cycle.
 *
 * @param from the block that jumps or throws
 * @param to the block that the cycle goes on in
 * @param body the blocks of the loop: what can reach {@code from} without passing {@code to}. Where
 *     the loop has other ways in, it is more than a loop, which only makes it look heavier.
 * @param byException it is a handler that is gone back to
 */
record BackEdge(int from, int to, BitSet body, boolean byException) {
  private static final BitSet UNKNOWN = new BitSet();

  /** All of them, and at least one for each cycle. Their bodies are not known yet. */
  static BackEdge[] of(FlowGraph graph, Cycles cycles) {
    List<BackEdge> found = new ArrayList<>();
    for (int block = 0; block < graph.blocks(); block++) {
      for (int next : graph.successors(block))
        if (next <= block && cycles.closes(block, next))
          found.add(new BackEdge(block, next, UNKNOWN, false));
      for (int handler : graph.handlers(block))
        if (handler <= block && cycles.closes(block, handler))
          found.add(new BackEdge(block, handler, UNKNOWN, true));
    }
    return found.toArray(BackEdge[]::new);
  }

  BackEdge withBody(FlowGraph graph) {
    return new BackEdge(from, to, body(graph, from, to), byException);
  }

  /** Whether the only way into the loop is by {@code to}. */
  boolean isEnteredAtTarget() {
    return to == 0 || !body.get(0);
  }

  private static BitSet body(FlowGraph graph, int from, int to) {
    var body = new BitSet();
    body.set(to);
    var waiting = new ArrayList<Integer>();
    if (from != to) {
      body.set(from);
      waiting.add(from);
    }
    while (!waiting.isEmpty()) {
      for (int before : graph.predecessors(waiting.removeLast())) {
        if (body.get(before)) continue;
        body.set(before);
        waiting.add(before);
      }
    }
    return body;
  }
}
