package io.turnwise;

import org.jspecify.annotations.Nullable;

/**
 * The called actor had stopped, or stopped before it answered. If it crashed, over another message,
 * the cause is what crashed it.
 */
public final class CalleeStoppedException extends CallException {
  private static final long serialVersionUID = 1L;

  public CalleeStoppedException(
      String callee, String request, String detail, @Nullable Throwable crash) {
    this(callee, request, detail, "watch the actor to learn of its end, or look it up anew", crash);
  }

  public CalleeStoppedException(
      String callee, String request, String detail, String next, @Nullable Throwable crash) {
    super(
        callee,
        request,
        "Actor "
            + callee
            + " cannot answer "
            + request
            + ": "
            + detail
            + (crash == null ? "" : ": " + describe(crash))
            + ". [CALLEE-STOPPED]\n  next:  "
            + next,
        crash);
  }
}
