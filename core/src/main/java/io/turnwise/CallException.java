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

  /**
   * A cause, to be the end of a sentence: without its full stop, and without what our own errors
   * say beyond their first sentence. The cause itself still has that.
   */
  static String describe(Throwable cause) {
    String text;
    try {
      text = String.valueOf(cause.toString());
    } catch (Throwable broken) { // a message that cannot be printed must not hide the failure
      return cause.getClass().getName();
    }
    for (String part : PARTS) {
      int at = text.indexOf(part);
      if (at >= 0) text = text.substring(0, at);
    }
    int code = text.lastIndexOf(". [");
    if (code >= 0 && isCode(text, code + 3)) text = text.substring(0, code);
    if (text.length() > MOST) return text.substring(0, MOST) + "…";
    return text.endsWith(".") && !text.endsWith("..") ? text.substring(0, text.length() - 1) : text;
  }

  /** The cause itself has all of it. */
  private static final int MOST = 2_000;

  private static final String[] PARTS = {"\n  where: ", "\n  next:  "};

  private static boolean isCode(String text, int from) {
    int last = text.length() - 1;
    for (int i = from; i < last; i++) {
      char each = text.charAt(i);
      if (each != '-' && (each < 'A' || each > 'Z')) return false;
    }
    return from < last && text.charAt(last) == ']';
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
