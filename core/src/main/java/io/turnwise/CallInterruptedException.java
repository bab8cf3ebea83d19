package io.turnwise;

/** The calling thread was interrupted while it waited. Its interrupt flag is set again. */
public final class CallInterruptedException extends CallException {
  private static final long serialVersionUID = 1L;

  public CallInterruptedException(String callee, String request) {
    super(
        callee,
        request,
        "The thread that waited for " + callee + " to answer " + request + " was interrupted",
        null);
  }
}
