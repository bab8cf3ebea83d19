package io.turnwise.benchmarks.peer;

/**
 * What an actor can do, seen from inside. Valid while the actor handles a message, and only there.
 *
 * @param <A> the peer's actor address
 */
public interface Self<A> {

  /** The actor's own address. */
  A address();

  /** Creates a child, or simply another actor where the peer knows no children. */
  A spawn(Behavior<A> behavior);

  /** Sends a message to another actor, or to itself. */
  void send(A receiver, Object message);

  /**
   * Sends a {@link Request} and returns; the reply comes back to this actor as an {@link Answer}.
   *
   * @throws UnsupportedOperationException where the peer lacks {@link Ability#ANSWERS_AS_MESSAGES}
   */
  default void ask(A server, Object payload) {
    throw new UnsupportedOperationException("this peer's actors wait for their answers");
  }

  /**
   * Sends a {@link Request} and waits for the reply without holding a worker.
   *
   * @throws UnsupportedOperationException where the peer lacks {@link Ability#BLOCKING_ACTORS}
   */
  default Object askAndWait(A server, Object payload) throws Exception {
    throw new UnsupportedOperationException("this peer's actors must not block");
  }

  /** Answers a request that this actor received. */
  void reply(Request request, Object answer);
}
