package io.turnwise;

/** News from the runtime to one actor, handled by {@link Actor#info} before queued messages. */
public sealed interface Signal {

  /** The actor this news is about. */
  ActorRef<?> actor();

  /**
   * A watched actor has ended: sent once, after its name is free again. Also sent, at once, to who
   * watches an actor that has already stopped.
   */
  record Terminated(ActorRef<?> actor, StopReason reason) implements Signal {}

  /**
   * A child has crashed or was killed: its end was not orderly. Its parent is told without having
   * to watch it.
   */
  record ChildCrashed(ActorRef<?> actor, StopReason reason) implements Signal {}
}
