package io.turnwise.internal.cell;

import io.turnwise.ActorRef;
import io.turnwise.internal.mailbox.BoundedStore;
import io.turnwise.internal.scheduler.Runner;
import io.turnwise.internal.scheduler.Share;
import io.turnwise.internal.scheduler.ThreadRunner;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.Priority;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.HandlerTimeout;
import io.turnwise.scheduling.SchedulingConfig;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What many actors have in common: everything of their spec but the factory. Shared by them. */
final class Kind {
  final LocalActorSystem system;
  final Runner runner;

  /** Unbounded, without priorities, unwitnessed: the send path needs to look no further. */
  final boolean plain;

  final MailboxConfig mailbox;
  final int stashCapacity;

  /** Of the runtime's own actors: their letters are not counted, their crashes not reported. */
  final boolean internal;

  /** How long handlers may take, by their kind; null where there is no limit at all. */
  final @Nullable Map<HandlerKind, HandlerTimeout> timeouts;

  /** With whom its actors share their time, or null. */
  final @Nullable Share share;

  /** Who is told of each turn, in a simulation; else null. */
  final @Nullable TurnWitness witness;

  /**
   * Of an actor with a thread of its own: the same without, for when that is left behind. Made with
   * it: then it may be memory that is missing, and nobody else would run the actor.
   */
  final @Nullable Kind elsewhere;

  /** Its handlers have no time limit and no witness. */
  final boolean quiet;

  private final Map<Class<?>, Priority> priorities;
  private final @Nullable WorkerDispatcher dispatcher;
  private final @Nullable SchedulingConfig own;

  Kind(
      LocalActorSystem system,
      Runner runner,
      MailboxConfig mailbox,
      Map<Class<?>, Priority> priorities,
      int stashCapacity,
      @Nullable WorkerDispatcher dispatcher,
      @Nullable SchedulingConfig own,
      @Nullable Map<HandlerKind, HandlerTimeout> timeouts,
      boolean internal) {
    this.system = system;
    this.runner = runner;
    this.mailbox = mailbox;
    this.priorities = priorities;
    this.stashCapacity = stashCapacity;
    this.dispatcher = dispatcher;
    this.own = own;
    this.timeouts = timeouts;
    this.internal = internal;
    this.witness = internal ? null : system.turnWitness;
    this.quiet = timeouts == null && witness == null;
    this.plain = !mailbox.isBounded() && priorities.isEmpty() && witness == null;
    this.share = own == null || dispatcher == null ? null : dispatcher.share(own.group());
    this.elsewhere = runner instanceof ThreadRunner ? withRunner(system.elastic) : null;
  }

  /** The same with a scheduling of its own. */
  Kind withScheduling(SchedulingConfig scheduling) {
    return with(runner, scheduling);
  }

  /** The same on other threads. */
  private Kind withRunner(Runner other) {
    return with(other, own);
  }

  private Kind with(Runner newRunner, @Nullable SchedulingConfig scheduling) {
    return new Kind(
        system,
        newRunner,
        mailbox,
        priorities,
        stashCapacity,
        dispatcher,
        scheduling,
        timeouts,
        internal);
  }

  /**
   * So many messages are about to be accepted by actors of this kind, or, negative, were refused
   * after all. For {@link Audit}; in a simulation its witness counts. Only ever asked in an {@code
   * assert}: a count that all senders share is dear, and where assertions are off, compiled code
   * has nothing of it.
   *
   * @return true
   */
  boolean counts(int messages) {
    if (!internal && witness == null) system.accepted.addAndGet(messages);
    return true;
  }

  /** What the runtime itself has brought to an actor is its next message: nobody has sent it. */
  void arises(ActorRef<?> actor) {
    assert counts(1);
    if (witness != null) witness.arises(actor);
  }

  boolean hasOwnScheduling() {
    return own != null;
  }

  SchedulingConfig scheduling() {
    if (own != null) return own;
    return dispatcher != null ? dispatcher.scheduling() : SchedulingConfig.DEFAULT;
  }

  /** The lane of a message. */
  Priority priorityOf(Object message) {
    for (Map.Entry<Class<?>, Priority> entry : priorities.entrySet())
      if (entry.getKey().isInstance(message)) return entry.getValue();
    return Priority.NORMAL;
  }

  /** For a new actor; null where its mailbox has no bound. */
  @Nullable BoundedStore newStore(ActorRef<?> owner) {
    MailboxConfig own = witness == null ? mailbox : witness.roomOf(owner, mailbox);
    return own.isBounded() ? new BoundedStore(own, system.waits) : null;
  }
}
