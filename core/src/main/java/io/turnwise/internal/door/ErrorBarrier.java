package io.turnwise.internal.door;

/**
 * A frame that no error of ours may be thrown through. A class whose initialiser throws is unusable
 * for ever; a function that was called back from foreign code, and throws, ends the JVM; and what
 * other native methods leave undone when their callbacks throw, nobody knows.
 *
 * <p>Who has just been unmounted has none of these on its stack. On a platform thread one must
 * look.
 */
public final class ErrorBarrier {
  /** Callbacks have no other frame, and that one is hidden. */
  private static final StackWalker WALKER =
      StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES);

  private static final String CALLED_BACK = "jdk.internal.foreign.abi.UpcallStub";

  private ErrorBarrier() {}

  /** Whether there is one on the current thread's stack. Takes microseconds, and memory. */
  public static boolean isOnStack() {
    return WALKER.walk(frames -> frames.anyMatch(ErrorBarrier::isOne));
  }

  private static boolean isOne(StackWalker.StackFrame frame) {
    return frame.isNativeMethod()
        || frame.getMethodName().equals("<clinit>")
        || frame.getClassName().startsWith(CALLED_BACK);
  }
}
