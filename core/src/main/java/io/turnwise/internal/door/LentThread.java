package io.turnwise.internal.door;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A virtual thread of ours whose body may return and be run again: its stack is empty in between.
 *
 * <p>The JDK's own way to let a virtual thread rest is to yield: its frames are copied away, and
 * copied back when it goes on. One that has nothing in hand has no frames worth that. Here its body
 * returns instead, which the JDK takes for the end of the thread; but that step, {@code
 * VirtualThread.runContinuation}, is done here, and does not end it: it is set back to where it was
 * when it had been started and had not run yet. The rest is that method's, step by step:
 *
 * <pre>
 *   STARTED, YIELDED, UNPARKED, UNBLOCKED  ── compare and set ──►  RUNNING, mount, run
 *   unmount, and then: the body returned   ──►  STARTED            here; in the JDK: TERMINATED
 *                      it yielded          ──►  YIELDED            and nobody is told: who ran it knows
 *                      it waits            ──►  afterYield         the JDK's
 * </pre>
 *
 * A thread that is STARTED has no stack to show, is alive, and is in the JDK's list of threads; an
 * unpark leaves it a permit. All that is as true of one that is set back.
 *
 * <p>The JDK writes each state with a full fence, as its own scheduler and the thread's waits rely
 * on some. Here nobody reads anything after these writes that another writes before reading the
 * state: who hands the thread on to another platform thread does that with a release of its own. So
 * a release is enough for STARTED and YIELDED, and for RUNNING where no wait has ended.
 */
public final class LentThread {
  private static final long NAP_NANOS = 1_000_000;

  /** Why a thread is parked: for thread dumps. */
  private static final String NO_MEMORY = "waiting for memory";

  /** What became of a thread that was run. */
  public enum Came {
    /** Its body has returned: it can be run anew. */
    BACK,
    /** It gave way, and can go on whenever it is run. Its scheduler is not told. */
    YIELDED,
    /**
     * It waits for something, and its scheduler is told when it can go on; or it could not be run
     * now.
     */
    NOT_BACK
  }

  private final Thread thread;
  private final Object continuation;

  /** When the door is opened. */
  static void find() {
    Rehearsed.find();
  }

  /** Not started yet. Inherits nothing. */
  public LentThread(
      Executor scheduler, String name, @Nullable ClassLoader contextLoader, Runnable body) {
    thread = JdkDoor.newFiberThread(scheduler, name, body);
    thread.setContextClassLoader(contextLoader);
    try {
      continuation = (Object) Internals.CONTINUATION.invokeExact(thread);
    } catch (Error noMemory) {
      throw noMemory;
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws no exception", e);
    }
  }

  public Thread thread() {
    return thread;
  }

  /**
   * Runs it on this platform thread until it yields, waits, or its body returns. Where the JDK
   * needs memory for a step and there is none, this waits until there is: half a step would leave
   * the thread where nobody can wake it, and whatever else this platform thread ran would need
   * memory as well.
   */
  public Came run() {
    if (Thread.currentThread().isVirtual())
      throw new WrongThreadException(
          "Turnwise runs its fibers on platform threads, and this thread is virtual. [VIRTUAL-CARRIER]\n"
              + "  next:  drive the test kit, or close the system, from a platform thread");
    try {
      int state = (int) Internals.STATE.invokeExact(thread);
      if (state != Internals.STARTED
          && state != Internals.YIELDED
          && state != Internals.UNPARKED
          && state != Internals.UNBLOCKED) return Came.NOT_BACK;
      // From STARTED nobody else moves it; from the others also who wants to see its stack.
      if (state == Internals.STARTED)
        Internals.SET_STATE_RELEASE.invokeExact(thread, Internals.RUNNING);
      else if (!(boolean) Internals.CAS_STATE.invokeExact(thread, state, Internals.RUNNING))
        return Came.NOT_BACK;
      if (state == Internals.UNPARKED || state == Internals.UNBLOCKED) endWait(state);
      Came came = Came.NOT_BACK;
      boolean threw = true;
      Internals.MOUNT.invokeExact(thread);
      try {
        Internals.RUN.invokeExact(continuation);
        threw = false;
      } finally {
        Internals.UNMOUNT.invokeExact(thread);
        came = settle(threw);
      }
      return came;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("none of these throws a checked exception", e);
    }
  }

