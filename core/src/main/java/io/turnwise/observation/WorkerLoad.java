package io.turnwise.observation;

import java.time.Duration;

/**
 * How busy a worker is.
 *
 * @param worker its index
 * @param queued actors that wait for it, those that are pinned to it included; about as many, while
 *     it runs
 * @param wheelTurn how long the last full turn of its wheel took: the time in which every busy
 *     actor had one quantum; zero while none is busy for a whole quantum
 * @param parked whether it sleeps
 * @param usage what it has used so far
 */
public record WorkerLoad(int worker, int queued, Duration wheelTurn, boolean parked, Usage usage) {}
