package io.turnwise.internal.mailbox;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which actor's turn waits for which other actor. An edge is there from before the wait begins
 * until whoever ends the wait takes it away, so that while all edges of a circle are there nobody
 * in it moves.
 *
 * <pre>
 * Why no circle is seen that never was:
 *   Who looks reads one edge after another. One that it has read may end before the next begins,
 *   and what it read would form a circle at no moment. So it reads all of them once more. Each
 *   wait has an edge of its own, put here once and taken away once: one that is read twice was
 *   there in between. All first reads come before all second ones, so if each gives the same
 *   edge again, all of them were there after the last first read.
 * Why a circle that is there is always seen:
 *   Each waiter writes its own edge and then looks. Of those that close a circle, the last to
 *   write finds the others' edges, in both passes: in a circle nobody moves, and the edge of
 *   somebody who does not move stays. Should one be gone nevertheless, its wait has ended from
 *   outside (refused, killed, timed out, or its target has ended), and with it the circle.
 * </pre>
 */
public final class WaitGraph {
  static {
    try {
      MethodHandles.lookup().ensureInitialized(Edge.class); // see Preload
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ConcurrentHashMap<Mailbox, Edge> waits = new ConcurrentHashMap<>();

  /** One wait: its identity is what counts. */
  private static final class Edge {
    final Mailbox target;

    Edge(Mailbox target) {
      this.target = target;
    }
  }

  void begin(Mailbox waiter, Mailbox target) {
    waits.put(waiter, new Edge(target));
  }

  void end(Mailbox waiter) {
    waits.remove(waiter);
  }

  /** In whose mailbox its turn waits for room, or null. */
  public @Nullable Mailbox target(Mailbox waiter) {
    Edge edge = waits.get(waiter);
    return edge == null ? null : edge.target;
  }

  /** The circle that {@code waiter} is part of, beginning with it, or null. */
  @Nullable List<Mailbox> circleThrough(Mailbox waiter) {
    List<Mailbox> path = new ArrayList<>();
    List<Edge> edges = new ArrayList<>();
    path.add(waiter);
    Edge edge = waits.get(waiter);
    while (edge != null && edge.target != waiter) {
      if (path.contains(edge.target)) return null; // further on, which is its members' business
      edges.add(edge);
      path.add(edge.target);
      edge = waits.get(edge.target);
    }
    if (edge == null) return null;
    edges.add(edge);
    return areStillThere(path, edges) ? path : null;
  }

  private boolean areStillThere(List<Mailbox> path, List<Edge> edges) {
    for (int i = 0; i < edges.size(); i++) if (waits.get(path.get(i)) != edges.get(i)) return false;
    return true;
  }
}
