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
 * @param since how long ago the present slice or suspension began, to about a millisecond; zero
 *     when it is waiting for messages
 * @param usage what it has used so far
 * @param stack where its code is, innermost first; empty when no turn is under way, and where it
 *     was not asked for: {@link io.turnwise.ActorRef#snapshot} leaves it out
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
