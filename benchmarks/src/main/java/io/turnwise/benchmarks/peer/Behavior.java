package io.turnwise.benchmarks.peer;

/**
 * What an actor does with one message. State lives in the fields of the behaviour: the runtime
 * calls it one message at a time.
 *
 * @param <A> the peer's actor address
 */
@FunctionalInterface
public interface Behavior<A> {
  /** Handles one message and says whether the actor lives on. */
  Next receive(Object message, Self<A> self) throws Exception;
}
