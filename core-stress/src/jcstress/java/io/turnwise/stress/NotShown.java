package io.turnwise.stress;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What this test forbids is seen in no weakened copy, and why. Such a test may be one that cannot
 * fail here; it is kept for the machines on which it can.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface NotShown {
  /** Two plain writes, seen in the wrong order. */
  String STORES_IN_ORDER =
      "x86 shows one thread's writes to others in their order, and the compilers leave these two in"
          + " theirs: a copy with plain writes did not fail in 700 million samples; AArch64 may show it";

  String value();
}
