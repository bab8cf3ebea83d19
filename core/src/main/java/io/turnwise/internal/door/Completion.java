package io.turnwise.internal.door;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives a future its outcome without running what depends on it.
 *
 * <p>{@link CompletableFuture#complete} does both at once. Who may not run strangers' code could
 * look first whether any is there; but it may come between that look and the completion. Here the
 * outcome comes first:
 *
 * <pre>
 *   who adds a stage                        who completes
 *   1. push it (compare-and-set)            1. write the outcome (compare-and-set)
 *   2. is there an outcome? run it here     2. is anything there? have it run elsewhere
 * </pre>
 *
 * One of the two sees the other; if both do, the stage runs once all the same, and the JDK sees to
 * that.
 */
public final class Completion {
  private Completion() {}

  /** When the door is opened. */
  static void find() {
    Internals.useOften();
  }

  /** Returns false if there was an outcome before. */
  public static boolean value(CompletableFuture<?> future, @Nullable Object value) {
    return set(future, value == null ? Internals.NULL : value);
  }

  /** Returns false if there was an outcome before. */
  public static boolean failure(CompletableFuture<?> future, Throwable cause) {
    try {
      return set(future, (Object) Internals.NEW_FAILURE.invokeExact(cause));
    } catch (Error e) { // no memory
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("this constructor throws no exception", e);
    }
  }

  private static boolean set(CompletableFuture<?> future, Object outcome) {
    try {
      return (boolean) Internals.SET.invokeExact(future, outcome);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("this method throws no exception", e);
    }
  }

  /** Constants, because the compiler sees through them. */
  private static final class Internals {
    static final MethodHandle SET;
    static final MethodHandle NEW_FAILURE;
    static final Object NULL;

    static {
      try {
        MethodHandles.Lookup own = MethodHandles.lookup();
        DoorOpener.openMore("java.util.concurrent");
        Class<?> failure = Class.forName("java.util.concurrent.CompletableFuture$AltResult");
        MethodHandles.Lookup in = MethodHandles.privateLookupIn(CompletableFuture.class, own);
        SET =
            in.findVirtual(
                CompletableFuture.class,
                "internalComplete",
                MethodType.methodType(boolean.class, Object.class));
        NEW_FAILURE =
            MethodHandles.privateLookupIn(failure, own)
                .findConstructor(failure, MethodType.methodType(void.class, Throwable.class))
                .asType(MethodType.methodType(Object.class, Throwable.class));
        NULL = in.findStaticGetter(CompletableFuture.class, "NIL", failure).invoke();
      } catch (Throwable e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private Internals() {}

    /** So often that the JDK has made its code for them: that takes memory. */
    static void useOften() {
      for (int i = 0; i < JdkDoor.OFTEN; i++) {
        value(new CompletableFuture<>(), null);
        failure(new CompletableFuture<>(), NO_FAILURE);
      }
    }
  }

  private static final Throwable NO_FAILURE = new Throwable(null, null, false, false) {};
}
