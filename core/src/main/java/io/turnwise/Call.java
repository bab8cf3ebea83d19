package io.turnwise;

/**
 * A message that asks for an answer. It ties the request to the protocol it belongs to and to the
 * type of its reply, so that both {@link ActorRef#call} and {@link Context#reply} are checked by
 * the compiler.
 *
 * {@snippet file="ApiSnippets.java" region="call"}
 *
 * <p>The record must also implement the protocol {@code M} itself; where it does not, the call
 * fails with a sentence that says so.
 *
 * @param <M> the protocol this request belongs to
 * @param <R> the type of the reply
 */
@SuppressWarnings("unused") // both parameters exist for the compiler's sake alone
public interface Call<M, R> {}
