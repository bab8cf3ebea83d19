package io.turnwise.faults.preemption;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** What no poll can stop. Excluded from weaving where it is used. */
enum Unstoppable {
  /** Blocks in the C library. */
  NATIVE {
    @Override
    void run(int millis) {
      try {
        int _ = (int) USLEEP.invokeExact(millis * 1_000);
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }
  },
  BUSY {
    @Override
    void run(int millis) {
      long until = System.nanoTime() + millis * 1_000_000L;
      while (System.nanoTime() - until < 0) Thread.onSpinWait();
    }
  };

  @SuppressWarnings("restricted")
  private static final MethodHandle USLEEP =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("usleep"),
              FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  /** For about so long. */
  abstract void run(int millis);
}
