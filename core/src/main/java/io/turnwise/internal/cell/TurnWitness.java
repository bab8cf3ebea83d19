package io.turnwise.internal.cell;

import io.turnwise.ActorRef;

/** Is told of each turn of a simulated system, on that turn's thread, and may break it. */
public interface TurnWitness {
  /**
   * A message is about to be put into an actor's mailbox.
   *
   * @param deliver puts it there
   * @return whether the witness sees to that, at another time or never
   */
  boolean sends(ActorRef<?> to, Object message, Runnable deliver);

  /** A message was refused by its mailbox, or withdrawn before it was in: it is nobody's now. */
  void refused(ActorRef<?> to, Object message);

  /** The outcome of a call is about to become a message of the actor that made the call. */
  void becomesMessage(ActorRef<?> actor);

  /** Before the handler runs. What it throws is taken for the handler's. */
  void begins(ActorRef<?> actor, Object message);

  /** The handler has thrown, or was ended. */
  void failed(ActorRef<?> actor, Object message, Throwable cause);

  /** After the handler has returned. What it throws is taken for the handler's. */
  void ends(ActorRef<?> actor, Object message);

  /** What would be logged elsewhere. */
  void says(String text);
}
