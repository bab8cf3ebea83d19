package io.turnwise.benchmarks.workload;

/** A workload finished, or gave up waiting, without having done what it was asked to do. */
public final class WrongResultException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WrongResultException(String what) {
    super(what);
  }

  WrongResultException(String what, Throwable cause) {
    super(what, cause);
  }

  static void unlessEqual(String what, long expected, long actual) {
    if (expected != actual) {
      throw new WrongResultException(what + ": expected " + expected + ", got " + actual);
    }
  }
}
