package io.turnwise.benchmarks.peer;

import java.time.Duration;
import java.util.concurrent.Future;

/**
 * What the workloads need from an actor runtime, seen from a plain thread. A peer implements this
 * and {@link Self} once; every workload then runs on it unchanged.
 *
 * @param <A> what the peer calls an actor from outside: its address
 */
public interface ActorRuntime<A> extends AutoCloseable {

  /** Creates an actor. Returns when messages may be sent to it. */
  A spawn(Behavior<A> behavior);

  /** Creates an actor that is to be interrupted often, where a peer lets its users choose. */
  default A spawnWithShortSlices(Behavior<A> behavior) {
    return spawn(behavior);
  }

  /**
   * Creates an actor that computes for this long at a time while others want to.
   *
   * @throws UnsupportedOperationException where the peer lacks {@link Ability#SHARES}
   */
  default A spawnWithQuantum(Behavior<A> behavior, Duration quantum) {
    throw new UnsupportedOperationException("this peer's actors all get the same");
  }

  /**
   * Creates an actor of a group that shares the processor as one.
   *
   * @throws UnsupportedOperationException where the peer lacks {@link Ability#SHARES}
   */
  default A spawnInGroup(Behavior<A> behavior, Group group) {
    throw new UnsupportedOperationException("this peer's actors all get the same");
  }

  /**
   * How long an actor has had a thread, by the peer's own accounts.
   *
   * @throws UnsupportedOperationException where the peer lacks {@link Ability#SHARES}
   */
  default Duration ran(A actor) {
    throw new UnsupportedOperationException("this peer keeps no accounts of its actors");
  }

  /**
   * What is known of one actor and of all of them, as a person would ask for it.
   *
   * @throws UnsupportedOperationException where the peer lacks {@link Ability#INSPECTION}
   */
  default String inspect(A actor) {
    throw new UnsupportedOperationException("this peer's actors cannot be looked at");
  }

  /**
   * Ends an actor whatever it does; the future ends when it is gone.
   *
   * @throws UnsupportedOperationException where the peer lacks {@link Ability#KILL}
   */
  default Future<?> kill(A actor) {
    throw new UnsupportedOperationException("this peer cannot end an actor that does not return");
  }

  /** Sends a message to one of this runtime's actors. */
  void send(A receiver, Object message);

  /** Ends an actor when it has handled what was sent to it before. Harmless if it has ended. */
  void stop(A actor);

  /** Sends a {@link Request} with this payload; the future ends with what the server replied. */
  Future<Object> ask(A server, Object payload);

  /** Asks and waits, in the way this peer's users would write it. */
  default Object askAndWait(A server, Object payload) throws Exception {
    return ask(server, payload).get();
  }

  /**
   * Plain tasks without a mailbox.
   *
   * @throws UnsupportedOperationException where the peer lacks {@link Ability#TASKS}
   */
  default TaskPool tasks() {
    throw new UnsupportedOperationException("this peer runs no plain tasks");
  }

  /**
   * Timers for plain code.
   *
   * @throws UnsupportedOperationException where the peer lacks {@link Ability#TIMERS}
   */
  default TimerSource timers() {
    throw new UnsupportedOperationException("this peer has no timers");
  }

  /** Version and settings, in one line. */
  String describe();

  @Override
  void close();
}
