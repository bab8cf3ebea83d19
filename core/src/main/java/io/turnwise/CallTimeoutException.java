package io.turnwise;

import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.ActorState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** No answer within the timeout. Carries what the callee was doing at that moment. */
public final class CallTimeoutException extends CallException {
  private static final long serialVersionUID = 1L;
  private static final int FRAMES_SHOWN = 12;
  private static final Duration MILLISECOND = Duration.ofMillis(1);

  private final Duration timeout;
  private final transient ActorSnapshot calleeThen;

  /** A memo: races are harmless. */
  private @Nullable String text;

  public CallTimeoutException(
      String callee, String request, Duration timeout, ActorSnapshot calleeThen) {
    super(callee, request, "", null);
    this.timeout = timeout;
    this.calleeThen = calleeThen;
  }

  /** The same, with words of its own. */
  public CallTimeoutException(
      String callee,
      String request,
      Duration timeout,
      ActorSnapshot calleeThen,
      String text,
      @Nullable Throwable cause) {
    super(callee, request, text, cause);
    this.timeout = timeout;
    this.calleeThen = calleeThen;
    this.text = text;
  }

  /** Put together when it is first asked for: most timeouts are caught, and nobody reads them. */
  @Override
  public String getMessage() {
    String known = text;
    if (known == null) text = known = text(callee(), request(), timeout, calleeThen);
    return known;
  }

  /** What the callee was doing does not travel, what is said of it does. */
  private Object writeReplace() {
    text = getMessage();
    return this;
  }

  /** How long the caller waited. */
  public Duration timeout() {
    return timeout;
  }

  /** The callee at the moment of the timeout: its state, queue, message in hand and stack. */
  public ActorSnapshot calleeThen() {
    return calleeThen;
  }

  private static String text(String callee, String request, Duration timeout, ActorSnapshot then) {
    var text = new StringBuilder(300);
    text.append("Actor ").append(callee).append(" did not answer ").append(request);
    text.append(" within ").append(inWords(timeout)).append(". [CALL-TIMEOUT]\n  where: ");
    text.append(then.describe());
    for (int i = 0; i < Math.min(FRAMES_SHOWN, then.stack().size()); i++)
      text.append("\n         at ").append(then.stack().get(i));
    return text.append("\n  next:  ").append(next(then)).toString();
  }

  /** Milliseconds; less than one of them in smaller units. */
  private static String inWords(Duration time) {
    if (time.compareTo(MILLISECOND) >= 0) return time.toMillis() + " ms";
    long nanos = time.toNanos();
    return nanos % 1_000 == 0 ? nanos / 1_000 + " µs" : nanos + " ns";
  }

  private static String next(ActorSnapshot then) {
    if (then.state() == ActorState.RESTARTING)
      return "it is down until its restart, and answers then: pass a longer timeout to call, or see"
          + " in ActorSystem.tree when that is";
    if (then.stack().isEmpty())
      return "no handler is at work on it: it waits in the mailbox, or its reply was deferred; pass"
          + " a longer timeout to call, or use callToSelf";
    return "look at the stack above; if the work takes that long, pass a longer timeout to call, or"
        + " use callToSelf";
  }
}
