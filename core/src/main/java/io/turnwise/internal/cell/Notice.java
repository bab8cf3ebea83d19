package io.turnwise.internal.cell;

import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.internal.supervisor.Child;
import org.jspecify.annotations.Nullable;

/** Something in the system lane: a signal for the actor, or an order of the runtime. */
sealed interface Notice {
  /** For {@link io.turnwise.Actor#info}. */
  record News(Signal signal) implements Notice {}

  /** A child that no supervisor cares for ended badly; for that life of its parent's alone. */
  record ChildCrashed(Signal signal, int ofLife) implements Notice {}

  /** Stop after the message in hand. */
  record Stop(StopReason reason) implements Notice {}

  /** The turn in hand, or the actor, is to end. Polls look for it here. */
  record Cancel(Cancellation cancellation) implements Notice {}

  /** A child has ended: an actor that waits for its children looks again. */
  record ChildGone() implements Notice {}

  /** That life of another has linked itself to this one. */
  record Linked(ActorCell<?> to, int itsLife) implements Notice {}

  /** Another has taken its link back. */
  record Unlinked(ActorCell<?> from) implements Notice {}

  /** A life that this one may be linked to is over. */
  record LinkEnded(ActorCell<?> other, int itsLife, StopReason reason) implements Notice {}

  /** To a supervisor: what one of its children has come to. */
  record OfChild(Supervised child, Event event, @Nullable StopReason reason, boolean resumable)
      implements Notice {}

  /** What a supervised actor tells its supervisor. */
  enum Event {
    /** It has started. */
    UP,
    /** It has failed or stopped: what now? */
    ASKS,
    /** It was asked to stop while it was down, or about to be. */
    ASKS_WHILE_DOWN,
    /** It is down as it was told, and can be started again. */
    DOWN,
    /** It is gone. */
    ENDED
  }

  /** To a supervisor: the time of a child has come. */
  record Due(Child child, int ticket) implements Notice {}

  /**
   * From a supervisor.
   *
   * @param reason why it ends, or null for the reason it gave itself
   */
  record Ordered(Order order, @Nullable StopReason reason) implements Notice {}

  /** What a supervisor can tell a child of its. */
  enum Order {
    /** Start, from being down. */
    START,
    /** Go on with the state you have. */
    RESUME,
    /** Stop, and be ready to be started again. */
    RESTART,
    /** Stop, and stay down for now. */
    TAKE_DOWN,
    /** Stop for good. */
    END,
    /** What you would do at your end is left out. To one that waits for a verdict, before that. */
    AT_ONCE
  }

  /** A link of the system lane. */
  final class Link {
    /** Ends the lane of an actor that has ended: nothing is put in any more. */
    static final Link NO_MORE = new Link(new ChildGone());

    final Notice notice;
    @Nullable Link next;

    Link(Notice notice) {
      this.notice = notice;
    }
  }
}
