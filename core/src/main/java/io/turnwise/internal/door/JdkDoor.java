package io.turnwise.internal.door;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What the runtime needs of the inside of the JDK, but for {@link LentThread} and {@link
 * Completion}: virtual threads with a scheduler of ours, and what a handler may have left behind on
 * one. A later JDK with a public API for this replaces this package.
 *
 * <p>Needs {@code java.lang} opened to this module; {@link DoorOpener} sees to that.
 */
public final class JdkDoor {
  private static final int NO_STATE = -1;
  private static final long NAP_NANOS = 1_000_000;

  /** So often something is done that must be possible without memory: the JDK's limit is 127. */
  static final int OFTEN = 200;

  /** Why a thread is parked: for thread dumps. */
  private static final String NO_MEMORY = "waiting for memory";

  private JdkDoor() {}

  /**
   * Opens the door.
   *
   * @throws IllegalStateException when it stays shut; says what to do
   */
  public static void open() {
    DoorOpener.openJavaLang();
    BootFlag.link();
    try {
      Internals.find();
      LentThread.find();
      Completion.find();
    } catch (LinkageError e) { // what a failed initialiser becomes, the first time and later
      throw new IllegalStateException(
          "This JDK ("
              + Runtime.version()
              + ") does not have the internals that Turnwise needs. [WRONG-JDK]\n"
              + "  next:  use a JDK 25",
          e);
    }
  }

  /**
   * Opens the door, and has the weaving agent redirect clock reads, sleeps and randomness of user
   * classes, and the clock reads of {@code java.util.concurrent}. The agent is attached if it is on
   * the class path and was not started. Best called before user classes are loaded; those that are
   * loaded already are woven again. Any thread, and as often as one likes.
   *
   * @throws IllegalStateException when that is not possible; says what to do
   */
  public static void openForSimulation() {
    open();
    DoorOpener.redirectClocks();
    if (!BootClock.link())
      throw new IllegalStateException(
          "The weaving agent is not of this version of Turnwise: use the same");
  }

  /**
   * Found when the door is open. A class of its own, because a failing initialiser would hide what
   * {@link DoorOpener} has to say; and constants, because the compiler sees through them.
   */
  private static final class Internals {
    static final MethodHandle NEW_VIRTUAL_THREAD;
    static final MethodHandle SCHEDULER;
    static final MethodHandle AFTER_DONE;
    static final MethodHandle AFTER_YIELD;
    static final MethodHandle SET_STATE;
    static final MethodHandle STATE;
    static final MethodHandle THREAD_LOCALS;
    static final MethodHandle SET_THREAD_LOCALS;
    static final MethodHandle INHERITABLES;
    static final MethodHandle SET_INHERITABLES;
    static final MethodHandle CONTEXT_LOADER;
    static final MethodHandle INTERRUPTED;
    static final MethodHandle SCOPES;
    static final MethodHandle SET_SCOPES;
    static final MethodHandle CARRIER;
    static final int NO_INHERITANCE;
    static final int SUSPENDED;
    static final int[] AT_MONITOR;
    static final int RUNNING;
    static final int UNBLOCKED;
    static final int TIMED_PARKING;
    static final int TIMED_WAITING;

