package io.turnwise.supervision;

import io.turnwise.ActorRef;
import io.turnwise.StopReason;
import org.jspecify.annotations.Nullable;

/**
 * A child as its supervisor sees it.
 *
 * @param restarts how often it was started again under this address, also by earlier lives of its
 *     supervisor
 * @param lastReason why it ended last, as far as this life of its supervisor knows; null if it has
 *     not ended. To be resumed is no end
 */
public record ChildStatus(
    ActorRef<?> actor, ChildState state, int restarts, @Nullable StopReason lastReason) {}
