package io.turnwise;

/** The called actor had stopped, or stopped before it answered. */
public final class CalleeStoppedException extends CallException {
  private static final long serialVersionUID = 1L;

  public CalleeStoppedException(String callee, String request, String detail) {
    super(
        callee,
        request,
        "Actor "
            + callee
            + " cannot answer "
            + request
            + ": "
            + detail
            + ". [CALLEE-STOPPED]\n  next:  watch the actor to learn of its end, or look it up anew",
        null);
  }
}