    static {
      try {
        MethodHandles.Lookup own = MethodHandles.lookup();
        MethodHandles.Lookup thread = MethodHandles.privateLookupIn(Thread.class, own);
        Class<?> builders = Class.forName("java.lang.ThreadBuilders");
        Class<?> virtualThread = Class.forName("java.lang.VirtualThread");
        Class<?> localsMap = Class.forName("java.lang.ThreadLocal$ThreadLocalMap");
        NEW_VIRTUAL_THREAD =
            MethodHandles.privateLookupIn(builders, own)
                .findStatic(
                    builders,
                    "newVirtualThread",
                    MethodType.methodType(
                        Thread.class, Executor.class, String.class, int.class, Runnable.class));
        SCHEDULER =
            MethodHandles.privateLookupIn(virtualThread, own)
                .findGetter(virtualThread, "scheduler", Executor.class)
                .asType(MethodType.methodType(Executor.class, Thread.class));
        STATE =
            MethodHandles.privateLookupIn(virtualThread, own)
                .findGetter(virtualThread, "state", int.class)
                .asType(MethodType.methodType(int.class, Thread.class));
        AFTER_DONE =
            MethodHandles.privateLookupIn(virtualThread, own)
                .findVirtual(virtualThread, "afterDone", MethodType.methodType(void.class))
                .asType(MethodType.methodType(void.class, Thread.class));
        AFTER_YIELD =
            MethodHandles.privateLookupIn(virtualThread, own)
                .findVirtual(virtualThread, "afterYield", MethodType.methodType(void.class))
                .asType(MethodType.methodType(void.class, Thread.class));
        SET_STATE =
            MethodHandles.privateLookupIn(virtualThread, own)
                .findSetter(virtualThread, "state", int.class)
                .asType(MethodType.methodType(void.class, Thread.class, int.class));
        THREAD_LOCALS = getter(thread, "threadLocals", localsMap);
        SET_THREAD_LOCALS = setter(thread, "threadLocals", localsMap);
        INHERITABLES = getter(thread, "inheritableThreadLocals", localsMap);
        SET_INHERITABLES = setter(thread, "inheritableThreadLocals", localsMap);
        CONTEXT_LOADER = thread.findGetter(Thread.class, "contextClassLoader", ClassLoader.class);
        INTERRUPTED = thread.findGetter(Thread.class, "interrupted", boolean.class);
        Class<?> scope = Class.forName("jdk.internal.vm.StackableScope");
        SCOPES = getter(thread, "headStackableScopes", scope);
        SET_SCOPES = setter(thread, "headStackableScopes", scope);
        CARRIER =
            thread.findStatic(
                Thread.class, "currentCarrierThread", MethodType.methodType(Thread.class));
        NO_INHERITANCE =
            (int)
                thread
                    .findStaticGetter(Thread.class, "NO_INHERIT_THREAD_LOCALS", int.class)
                    .invoke();
        SUSPENDED = constant(virtualThread, "SUSPENDED", own);
        AT_MONITOR =
            new int[] {
              constant(virtualThread, "BLOCKING", own),
              constant(virtualThread, "BLOCKED", own),
              constant(virtualThread, "WAITING", own),
              constant(virtualThread, "WAIT", own),
              constant(virtualThread, "TIMED_WAITING", own),
              constant(virtualThread, "TIMED_WAIT", own)
            };
        RUNNING = constant(virtualThread, "RUNNING", own);
        UNBLOCKED = constant(virtualThread, "UNBLOCKED", own);
        TIMED_PARKING = constant(virtualThread, "TIMED_PARKING", own);
        TIMED_WAITING = constant(virtualThread, "TIMED_WAITING", own);
        // Now: if it were first needed when memory is out, no virtual thread could ever wait again.
        Class.forName("java.lang.VirtualThread$DelayedTaskSchedulers");
        SocketPoller.make();
        useOften();
      } catch (Throwable e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private Internals() {}

    /**
     * What is used in each turn. After so many calls that were not compiled with their callers, the
     * JDK makes code for a handle. That takes memory, and the call fails where there is none.
     */
    private static void useOften() throws Throwable {
      Thread here = Thread.currentThread();
      Executor none = _ -> {};
      Runnable nothing = () -> {};
      Thread virtual =
          (Thread) NEW_VIRTUAL_THREAD.invokeExact(none, "never started", NO_INHERITANCE, nothing);
      boolean any = false;
      for (int i = 0; i < OFTEN; i++) {
        any |= (Object) THREAD_LOCALS.invokeExact(here) == none;
        any |= (Object) INHERITABLES.invokeExact(here) == none;
        any |= (Object) SCOPES.invokeExact(here) == none;
        any |= (ClassLoader) CONTEXT_LOADER.invokeExact(here) == null;
        any |= (Executor) SCHEDULER.invokeExact(virtual) == null;
        any |= (int) STATE.invokeExact(virtual) < 0;
        any |= (Thread) CARRIER.invokeExact() == null;
      }
      assert !any || here.getContextClassLoader() == null : "none of this can be";
    }

    private static int constant(Class<?> in, String name, MethodHandles.Lookup own)
        throws Throwable {
      return (int)
          MethodHandles.privateLookupIn(in, own).findStaticGetter(in, name, int.class).invoke();
    }

    private static MethodHandle getter(MethodHandles.Lookup in, String field, Class<?> type)
        throws ReflectiveOperationException {
      return in.findGetter(Thread.class, field, type)
          .asType(MethodType.methodType(Object.class, Thread.class));
    }

    private static MethodHandle setter(MethodHandles.Lookup in, String field, Class<?> type)
        throws ReflectiveOperationException {
      return in.findSetter(Thread.class, field, type)
          .asType(MethodType.methodType(void.class, Thread.class, Object.class));
    }

    static void find() {
      // The static initialiser did it.
    }
  }

  /** An unstarted virtual thread that inherits nothing and runs its slices on {@code scheduler}. */
  public static Thread newFiberThread(Executor scheduler, String name, Runnable body) {
    try {
      return (Thread)
          Internals.NEW_VIRTUAL_THREAD.invokeExact(scheduler, name, Internals.NO_INHERITANCE, body);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("newVirtualThread throws no checked exception", e);
    }
  }

  /** What runs the slices of this thread, or null for a platform thread. */
  public static @Nullable Executor schedulerOf(Thread thread) {
    if (!thread.isVirtual()) return null;
    try {
      return (Executor) Internals.SCHEDULER.invokeExact(thread);
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws nothing", e);
    }
  }

  /**
   * Whether an unmounted virtual thread waits to enter a monitor, or in {@code Object.wait}, and
   * was not let go on yet.
   */
  public static boolean isAtMonitor(Thread thread) {
    if (!thread.isVirtual()) return false;
    try {
      int state = stateOf(thread);
      for (int each : Internals.AT_MONITOR) if (state == each) return true;
      return false;
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws nothing", e);
    }
  }

  /**
   * Whose continuation it is that a scheduler was given; null if it is none. The JDK makes one
   * function object for each virtual thread, and that has the thread in its only field.
   */
  public static @Nullable Thread threadOf(Runnable continuation) {
    try {
      Field field = threadField;
      if (field == null || field.getDeclaringClass() != continuation.getClass()) {
        Field[] fields = continuation.getClass().getDeclaredFields();
        if (fields.length != 1 || !Thread.class.isAssignableFrom(fields[0].getType())) return null;
        field = fields[0];
        field.setAccessible(true);
        threadField = field;
      }
      return (Thread) field.get(continuation);
    } catch (IllegalAccessException e) {
      throw new AssertionError("java.lang is open", e);
    }
  }

  /** The JDK has one class of these, and looking for a field takes long. */
  private static volatile @Nullable Field threadField;

  /** The platform thread under the current thread; itself, if it is one. */
  public static Thread currentCarrier() {
    try {
      return (Thread) Internals.CARRIER.invokeExact();
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws nothing", e);
    }
  }

  /**
   * Makes the JDK take a virtual thread for one that has ended: it is in no list of threads any
   * more, and whoever joins it goes on. It must not be mounted, and not be run again.
   */
  public static void end(Thread unmounted) {
    try {
      Internals.AFTER_DONE.invokeExact(unmounted);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("afterDone throws no checked exception", e);
    }
  }

  /**
   * Runs a virtual thread's continuation on this platform thread until it yields, waits or ends.
   * For that the JDK needs memory before it mounts the thread (to cancel a timer) and after it has
   * unmounted it (to set one). If there is none, it throws and leaves the thread in a state from
   * which nobody can wake it: what it was about would be lost. So this goes on where the JDK gave
   * up, as soon as there is some. Meanwhile this platform thread waits: whatever else it ran would
   * need memory as well.
   *
   * @param thread whose it is, if the caller knows
   */
  public static void run(Runnable continuation, @Nullable Thread thread) {
    try {
      continuation.run();
    } catch (OutOfMemoryError e) {
      runRest(continuation, thread, e);
    }
  }

  private static void runRest(Runnable continuation, @Nullable Thread known, OutOfMemoryError e) {
    boolean isOurs = false;
    for (; ; ) {
      try {
        Thread thread = known == null ? threadOf(continuation) : known;
        int state = thread == null ? NO_STATE : stateOf(thread);
        if (thread == null || !isLeftBehind(state)) break;
        isOurs = true;
        if (state == Internals.RUNNING) { // never mounted: it would have come out in another state
          // Whatever it waited for: as UNPARKED it would lose a permit that it was given meanwhile.
          Internals.SET_STATE.invokeExact(thread, Internals.UNBLOCKED);
          runAgain(continuation);
        } else {
          Internals.AFTER_YIELD.invokeExact(thread);
        }
        return;
      } catch (OutOfMemoryError again) {
        LockSupport.parkNanos(NO_MEMORY, NAP_NANOS);
      } catch (RuntimeException | Error other) {
        throw other;
      } catch (Throwable other) {
        throw new AssertionError("neither throws a checked exception", other);
      }
    }
    if (!isOurs) throw e;
  }

  /** A method of its own, because who takes a thread's stack looks for its name. */
  private static void runAgain(Runnable continuation) {
    continuation.run();
  }

  private static boolean isLeftBehind(int state) {
    return state == Internals.RUNNING
        || state == Internals.TIMED_PARKING
        || state == Internals.TIMED_WAITING;
  }

  private static int stateOf(Thread virtual) throws Throwable {
    return (int) Internals.STATE.invokeExact(virtual) & ~Internals.SUSPENDED;
  }

  /** {@link Thread#isInterrupted}, for who asks after each message. */
  public static boolean isInterrupted(Thread thread) {
    try {
      return (boolean) Internals.INTERRUPTED.invokeExact(thread);
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws nothing", e);
    }
  }

  /** Whether thread-locals, inheritable ones included, were set on this thread. */
  public static boolean hasThreadLocals(Thread thread) {
    try {
      return (Object) Internals.THREAD_LOCALS.invokeExact(thread) != null
          || (Object) Internals.INHERITABLES.invokeExact(thread) != null;
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws nothing", e);
    }
  }

  /** Drops all thread-locals of the current thread. */
  public static void dropThreadLocals(Thread current) {
    try {
      Internals.SET_THREAD_LOCALS.invokeExact(current, (Object) null);
      Internals.SET_INHERITABLES.invokeExact(current, (Object) null);
    } catch (Throwable e) {
      throw new AssertionError("writing a field throws nothing", e);
    }
  }

  /** Whether a structured task scope that this thread has opened was not closed. */
  public static boolean hasOpenScopes(Thread thread) {
    try {
      return (Object) Internals.SCOPES.invokeExact(thread) != null;
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws nothing", e);
    }
  }

  /** Makes the current thread forget them. What was started in them goes on. */
  public static void dropScopes(Thread current) {
    try {
      Internals.SET_SCOPES.invokeExact(current, (Object) null);
    } catch (Throwable e) {
      throw new AssertionError("writing a field throws nothing", e);
    }
  }

  /** The context class loader, without the checks and defaults of the public getter. */
  public static @Nullable ClassLoader contextLoader(Thread thread) {
    try {
      return (ClassLoader) Internals.CONTEXT_LOADER.invokeExact(thread);
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws nothing", e);
    }
  }
}
