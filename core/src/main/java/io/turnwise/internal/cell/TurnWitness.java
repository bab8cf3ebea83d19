package io.turnwise.internal.cell;

import io.turnwise.ActorRef;
import io.turnwise.mailbox.MailboxConfig;

/** Is told of each turn of a simulated system, on that turn's thread, and may break it. */
public interface TurnWitness {
  /** The bounds of a new actor's mailbox, where its spec has these. */
  MailboxConfig roomOf(ActorRef<?> actor, MailboxConfig specified);

  /**
   * A message is about to be put into an actor's mailbox.
   *
   * @param deliver puts it there
   * @return whether the witness sees to that, at another time or never
   */
  boolean sends(ActorRef<?> to, Object message, Runnable deliver);

  /**
   * What the runtime itself has brought becomes a message of the actor's, and is handled next: the
   * outcome of a call, the tick of a timer. Nobody has sent it.
   */
  void arises(ActorRef<?> actor);

  /** A message was refused by its mailbox, or withdrawn before it was in: it is nobody's now. */
  void refused(ActorRef<?> to, Object message);

  /**
   * A call is over. From any thread.
   *
   * @param outcome the answer, or an object that stands for none
   */
  void answered(ActorRef<?> by, Object outcome);

  /** Before the handler runs. What it throws is taken for the handler's. */
  void begins(ActorRef<?> actor, Object message);

  /** The handler has thrown, or was ended. */
  void failed(ActorRef<?> actor, Object message, Throwable cause);

  /** After the handler has returned. What it throws is taken for the handler's. */
  void ends(ActorRef<?> actor, Object message);

  /** What would be logged elsewhere. */
  void says(String text);
}
