package io.turnwise;

import io.turnwise.scheduling.SchedulingConfig;
import org.jspecify.annotations.Nullable;

/**
 * State and behaviour that handle one message at a time.
 *
 * <p>The runtime calls these methods one after another, never two at once, on a virtual thread that
 * is the actor's meanwhile: a handler may block ({@link ActorRef#call}, {@code Thread.sleep},
 * locks, sockets) without holding a worker. Everything one call wrote is visible to the next;
 * fields need no {@code volatile} and no lock.
 *
 * <p>An exception from any method crashes the actor: it stops, {@link #teardown} runs with {@link
 * StopReason.Crashed}, and its parent and its watchers are told. One that has a supervisor comes
 * back as that one's {@code SupervisorSpec} says: a fresh instance, the same address and mailbox.
 *
 * @param <M> the protocol: usually a sealed interface of records
 */
@FunctionalInterface
public interface Actor<M> {

  /** Handles one message. */
  void receive(M message, Context<M> context) throws Exception;

  /** Runs before the first message, as a turn of the new actor. */
  default void init(Context<M> context) throws Exception {}

  /** Handles news from the runtime, such as the end of a watched actor. Ignores it by default. */
  default void info(Signal signal, Context<M> context) throws Exception {}

  /**
   * Runs once as the actor's last turn, after its children have stopped. It does not run when the
   * constructor or {@link #init} failed before there was anything to take down.
   */
  default void teardown(StopReason reason, Context<M> context) throws Exception {}

  /**
   * Runs instead of {@link #teardown} as the last turn of an instance that its supervisor is going
   * to replace. By default it is taken down like any other.
   *
   * @param reason why it ended
   */
  default void preRestart(StopReason reason, Context<M> context) throws Exception {
    teardown(reason, context);
  }

  /**
   * Runs instead of {@link #init} as the first turn of an instance that replaces another. By
   * default it is initialised like the first one.
   *
   * @param reason why the one before it ended
   */
  default void postRestart(StopReason reason, Context<M> context) throws Exception {
    init(context);
  }

  /**
   * This kind of actor's own scheduling, read once after construction; {@code null} means what its
   * {@link ActorSpec}, its dispatcher or the system says. A spec that names a scheduling wins.
   */
  default @Nullable SchedulingConfig schedulingConfig() {
    return null;
  }
}
