package io.turnwise.observation;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One actor, seen from outside at one moment.
 *
 * @param path its place in the tree
 * @param state where it stands
 * @param queued messages that wait in its mailbox
 * @param handling the type of the message in hand, or null
 * @param since how long ago the turn under way began, with all its slices and waits; if none is,
 *     how long it has waited for a worker; zero when it is waiting for messages. To about a
 *     millisecond
 * @param usage what it has used so far
 * @param stack where its code is, innermost first, the first 40 frames; empty when no turn is under
 *     way, or when it went on too fast to be seen
 */
public record ActorSnapshot(
    String path,
    ActorState state,
    long queued,
    @Nullable String handling,
    Duration since,
    Usage usage,
    List<StackTraceElement> stack) {

  public ActorSnapshot {
    stack = List.copyOf(stack);
  }

  /** One line for people. */
  public String describe() {
    var text = new StringBuilder(path).append(" is ").append(state);
    if (handling != null) text.append(", handling ").append(handling);
    if (!since.isZero()) text.append(" for ").append(since.toMillis()).append(" ms");
    return text.append(", ").append(queued).append(" queued").toString();
  }
}
