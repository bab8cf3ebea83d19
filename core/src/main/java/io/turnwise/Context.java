package io.turnwise;

import io.turnwise.mailbox.StashFullException;
import io.turnwise.time.ActorTimers;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What an actor can do besides computing. Handed to each of its methods; belongs to that actor and
 * may be used only inside its own turns: elsewhere its methods throw {@link IllegalStateException}.
 *
 * @param <M> the actor's messages
 */
public sealed interface Context<M> permits io.turnwise.internal.cell.TurnContext {

  /** The actor's own address. The one method that any thread may use at any time. */
  ActorRef<M> self();

  /** The system the actor lives in. */
  ActorSystem system();

  /** Starts an anonymous child. */
  <N> ActorRef<N> spawn(Supplier<? extends Actor<N>> factory);

  /**
   * Starts a named child; the name is unique among living siblings.
   *
   * @throws IllegalArgumentException when the name is taken, or is none: 1 to 128 letters, digits
   *     or marks of {@code -_.~+=@:,}
   * @throws IllegalStateException when this actor is stopping; so do the other ways to spawn
   */
  <N> ActorRef<N> spawn(String name, Supplier<? extends Actor<N>> factory);

  /** Starts an anonymous child as the spec says. */
  <N> ActorRef<N> spawn(ActorSpec<N> spec);

  /** Starts a named child as the spec says. */
  <N> ActorRef<N> spawn(String name, ActorSpec<N> spec);

  /** The living children, in no particular order. */
  List<ActorRef<?>> children();

  /**
   * Answers the call in hand. Where it was sent with {@link ActorRef#cast}, nobody waits, and the
   * answer goes nowhere.
   *
   * @throws IllegalStateException when {@code call} is not the message in hand, or was answered
   */
  <R> void reply(Call<M, R> call, R value);

  /**
   * Fails the call in hand: its caller gets a {@link CalleeFailedException} with this cause. The
   * actor lives on.
   *
   * @throws IllegalStateException when {@code call} is not the message in hand, or was answered
   */
  <R> void fail(Call<M, R> call, Throwable cause);

  /**
   * Takes the answer of the call in hand upon itself: now or in a later turn, through the result.
   *
   * @throws IllegalStateException when {@code call} is not the message in hand, or was answered
   */
  <R> Reply<R> defer(Call<M, R> call);

  /**
   * Hands the call in hand to another actor, which then answers the original caller. The caller's
   * timeout goes on running, and a refusal by the other's full mailbox is the caller's to hear.
   * Where that lets senders wait, the turn waits for room, but no longer than the caller's call
   * does.
   *
   * @throws IllegalStateException when {@code call} is not the message in hand, or was answered
   */
  <N, R> void forward(Call<M, R> call, ActorRef<N> target, Call<N, R> request);

  /**
   * Sends a request; its outcome comes back as a message to this actor, which does not wait for it.
   * Where the target's mailbox is full and lets senders wait, the turn waits for room, as with any
   * send, but no longer than the call does: then the request is withdrawn.
   */
  <N, R> void callToSelf(
      ActorRef<N> target,
      Call<N, R> request,
      Function<? super CallOutcome<R>, ? extends M> toMessage);

  /** The same with a timeout of its own. */
  <N, R> void callToSelf(
      ActorRef<N> target,
      Call<N, R> request,
      Duration timeout,
      Function<? super CallOutcome<R>, ? extends M> toMessage);

  /**
   * Asks for one {@link Signal.Terminated} when that actor ends, or now if it already has. Watching
   * twice is watching once.
   *
   * @throws IllegalArgumentException when it is this actor itself
   */
  void watch(ActorRef<?> actor);

  /** Takes {@link #watch} back: no signal about that actor is handled after this returns. */
  void unwatch(ActorRef<?> actor);

  /**
   * Ties this actor's life to another's: when either crashes, is killed or is told to stop, the
   * other ends too, with {@link LinkedActorEndedException} where it was no order. An end of its own
   * accord ({@link #stop}) only unties them, and a crash after which its supervisor lets it go on
   * with its state is no end. To link twice is to link once; an instance that replaces another has
   * no links. If the other's life is over already, this one ends as if it ended now.
   *
   * @throws IllegalArgumentException when it is this actor itself
   */
  void link(ActorRef<?> actor);

  /** Takes {@link #link} back, on both sides: no end is shared after this returns here. */
  void unlink(ActorRef<?> actor);

  /**
   * Puts the message in hand aside, its call included.
   *
   * @throws StashFullException when the stash holds as many as its spec allows
   */
  void stash();

  /** Handles the stashed messages next, oldest first, before anything that waits in the mailbox. */
  void unstashAll();

  /** The actor's own timers: messages to itself, later, once or periodically. */
  ActorTimers<M> timers();

  /**
   * Has the actor sent this message when it has handled no message for so long; and again after
   * each such time. Replaces the one before. Signals do not count as messages, those of timers do.
   *
   * @throws IllegalArgumentException when the timeout is not positive
   */
  void receiveTimeout(Duration timeout, M message);

  /** Takes {@link #receiveTimeout} back: its message does not come after this returns. */
  void cancelReceiveTimeout();

  /** Stops this actor after the message in hand. */
  void stop();

  /** Stops this actor when everything queued so far has been handled. */
  void stopAfterDrain();
}
