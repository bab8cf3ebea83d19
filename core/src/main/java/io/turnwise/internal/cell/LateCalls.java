package io.turnwise.internal.cell;

import io.turnwise.observation.ActorSnapshot;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Calls whose time has passed, from the moment that the ticking thread finds that until somebody
 * has looked what their callees are doing. To look at a stack takes a while: it is done elsewhere,
 * and once for each callee, however many calls of it have timed out in the same round.
 */
final class LateCalls {
  private final Executor elsewhere;

  /** Linked through themselves, newest first. The ticking thread. */
  private @Nullable PendingCall<?> newest;

  LateCalls(Executor elsewhere) {
    this.elsewhere = elsewhere;
  }

  /** The ticking thread, with the wheel's lock. */
  void add(PendingCall<?> call) {
    call.nextLate = newest;
    newest = call;
  }

  /** The ticking thread, without that lock. */
  void tell() {
    PendingCall<?> all = newest;
    if (all == null) return;
    elsewhere.execute(() -> tell(all)); // if there is no memory for that, the next round does it
    newest = null;
  }

  private static void tell(PendingCall<?> all) {
    Map<ActorCell<?>, ActorSnapshot> seen = mapIfAny();
    PendingCall<?> call = oldestFirst(all);
    while (call != null) {
      PendingCall<?> next = call.nextLate;
      call.nextLate = null;
      Throwable described;
      try {
        described = call.timeout(look(call.callee(), seen));
      } catch (Throwable undescribed) { // no memory to say what the callee is doing
        described = undescribed;
      }
      try {
        call.tellLate(described);
      } catch (Throwable noMemory) { // nothing has happened: what was described may go for it
        call.tellLate(noMemory);
      }
      call = next;
    }
  }

  /** Where there is no memory even for that, each is looked at by itself. */
  private static @Nullable Map<ActorCell<?>, ActorSnapshot> mapIfAny() {
    try {
      return new IdentityHashMap<>();
    } catch (Throwable noMemory) {
      return null;
    }
  }

  private static ActorSnapshot look(
      ActorCell<?> callee, @Nullable Map<ActorCell<?>, ActorSnapshot> seen) {
    return seen == null ? callee.snapshot() : seen.computeIfAbsent(callee, ActorCell::snapshot);
  }

  private static @Nullable PendingCall<?> oldestFirst(PendingCall<?> newest) {
    PendingCall<?> turned = null;
    PendingCall<?> call = newest;
    while (call != null) {
      PendingCall<?> next = call.nextLate;
      call.nextLate = turned;
      turned = call;
      call = next;
    }
    return turned;
  }
}
