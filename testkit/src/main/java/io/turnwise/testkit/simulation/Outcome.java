package io.turnwise.testkit.simulation;

import java.time.Duration;

/**
 * How a simulation went.
 *
 * @param seed what it was drawn from
 * @param schedule what was chosen, for {@link Strategy.Replay}
 * @param turns how many slices were run
 * @param time how much time has passed in it
 * @param hash of everything that happened: equal for equal runs, on any machine
 */
public record Outcome(long seed, String schedule, long turns, Duration time, long hash) {}
