package io.turnwise.internal.scheduler;

import java.util.concurrent.locks.LockSupport;

/** Whether a suspended thread waits for a lock: then somebody who has it must come to run. */
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
}
