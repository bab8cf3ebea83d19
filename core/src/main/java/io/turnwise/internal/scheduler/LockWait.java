package io.turnwise.internal.scheduler;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** What a suspended thread waits for. If it is a lock, somebody who has it must come to run. */
final class LockWait {
  private static final String REENTRANT = "java.util.concurrent.locks.Reentrant";
  private static final String STAMPED = "java.util.concurrent.locks.StampedLock";

  private LockWait() {}

  /** The JDK names what a thread is parked for; a monitor shows as its state. */
  static boolean isLockWaitOf(Thread suspended) {
    Object blocker = LockSupport.getBlocker(suspended);
    if (blocker == null) return suspended.getState() == Thread.State.BLOCKED;
    String name = blocker.getClass().getName();
    return name.startsWith(REENTRANT) || name.startsWith(STAMPED);
  }

  /**
   * What a thread waits for, for people, or null where the JDK does not tell. Not by its own words:
   * those may be any code.
   */
  static @Nullable String describe(Thread waiting) {
    Object blocker = LockSupport.getBlocker(waiting);
    if (blocker instanceof ParkReason reason) return reason.name();
    if (blocker != null)
      return blocker.getClass().getName()
          + '@'
          + Integer.toHexString(System.identityHashCode(blocker));
    return waiting.getState() == Thread.State.BLOCKED ? "a monitor" : null;
  }
}
