package io.turnwise;

/** The called actor crashed while it handled the request, or failed the call itself. */
public final class CalleeFailedException extends CallException {
  private static final long serialVersionUID = 1L;

  public CalleeFailedException(String callee, String request, Throwable cause) {
    super(
        callee,
        request,
        "Actor " + callee + " failed on " + request + ": " + describe(cause) + ". [CALLEE-FAILED]",
        cause);
  }
}
