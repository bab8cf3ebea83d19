package io.turnwise;

import io.turnwise.mailbox.Priority;
import io.turnwise.observation.ActorSnapshot;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The address of an actor: the only way to reach it. May be shared freely between threads and stays
 * usable, harmlessly, after the actor has stopped.
 *
 * @param <M> the messages the actor understands
 */
public sealed interface ActorRef<M> permits io.turnwise.internal.cell.Address {

  /** The actor's place in the tree, for example {@code /shop/orders/line-7}. */
  String path();

  /** The last part of the path; anonymous actors have one that begins with {@code $}. */
  String name();

  /**
   * Sends a message and returns. From any thread. The message is handled once, or becomes a counted
   * dead letter: when the actor has stopped, or when its bounded mailbox is full and its policy
   * drops. Where the policy is to wait, a full mailbox makes the sender wait; where it is to fail,
   * {@link io.turnwise.mailbox.MailboxFullException}.
   */
  void cast(M message);

  /** The same in a lane of the sender's choice, whatever the message's type says. */
  void cast(M message, Priority priority);

  /**
   * Sends a request and waits for its answer, at most the system's call timeout (5 s unless
   * configured). From an actor it suspends the fiber, not a worker; from a plain thread it parks
   * that thread.
   *
   * @throws CallException when there is no answer; its subclasses say why
   * @throws io.turnwise.mailbox.MailboxFullException when a full mailbox refused the request; one
   *     that drops it, {@link RequestDroppedException}
   * @throws IllegalStateException when an actor calls itself: it would wait for its own turn to end
   */
  <R> R call(Call<M, R> request);

  /** The same with a timeout of its own. */
  <R> R call(Call<M, R> request, Duration timeout);

  /**
   * Sends a request and returns the answer to come. A callback that is attached before the answer
   * comes runs on a thread of the system that no actor uses; one attached afterwards runs at once,
   * where it was attached. (Where there is no memory to hand it to such a thread, it runs on the
   * one that answers.) The stage fails with what {@link #call} would throw, a refusal by a full
   * mailbox included. Inside an actor prefer {@link Context#callToSelf}: it delivers the answer as
   * a message, so that no callback touches the actor's state from outside.
   */
  <R> CompletionStage<R> callAsync(Call<M, R> request);

  /** The same with a timeout of its own. */
  <R> CompletionStage<R> callAsync(Call<M, R> request, Duration timeout);

  /**
   * Asks the actor to stop after the message in hand. Its children stop first; queued messages
   * become dead letters. Returns at once.
   */
  void stop();

  /** Asks the actor to stop when everything that was queued before this call has been handled. */
  void stopAfterDrain();

  /**
   * Ends the actor whatever it is doing: a handler in the middle of a loop, in a wait, or one that
   * swallows {@link HandlerCancelled}. Its children are killed as well; {@code teardown} is not
   * called; queued messages become dead letters; the caller of the call in hand is told. Returns at
   * once; the result says what had to be done.
   */
  CompletionStage<KillReport> kill();

  /** Completes, on a thread of the system that no actor uses, when the actor has stopped. */
  CompletionStage<StopReason> whenStopped();

  /**
   * What the actor is doing now. A look from outside: it may have moved on already. To see the
   * stack of a turn that runs, it is stopped for a moment; an actor that waits for messages costs
   * nothing.
   */
  ActorSnapshot snapshot();
}
