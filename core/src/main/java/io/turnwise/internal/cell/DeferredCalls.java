package io.turnwise.internal.cell;

import io.turnwise.StopReason;
import java.util.Map;
import java.util.TreeMap;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Calls that an actor has promised to answer later. The owner; a call itself anybody may answer.
 */
final class DeferredCalls {
  private static final int FIRST_TIDYING = 1_000;

  /** Numbered, in the order in which it deferred them. */
  private final Map<PendingCall<?>, Long> calls = new WeakHashMap<>();

  /** How many there were so far. */
  private long count;

  /** With so many of them, those that are over are taken out. */
  private int toTidy = FIRST_TIDYING;

  boolean contains(PendingCall<?> call) {
    return calls.containsKey(call);
  }

  void add(PendingCall<?> call) {
    if (calls.size() >= toTidy) {
      calls.keySet().removeIf(PendingCall::isOver);
      // Not again until it has doubled: else each call would look at all that still wait.
      toTidy = Math.max(FIRST_TIDYING, 2 * calls.size());
    }
    calls.put(call, count++);
  }

  /** In the order in which it has deferred them: that of a map of identities is chance. */
  void failAll(ActorCell<?> callee, @Nullable StopReason reason) {
    Map<Long, PendingCall<?>> inOrder = new TreeMap<>();
    calls.forEach((call, number) -> inOrder.put(number, call));
    for (PendingCall<?> call : inOrder.values())
      if (call.callee() == callee) call.calleeEnded(reason, "sent the reply it deferred");
  }
}
