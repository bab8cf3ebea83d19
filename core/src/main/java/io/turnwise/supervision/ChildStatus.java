package io.turnwise.supervision;

import io.turnwise.ActorRef;
import io.turnwise.StopReason;
import org.jspecify.annotations.Nullable;

/**
 * A child as its supervisor sees it.
 *
 * @param restarts how often it was started again
 * @param lastReason why it ended last, or null if it never has
 */
public record ChildStatus(
    ActorRef<?> actor, ChildState state, int restarts, @Nullable StopReason lastReason) {}
