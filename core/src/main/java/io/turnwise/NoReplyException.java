package io.turnwise;

/** The called actor handled the request and did not answer it. */
public final class NoReplyException extends CallException {
  private static final long serialVersionUID = 1L;

  public NoReplyException(String callee, String request) {
    super(
        callee,
        request,
        "Actor "
            + callee
            + " handled "
            + request
            + " without a reply. [NO-REPLY]\n"
            + "  next:  reply, defer or forward it in receive; or send it with cast",
        null);
  }
}
