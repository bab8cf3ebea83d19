package io.turnwise.time;

import java.time.Duration;
import java.util.Optional;

/**
 * What a system's timers have done. Exact once nobody schedules, cancels or runs any.
 *
 * @param pending callbacks that are still to come; a periodic one counts once
 * @param executed callbacks that have begun: each time of a periodic one
 * @param cancelled how many were taken back, also by the end of the system
 * @param failed callbacks that have thrown
 * @param averageDelay what those that were executed were asked to wait, on average; a periodic one
 *     its first delay, and its period or delay before each later time
 * @param maximumDelay the longest of these
 * @param oldestPending how long ago the oldest that is pending was scheduled; empty if none is
 * @param missedTicks times of periodic timers that were left out because the one before was not
 *     done, or the process stood still; those of actors included
 * @param lateness how late callbacks began
 */
public record TimerMetrics(
    long pending,
    long executed,
    long cancelled,
    long failed,
    Duration averageDelay,
    Duration maximumDelay,
    Optional<Duration> oldestPending,
    long missedTicks,
    Lateness lateness) {}
