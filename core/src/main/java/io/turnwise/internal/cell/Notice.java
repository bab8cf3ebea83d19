package io.turnwise.internal.cell;

import io.turnwise.Signal;
import io.turnwise.StopReason;
import org.jspecify.annotations.Nullable;

/** Something in the system lane: a signal for the actor, or an order of the runtime. */
sealed interface Notice {
  /** For {@link io.turnwise.Actor#info}. */
  record News(Signal signal) implements Notice {}

  /** Stop after the message in hand. */
  record Stop(StopReason reason) implements Notice {}

  /** The turn in hand, or the actor, is to end. Polls look for it here. */
  record Cancel(Cancellation cancellation) implements Notice {}

  /** A child has ended: an actor that waits for its children looks again. */
  record ChildGone() implements Notice {}

  /** A link of the system lane. */
  final class Link {
    final Notice notice;
    @Nullable Link next;

    Link(Notice notice) {
      this.notice = notice;
    }
  }
}
