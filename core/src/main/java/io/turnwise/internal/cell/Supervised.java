package io.turnwise.internal.cell;

import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.internal.mailbox.Envelope;
import io.turnwise.internal.supervisor.Child;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.PoisonMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What an actor has that is started again and again: what it is made from, and what is kept for it
 * from one life to the next. The owner's, but for what says otherwise.
 */
final class Supervised {
  final ActorCell<?> cell;
  final ChildSpec<?> spec;

  /** Where it stands among its siblings. */
  final long place;

  /** Told of messages that have failed too often. */
  final @Nullable Consumer<? super PoisonMessage> poisonListener;

  /** As its supervisor sees it. The supervisor's turns. */
  Child child;

  /** Which life it is in, or was in last, from 1. The owner writes; who kills it looks. */
  volatile int incarnation;

  /**
   * How often it was told to start: the life that it is in when it has heard all. The supervisor.
   */
  int starts;

  /** It does as its supervisor told it, and need not ask. */
  boolean told;

  /** It is going to be started again as soon as it can. */
  boolean toRestart;

  /** It is not to be started again. */
  boolean forGood;

  /**
   * A supervisor whose children are down, as its last life left them, and wait for the next one.
   * Not once its next life has begun with them; also if that is over before it has begun.
   */
  boolean childrenWait;

  /** Why its last life ended. */
  @Nullable StopReason lastReason;

  /** What came while it was down, oldest first; of an unbounded mailbox. */
  private @Nullable ArrayDeque<Envelope> held;

  /** News that came while it waited for a verdict. */
  @Nullable ArrayDeque<Signal> news;

  /** That one it was linked to has ended, while it waited for a verdict. */
  Notice.@Nullable LinkEnded linkEnded;

  /** The message that is tried again, and how often it has been. */
  private @Nullable Envelope tried;

  private int tries;

  /** Those of its supervisor's timers that are about it. The supervisor's turns. */
  private List<SupervisionTimer> timers = List.of();

  /** When it is to be started again, by the ticker's clock, or 0. Its supervisor; others look. */
  volatile long dueAt;

  Supervised(
      ActorCell<?> cell,
      ChildSpec<?> spec,
      @Nullable Consumer<? super PoisonMessage> poisonListener,
      Child child,
      long place) {
    this.cell = cell;
    this.place = place;
    this.poisonListener = poisonListener;
    this.spec = spec;
    this.child = child;
  }

  void add(SupervisionTimer timer) {
    if (timers.isEmpty()) timers = new ArrayList<>(1);
    timers.add(timer);
  }

  /** The timer of this ticket, which is none of its any more; null if there is none. */
  @Nullable SupervisionTimer takeTimer(int ticket) {
    for (int i = 0; i < timers.size(); i++)
      if (timers.get(i).ticket == ticket) return timers.remove(i);
    return null;
  }

  void tellPoison(PoisonMessage poison) {
    Consumer<? super PoisonMessage> listener = poisonListener;
    if (listener == null) return;
    LocalActorSystem system = cell.kind.system;
    system.callbacks.execute(
        () -> {
          try {
            listener.accept(poison);
          } catch (Throwable e) {
            system.listenerFailed("listener of poison messages", listener, e);
          }
        });
  }

  /** Returns false when there are as many as its spec keeps. */
  boolean hold(Envelope envelope) {
    if (held == null) held = new ArrayDeque<>();
    if (held.size() >= spec.heldMessages()
        && !(envelope.message() instanceof ActorCell.RuntimeMessage)) return false;
    held.add(envelope);
    return true;
  }

  /** What was held, and still is. */
  @Nullable ArrayDeque<Envelope> held() {
    return held;
  }

  @Nullable ArrayDeque<Envelope> takeHeld() {
    ArrayDeque<Envelope> all = held;
    held = null;
    return all;
  }

  int heldCount() {
    ArrayDeque<Envelope> all = held;
    return all == null ? 0 : all.size();
  }

  /** Whether it is the message that failed last. */
  boolean isTried(Envelope envelope) {
    return envelope == tried;
  }

  /** Counts a failure of this message. Returns how often it has failed in a row. */
  int countTry(Envelope failed) {
    tries = failed == tried ? tries + 1 : 1;
    tried = failed;
    return tries;
  }
}
