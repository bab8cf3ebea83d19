package io.turnwise.supervision;

import io.turnwise.ActorRef;
import java.time.Duration;

/**
 * A restart that waits for its time.
 *
 * @param dueIn how long from now; zero where only others that it depends on are waited for
 */
public record PendingRestart(ActorRef<?> actor, Duration dueIn) {}
