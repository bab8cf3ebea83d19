package io.turnwise.agent.weaver;

import java.util.BitSet;

/**
 * Which blocks lie on a common cycle, for any shape of flow: strongly connected components, by
 * Tarjan's algorithm. Without recursion, because a method may have thousands of blocks in a row.
 */
final class Cycles {
  private static final int NEW = 0;

  private final FlowGraph graph;
  private final BitSet without;
  private final int[] component;
  private final int[] number;
  private final int[] lowest;
  private final int[] open; // blocks whose component is not known yet
  private final BitSet isOpen = new BitSet();
  private final int[] path; // from the root of the search to where it is
  private final int[] edge; // which way out of each block on the path comes next
  private int opened;
  private int numbered;
  private int components;

  /**
   * @param without blocks that no cycle of interest passes
   */
  Cycles(FlowGraph graph, BitSet without) {
    this.graph = graph;
    this.without = without;
    component = new int[graph.blocks()];
    number = new int[graph.blocks()];
    lowest = new int[graph.blocks()];
    open = new int[graph.blocks()];
    path = new int[graph.blocks()];
    edge = new int[graph.blocks()];
    for (int block = 0; block < graph.blocks(); block++)
      if (counts(block) && number[block] == NEW) explore(block);
  }

  /** Whether going from one to the other, along an edge that exists, closes a cycle. */
  boolean closes(int from, int to) {
    return counts(from) && counts(to) && component[from] == component[to];
  }

  private boolean counts(int block) {
    return graph.isReachable(block) && !without.get(block);
  }

  private void explore(int root) {
    int depth = 0;
    path[0] = root;
    edge[0] = 0;
    enter(root);
    while (depth >= 0) {
      int block = path[depth];
      int next = edge[depth]++;
      int[] jumps = graph.successors(block);
      int[] throwsTo = graph.handlers(block);
      if (next == jumps.length + throwsTo.length) {
        leave(block);
        depth--;
        if (depth >= 0) lowest[path[depth]] = Math.min(lowest[path[depth]], lowest[block]);
        continue;
      }
      int follower = next < jumps.length ? jumps[next] : throwsTo[next - jumps.length];
      if (!counts(follower)) continue;
      if (number[follower] == NEW) {
        enter(follower);
        path[++depth] = follower;
        edge[depth] = 0;
      } else if (isOpen.get(follower)) {
        lowest[block] = Math.min(lowest[block], number[follower]);
      }
    }
  }

  private void enter(int block) {
    number[block] = lowest[block] = ++numbered;
    open[opened++] = block;
    isOpen.set(block);
  }

  private void leave(int block) {
    if (lowest[block] != number[block]) return;
    components++;
    int member;
    do {
      member = open[--opened];
      isOpen.clear(member);
      component[member] = components;
    } while (member != block);
  }
}
