package io.turnwise.benchmarks.peer;

/** The reply to an {@link Self#ask}, delivered to the asking actor as a message. */
public record Answer(Object payload) {}