  /** As the JDK: a permit is used up by the wait that it ended, and by no other. */
  private void endWait(int state) throws Throwable {
    for (; ; ) {
      try {
        Internals.CANCEL_TIMEOUT.invokeExact(thread);
        break;
      } catch (OutOfMemoryError e) {
        LockSupport.parkNanos(NO_MEMORY, NAP_NANOS);
      }
    }
    if (state == Internals.UNPARKED) Internals.SET_PARK_PERMIT.invokeExact(thread, false);
    else Internals.SET_BLOCK_PERMIT.invokeExact(thread, false);
  }

  /**
   * After it was unmounted. What is found is read before others may run it: once the JDK has been
   * told that it waits, it is theirs.
   */
  private Came settle(boolean threw) throws Throwable {
    if ((boolean) Internals.IS_DONE.invokeExact(continuation)) {
      if (threw) { // not only its body: whoever was to be told of that has thrown as well
        JdkDoor.end(thread);
        return Came.NOT_BACK;
      }
      Internals.SET_DONE.invokeExact(continuation, false);
      Internals.SET_STATE_RELEASE.invokeExact(thread, Internals.STARTED);
      return Came.BACK;
    }
    if ((int) Internals.STATE.invokeExact(thread) == Internals.YIELDING) {
      Internals.SET_STATE_RELEASE.invokeExact(thread, Internals.YIELDED);
      return Came.YIELDED;
    }
    afterYield();
    return Came.NOT_BACK;
  }

  private void afterYield() throws Throwable {
    for (; ; ) {
      try {
        Internals.AFTER_YIELD.invokeExact(thread);
        return;
      } catch (OutOfMemoryError e) {
        LockSupport.parkNanos(NO_MEMORY, NAP_NANOS);
      }
    }
  }

  /**
   * Ends it for good: the JDK has it in no list of threads any more, and whoever joins it goes on.
   * It must not be run again. Nothing happens if it runs now, or has ended.
   */
  public void end() {
    try {
      int state = (int) Internals.STATE.invokeExact(thread);
      if (state == Internals.RUNNING || state == Internals.TERMINATED) return;
    } catch (Throwable e) {
      throw new AssertionError("reading a field throws nothing", e);
    }
    JdkDoor.end(thread);
  }

  /**
   * Found when first used, with the door open; constants, because the compiler sees through them.
   */
  private static final class Internals {
    static final MethodHandle CONTINUATION;
    static final MethodHandle STATE;
    static final MethodHandle SET_STATE_RELEASE;
    static final MethodHandle CAS_STATE;
    static final MethodHandle MOUNT;
    static final MethodHandle UNMOUNT;
    static final MethodHandle AFTER_YIELD;
    static final MethodHandle CANCEL_TIMEOUT;
    static final MethodHandle SET_PARK_PERMIT;
    static final MethodHandle SET_BLOCK_PERMIT;
    static final MethodHandle RUN;
    static final MethodHandle IS_DONE;
    static final MethodHandle SET_DONE;
    static final int STARTED;
    static final int RUNNING;
    static final int YIELDING;
    static final int YIELDED;
    static final int UNPARKED;
    static final int UNBLOCKED;
    static final int TERMINATED;

