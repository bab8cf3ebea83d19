package io.turnwise.benchmarks.peer;

/**
 * Actors that share the processor as one.
 *
 * @param name which group it is
 * @param weight its share against the others'
 * @param ceiling at most this part of all workers, 1 for no ceiling
 */
public record Group(String name, int weight, double ceiling) {}
