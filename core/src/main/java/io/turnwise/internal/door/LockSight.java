package io.turnwise.internal.door;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Which locks unmounted threads have and wait for, as the JDK tells it in its thread dumps. */
public final class LockSight {
  private static final MethodHandle SNAPSHOT;
  private static final MethodHandle BLOCKED_ON;
  private static final MethodHandle LOCKS;
  private static final MethodHandle LOCK_OBJECT;
  private static final MethodHandle OWNER;

  static {
    try {
      DoorOpener.openMore("jdk.internal.vm");
      DoorOpener.openMore("java.util.concurrent.locks");
      Class<?> snapshot = Class.forName("jdk.internal.vm.ThreadSnapshot");
      Class<?> lock = Class.forName("jdk.internal.vm.ThreadSnapshot$ThreadLock");
      MethodHandles.Lookup own = MethodHandles.lookup();
      MethodHandles.Lookup in = MethodHandles.privateLookupIn(snapshot, own);
      SNAPSHOT =
          in.findStatic(snapshot, "of", MethodType.methodType(snapshot, Thread.class))
              .asType(MethodType.methodType(Object.class, Thread.class));
      BLOCKED_ON =
          in.findVirtual(snapshot, "blockedOn", MethodType.methodType(Object.class))
              .asType(MethodType.methodType(Object.class, Object.class));
      LOCKS =
          in.findGetter(snapshot, "locks", lock.arrayType())
              .asType(MethodType.methodType(Object.class, Object.class));
      LOCK_OBJECT =
          in.findVirtual(lock, "lockObject", MethodType.methodType(Object.class))
              .asType(MethodType.methodType(Object.class, Object.class));
      OWNER =
          MethodHandles.privateLookupIn(AbstractOwnableSynchronizer.class, own)
              .findVirtual(
                  AbstractOwnableSynchronizer.class,
                  "getExclusiveOwnerThread",
                  MethodType.methodType(Thread.class));
    } catch (Throwable e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private LockSight() {}

  /** The monitor that a thread waits to enter, or null. */
  public static @Nullable Object wantedMonitor(Thread thread) {
    if (thread.getState() != Thread.State.BLOCKED) return null;
    try {
      Object seen = (Object) SNAPSHOT.invokeExact(thread);
      return seen == null ? null : (Object) BLOCKED_ON.invokeExact(seen);
    } catch (Throwable e) {
      throw new AssertionError("a thread that is not mounted does not change", e);
    }
  }

  /** The monitors that a thread has entered. */
  public static List<Object> ownedMonitors(Thread thread) {
    List<Object> owned = new ArrayList<>();
    try {
      Object seen = (Object) SNAPSHOT.invokeExact(thread);
      Object locks = seen == null ? null : (Object) LOCKS.invokeExact(seen);
      for (int i = 0; locks != null && i < Array.getLength(locks); i++) {
        Object monitor = (Object) LOCK_OBJECT.invokeExact(Array.get(locks, i));
        if (monitor != null) owned.add(monitor);
      }
      return owned;
    } catch (Throwable e) {
      throw new AssertionError("a thread that is not mounted does not change", e);
    }
  }

  /** Who has the lock that a thread is parked for without a limit; null: nobody, or no lock. */
  public static @Nullable Thread ownerOfWanted(Thread parked) {
    if (parked.getState() != Thread.State.WAITING
        || !(LockSupport.getBlocker(parked) instanceof AbstractOwnableSynchronizer lock))
      return null;
    try {
      return (Thread) OWNER.invokeExact(lock);
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws nothing", e);
    }
  }
}
