package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.LockSight;
import java.util.ArrayList;
import java.util.List;
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
    if (blocker != null) return nameOf(blocker);
    return waiting.getState() == Thread.State.BLOCKED ? "a monitor" : null;
  }

  /** The same of one that is not mounted: of such a thread the JDK tells which monitor. */
  static @Nullable String describeSuspended(Thread suspended) {
    try {
      Object monitor = LockSight.wantedMonitor(suspended);
      if (monitor != null) return "the monitor of " + nameOf(monitor);
    } catch (LinkageError | AssertionError e) {
      // A JDK that keeps this elsewhere: what else is known must do.
    }
    return describe(suspended);
  }

  /**
   * The monitors that such a thread has entered, for people. Of other locks nobody keeps a list.
   */
  static List<String> monitorsOf(Thread suspended) {
    List<String> names = new ArrayList<>();
    try {
      Object wanted = LockSight.wantedMonitor(suspended);
      for (Object monitor : LockSight.ownedMonitors(suspended))
        if (monitor != wanted && names.size() < MOST_MONITORS) names.add(nameOf(monitor));
    } catch (LinkageError | AssertionError e) {
      // As above.
    }
    return List.copyOf(names);
  }

  private static final int MOST_MONITORS = 10;

  private static String nameOf(Object lock) {
    return lock.getClass().getName() + '@' + Integer.toHexString(System.identityHashCode(lock));
  }
}
