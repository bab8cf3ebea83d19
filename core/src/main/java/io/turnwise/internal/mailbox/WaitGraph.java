package io.turnwise.internal.mailbox;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which actor's turn waits for which other actor. An edge is there from before the wait begins
 * until whoever ends the wait takes it away, so that a circle found here is one in which nobody
 * moves.
 *
 * <p>Each waiter writes its own edge and then follows the others'. Of those that close a circle at
 * the same time, the last to write sees all of it.
 */
public final class WaitGraph {
  private final ConcurrentHashMap<Mailbox, Mailbox> waits = new ConcurrentHashMap<>();

  void begin(Mailbox waiter, Mailbox target) {
    waits.put(waiter, target);
  }

  void end(Mailbox waiter) {
    waits.remove(waiter);
  }

  /** In whose mailbox its turn waits for room, or null. */
  public @Nullable Mailbox target(Mailbox waiter) {
    return waits.get(waiter);
  }

  /** The circle that {@code waiter} is part of, beginning with it, or null. */
  @Nullable List<Mailbox> circleThrough(Mailbox waiter) {
    List<Mailbox> path = new ArrayList<>();
    path.add(waiter);
    Mailbox next = waits.get(waiter);
    while (next != null && next != waiter) {
      if (path.contains(next)) return null; // a circle further on, which is its members' business
      path.add(next);
      next = waits.get(next);
    }
    return next == null ? null : path;
  }
}
