package io.turnwise.time;

import java.time.Duration;

/**
 * How long after their time callbacks began, of all so far. Each is at most an eighth more than it
 * was; the maximum is exact.
 */
public record Lateness(
    long count, Duration p50, Duration p90, Duration p99, Duration p999, Duration maximum) {}
