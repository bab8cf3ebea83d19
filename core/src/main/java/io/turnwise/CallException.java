package io.turnwise;

import org.jspecify.annotations.Nullable;

/** A call that got no answer. The subclass says why; the message says to whom and what to do. */
public abstract sealed class CallException extends RuntimeException
    permits CallTimeoutException,
        CalleeStoppedException,
        CalleeFailedException,
        RequestDroppedException,
        NoReplyException,
        CallInterruptedException {
  private static final long serialVersionUID = 1L;

  private final String callee;
  private final String request;

  CallException(String callee, String request, String text, @Nullable Throwable cause) {
    super(text, cause);
    this.callee = callee;
    this.request = request;
  }

  static String describe(Throwable cause) {
    try {
      return cause.toString();
    } catch (Throwable broken) { // a message that cannot be printed must not hide the failure
      return cause.getClass().getName();
    }
  }

  /** The path of the actor that was called. */
  public String callee() {
    return callee;
  }

  /** The type of the request. */
  public String request() {
    return request;
  }
}
