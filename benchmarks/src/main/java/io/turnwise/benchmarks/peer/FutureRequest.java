package io.turnwise.benchmarks.peer;

import java.util.concurrent.CompletableFuture;

/**
 * A request whose answer completes a future: the way back for peers without an ask of their own.
 */
record FutureRequest(Object payload, CompletableFuture<Object> answer) implements Request {}