    static {
      try {
        MethodHandles.Lookup own = MethodHandles.lookup();
        DoorOpener.openMore("jdk.internal.vm");
        Class<?> virtual = Class.forName("java.lang.VirtualThread");
        MethodHandles.Lookup in = MethodHandles.privateLookupIn(virtual, own);
        Class<?> continuation = Class.forName("jdk.internal.vm.Continuation");
        MethodHandles.Lookup inContinuation = MethodHandles.privateLookupIn(continuation, own);
        CONTINUATION =
            in.findGetter(virtual, "cont", continuation)
                .asType(MethodType.methodType(Object.class, Thread.class));
        STATE = in.findGetter(virtual, "state", int.class).asType(on(int.class));
        SET_STATE_RELEASE =
            in.findVarHandle(virtual, "state", int.class)
                .toMethodHandle(VarHandle.AccessMode.SET_RELEASE)
                .asType(on(void.class, int.class));
        CAS_STATE =
            in.findVirtual(
                    virtual,
                    "compareAndSetState",
                    MethodType.methodType(boolean.class, int.class, int.class))
                .asType(on(boolean.class, int.class, int.class));
        MOUNT = step(in, virtual, "mount");
        UNMOUNT = step(in, virtual, "unmount");
        AFTER_YIELD = step(in, virtual, "afterYield");
        CANCEL_TIMEOUT = step(in, virtual, "cancelTimeoutTask");
        SET_PARK_PERMIT = permit(in, virtual, "parkPermit");
        SET_BLOCK_PERMIT = permit(in, virtual, "blockPermit");
        RUN =
            inContinuation
                .findVirtual(continuation, "run", MethodType.methodType(void.class))
                .asType(MethodType.methodType(void.class, Object.class));
        IS_DONE =
            inContinuation
                .findGetter(continuation, "done", boolean.class)
                .asType(MethodType.methodType(boolean.class, Object.class));
        SET_DONE =
            inContinuation
                .findSetter(continuation, "done", boolean.class)
                .asType(MethodType.methodType(void.class, Object.class, boolean.class));
        STARTED = constant(in, virtual, "STARTED");
        RUNNING = constant(in, virtual, "RUNNING");
        YIELDING = constant(in, virtual, "YIELDING");
        YIELDED = constant(in, virtual, "YIELDED");
        UNPARKED = constant(in, virtual, "UNPARKED");
        UNBLOCKED = constant(in, virtual, "UNBLOCKED");
        TERMINATED = constant(in, virtual, "TERMINATED");
      } catch (Throwable e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private Internals() {}

    private static MethodType on(Class<?> result, Class<?>... more) {
      return MethodType.methodType(result, Thread.class, more);
    }

    private static MethodHandle step(MethodHandles.Lookup in, Class<?> type, String method)
        throws ReflectiveOperationException {
      return in.findVirtual(type, method, MethodType.methodType(void.class)).asType(on(void.class));
    }

    private static MethodHandle permit(MethodHandles.Lookup in, Class<?> type, String field)
        throws ReflectiveOperationException {
      return in.findSetter(type, field, boolean.class).asType(on(void.class, boolean.class));
    }

    private static int constant(MethodHandles.Lookup in, Class<?> type, String name)
        throws Throwable {
      return (int) in.findStaticGetter(type, name, int.class).invoke();
    }
  }

  /** Once in each JVM, whoever opens the door. */
  private static final class Rehearsed {
    static {
      try {
        OnPlatformThread.run(LentThread::rehearse);
      } catch (Throwable e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    static void find() {
      // The static initialiser did it.
    }
  }

  /**
   * Does all that a thread's life may need so often that the JDK has made its code: that takes
   * memory, and fails where there is none.
   */
  private static void rehearse() throws Throwable {
    for (int i = 0; i < JdkDoor.OFTEN; i++) {
      var often = new LentThread(_ -> {}, "rehearsal", null, Thread::yield);
      often.thread.start();
      while (often.run() != Came.BACK) {
        Internals.SET_STATE_RELEASE.invokeExact(often.thread, Internals.YIELDING);
        Internals.AFTER_YIELD.invokeExact(often.thread);
      }
      often.endWait(Internals.UNPARKED);
      often.endWait(Internals.UNBLOCKED);
      often.end();
    }
  }
}
