package io.turnwise.faults.trial;

import io.turnwise.ActorSystem;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.observation.SystemSnapshot;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The ledger, kept outside the runtime: what was handed to {@code cast}, and what a handler did
 * with it. In the end
 *
 * <pre>
 *   offered - refused = handled + failed + dead letters + left
 * </pre>
 *
 * and the runtime's own counters say the same. An offer is booked before the send and taken back
 * when the send throws, so that the two sides are never equal too early.
 */
public final class Books {
  private static final int VIOLATIONS_KEPT = 10;

  public final LongAdder offered = new LongAdder();
  public final LongAdder refused = new LongAdder();
  public final LongAdder handled = new LongAdder();
  public final LongAdder failed = new LongAdder();

  /** In a stash at the moment: neither done nor on the way. */
  public final LongAdder putAside = new LongAdder();

  private final LongAdder violations = new LongAdder();
  private final Queue<String> firstViolations = new ConcurrentLinkedQueue<>();

  /** Something that must not happen has happened. Any thread. */
  public void violation(String text) {
    violations.increment();
    if (firstViolations.size() < VIOLATIONS_KEPT) firstViolations.add(text);
  }

  public long accepted() {
    long back = refused.sum(); // first: a refusal follows its offer
    return offered.sum() - back;
  }

  /** Whether everything that was accepted has found its fate. */
  public boolean isQuiet(ActorSystem system) {
    long done =
        handled.sum() + failed.sum() + putAside.sum() + system.snapshot().deadLettersTotal();
    return done >= accepted();
  }

  /** Waits on the ledger, not on time; the limit is only there to report a hang. */
  public void awaitQuiet(ActorSystem system, long seconds) {
    long deadline = System.nanoTime() + seconds * 1_000_000_000L;
    for (int i = 0; !isQuiet(system); i++) {
      if (System.nanoTime() - deadline > 0)
        throw new Broken(
            "messages are stranded after " + seconds + " s: " + this + "\n" + system.dump());
      if (i < 100) Thread.yield();
      else LockSupport.parkNanos(200_000);
    }
  }

  /** Waits until the runtime's counters are what they must be once all is quiet. */
  public void awaitBalance(ActorSystem system) {
    long deadline = System.nanoTime() + 120_000_000_000L;
    while (problem(system.snapshot(), 0) != null && System.nanoTime() - deadline < 0)
      LockSupport.parkNanos(1_000_000);
    check(system.snapshot(), 0);
  }

  /**
   * Compares the books with the runtime's.
   *
   * @param left messages that nobody touched because the system was closed under them
   */
  public void check(SystemSnapshot runtime, long left) {
    String problem = problem(runtime, left);
    if (problem != null) throw new Broken(problem);
    checkViolations();
  }

  public void checkViolations() {
    if (violations.sum() > 0)
      throw new Broken(violations.sum() + " violations: " + String.join("; ", firstViolations));
  }

  private @org.jspecify.annotations.Nullable String problem(SystemSnapshot runtime, long left) {
    long dead = runtime.deadLettersTotal();
    long counted = runtime.deadLetters().getOrDefault(DeadLetterReason.SYSTEM_CLOSED, 0L);
    if (accepted() != handled.sum() + failed.sum() + dead + left - Math.min(left, counted))
      return "the identity does not hold: " + this + ", dead letters " + runtime.deadLetters();
    if (runtime.messagesHandled() != handled.sum())
      return "the runtime counted " + runtime.messagesHandled() + " handled, " + this;
    if (runtime.messagesFailed() != failed.sum())
      return "the runtime counted " + runtime.messagesFailed() + " failed, " + this;
    return null;
  }

  @Override
  public String toString() {
    return "accepted "
        + accepted()
        + " (refused "
        + refused
        + "), handled "
        + handled
        + ", failed "
        + failed
        + (putAside.sum() == 0 ? "" : ", put aside " + putAside)
        + (firstViolations.isEmpty() ? "" : ", violations " + firstViolations);
  }
}
