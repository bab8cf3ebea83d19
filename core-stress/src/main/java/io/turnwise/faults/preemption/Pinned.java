package io.turnwise.faults.preemption;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Runs code below a native frame, where no virtual thread can be unmounted. */
final class Pinned {
  private static final ThreadLocal<Runnable> SECTION = new ThreadLocal<>();
  private static final MethodHandle QSORT = qsort();
  private static final MemorySegment COMPARISON = comparison();

  private Pinned() {}

  static void run(Runnable section) {
    SECTION.set(section);
    try (Arena arena = Arena.ofConfined()) {
      QSORT.invokeExact(arena.allocate(8, 4), 2L, 4L, COMPARISON);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  /** Called once by the C library: two elements take one comparison. */
  private static int compare(MemorySegment a, MemorySegment b) {
    SECTION.get().run();
    return 0;
  }

  @SuppressWarnings("restricted")
  private static MethodHandle qsort() {
    return Linker.nativeLinker()
        .downcallHandle(
            Linker.nativeLinker().defaultLookup().findOrThrow("qsort"),
            FunctionDescriptor.ofVoid(
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS));
  }

  @SuppressWarnings("restricted")
  private static MemorySegment comparison() {
    try {
      return Linker.nativeLinker()
          .upcallStub(
              MethodHandles.lookup()
                  .findStatic(
                      Pinned.class,
                      "compare",
                      MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class)),
              FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
              Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
