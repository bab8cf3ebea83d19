package io.turnwise.internal.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntPredicate;

/**
 * At which workers a slice was asked to stop: a bit for each, so that whoever has stopped need not
 * look at all the others to see whether the flag may go down.
 *
 * <pre>
 * Why no open request is without its bit:
 *   who asks                          who answers, or withdraws
 *   1. write the slice's number       1. clear the bit (full fence)
 *   2. set the bit (full fence)       2. write that there is no request
 *   3. raise the flag                 3. lower the flag, look at the bits, maybe raise it again
 * A request that lasts was written after step 2 on the right, so its bit was set after step 1. And
 * if the look comes before the bit is set, the flag is raised after it was lowered.
 * </pre>
 *
 * A bit without a request does no harm: who looks asks the worker as well.
 */
final class OpenRequests {
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] words;

  OpenRequests(int workers) {
    words = new long[(workers + 63) / 64];
  }

  /** Spare threads have none of these bits: they are few, and looked at one by one. */
  private boolean hasBit(int worker) {
    return worker >>> 6 < words.length;
  }

  void add(int worker) {
    if (hasBit(worker)) WORDS.getAndBitwiseOr(words, worker >>> 6, 1L << worker);
  }

  void remove(int worker) {
    if (hasBit(worker)) WORDS.getAndBitwiseAnd(words, worker >>> 6, ~(1L << worker));
  }

  /** Whether this holds for any of those whose bit is set. */
  boolean isAny(IntPredicate open) {
    for (int i = 0; i < words.length; i++) {
      long word = (long) WORDS.getVolatile(words, i);
      for (; word != 0; word &= word - 1)
        if (open.test((i << 6) + Long.numberOfTrailingZeros(word))) return true;
    }
    return false;
  }
}
