package io.turnwise.internal.cell;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.HandlerCancelled;
import io.turnwise.KillReport;
import io.turnwise.LinkedActorEndedException;
import io.turnwise.Signal;
import io.turnwise.StopReason;
import io.turnwise.internal.mailbox.BoundedStore;
import io.turnwise.internal.mailbox.Envelope;
import io.turnwise.internal.mailbox.Hand;
import io.turnwise.internal.mailbox.Mailbox;
import io.turnwise.internal.mailbox.OwedMessage;
import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.Runner;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.scheduler.Share;
import io.turnwise.internal.scheduler.ThreadRunner;
import io.turnwise.mailbox.Priority;
import io.turnwise.mailbox.StashFullException;
import io.turnwise.observation.ActorState;
import io.turnwise.observation.DeadLetterReason;
import io.turnwise.scheduling.HandlerKind;
import io.turnwise.scheduling.HandlerTimeout;
import io.turnwise.scheduling.SchedulingConfig;
import io.turnwise.supervision.FailureAction;
import io.turnwise.supervision.PoisonMessage;
import io.turnwise.supervision.RestartType;
import io.turnwise.supervision.SupervisorBlueprint;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One actor: its address, its mailbox and its life in one object, so that an idle one is small and
 * a send touches little memory. Here is its life; what others do to it is in {@link Observed},
 * {@link Watched}, {@link Address} and {@link Mailbox}.
 *
 * <p>Fields without a word on them belong to the owner: the worker, or suspended fiber, whose hands
 * the actor is in.
 *
 * @param <M> the messages it understands
 */
public final class ActorCell<M> extends Observed<M> {
  private static final byte STARTING = 0;
  private static final byte ACTIVE = 1;

  /** Its life is over, and its supervisor has been asked what now. */
  private static final byte ASKING = 2;

  private static final byte STOPPING = 3;

  /** Without an instance: not started yet, or to be started again. */
  private static final byte DOWN = 4;

  private static final byte ENDED = 5;

  private static final StopReason CRASHED_SPEECHLESS =
      new StopReason.Crashed(
          new OutOfMemoryError("no memory was left to say what crashed the actor"));

  static final StopReason FINISHED = new StopReason.Finished();

  private static final StopReason BY_SUPERVISOR = new StopReason.ShutDown("its supervisor");

  private static final StopReason BY_PARENT = new StopReason.ShutDown("its parent, which stops");

  /** How often to look for a message that is on its way before letting others run. */
  private static final int LOOKS = 100;

  /** Messages in one slice that make a stream. */
  private static final int STREAM = 20;

  private static final int LINGER_LOOKS = 10;

  private static final int LINGER_PAUSES = 10;

  /** Links of {@link Children}, under its lock. */
  @Nullable ActorCell<?> siblingNext;

  @Nullable ActorCell<?> siblingPrevious;

  /** The factory until the first turn, then the actor, then null. */
  private @Nullable Object behaviour;

  private @Nullable TurnContext<M> context;
  private @Nullable Belongings belongings;

  private @Nullable StopReason stopReason;
  private byte life;

  /**
   * Which of its belongings matter to each message, so that the others need not be looked at. The
   * owner; that it is bounded is known from the start.
   */
  private byte beside;

  private static final byte BOUNDED = 1;
  private static final byte REPLAY = 2;

  /** Notices that were taken out of the lane wait in its context. */
  private static final byte LATER_NOTICES = 4;

  /** Its timers want a look between two messages. */
  private static final byte TIMED = 8;

  ActorCell(Kind kind, @Nullable ActorCell<?> parent, @Nullable String name, Object factory) {
    super(kind, parent, name);
    this.behaviour = factory;
    BoundedStore store = kind.plain ? null : kind.newStore(this);
    if (store != null) {
      belongings = new Belongings(store);
      beside = BOUNDED;
    }
  }

  @Override
  ActorCell<M> cell() {
    return this;
  }

  @Override
  @Nullable Class<?> protocol() {
    return behaviour instanceof Actor<?> actor ? Protocols.of(actor.getClass()) : null;
  }

  @Override
  @Nullable StopReason stopReason() {
    return stopReason;
  }

  // ---- being stopped -------------------------------------------------------------------------

  @Override
  protected boolean hasSignals() {
    return newestNotice() != null || (beside & LATER_NOTICES) != 0;
  }

  @Override
  public void stop() {
    notify(new Notice.Stop(new StopReason.ShutDown(whoAsks())));
  }

  /** For good. By its parent, or by who closes the system. */
  void stop(StopReason reason) {
    if (supervised() == null) notify(new Notice.Stop(reason));
    else order(Notice.Order.END, reason);
  }

  @Override
  public void stopAfterDrain() {
    sendPill(new StopReason.ShutDown(whoAsks()));
  }

  /** Behind everything that is queued now. */
  void sendPill(StopReason reason) {
    putPill(new Pill(reason, Priority.NORMAL));
  }

  private void putPill(Pill pill) {
    var envelope = new Envelope(pill, null);
    BoundedStore store = bounded();
    if (store == null) {
      put(envelope, pill.lane);
      return;
    }
    if (store.force(envelope, pill.lane)) wake(); // full or not
  }

  /**
   * Stops the actor behind everything that was queued before it: travels through the normal lane,
   * then the high one, then the low one. What comes later cannot hold it up for ever.
   */
  static final class Pill extends RuntimeMessage {
    private final StopReason reason;
    private final Priority lane;

    Pill(StopReason reason, Priority lane) {
      this.reason = reason;
      this.lane = lane;
    }

    Pill inNextLane() {
      return new Pill(reason, lane == Priority.NORMAL ? Priority.HIGH : Priority.LOW);
    }
  }

  private static String whoAsks() {
    Seat seat = Seat.current();
    return seat != null && seat.task() instanceof ActorCell<?> cell
        ? cell.path()
        : "thread " + nameOfThread();
  }

  /** For people. Virtual threads have no name unless they are given one. */
  static String nameOfThread() {
    Thread here = Thread.currentThread();
    return here.getName().isEmpty() ? "#" + here.threadId() : here.getName();
  }

  // ---- slices --------------------------------------------------------------------------------

  @Override
  protected Runner runner() {
    return kind.runner;
  }

  @Override
  protected @Nullable BoundedStore bounded() {
    return (beside & BOUNDED) == 0 ? null : Objects.requireNonNull(belongings).store;
  }

  @Override
  protected int quantum() {
    return (int) kind.scheduling().quantum().toNanos();
  }

  @Override
  protected @Nullable Share share() {
    return kind.share;
  }

  @Override
  protected boolean holdsBack() {
    return life != ACTIVE && life != STARTING && !endsForGood();
  }

  @Override
  protected boolean isBusy() {
    return super.isBusy() && !isIdle() && !isClosed();
  }

  @Override
  protected boolean isPreemptible() {
    return kind.scheduling().preemptible();
  }

  @Override
  protected boolean runSlice(Seat seat) {
    if (life == ENDED) return false;
    int throughput = kind.scheduling().throughput();
    int handled = 0;
    int looks = 0;
    Object next;
    for (; ; ) {
      if (seat.isSpoiled() && life <= ACTIVE) {
        if (handled > 0) noteHandled(handled);
        seat.charge(this);
        return true; // goes on elsewhere
      }
      if (life != ACTIVE && life == STARTING) {
        start(seat);
        throughput = kind.scheduling().throughput(); // the actor may have brought its own
      }
      if (hasSignals()) {
        if (handleNotices(throughput, seat)) {
          seat.charge(this);
          return true;
        }
        if (seat.isSpoiled() && life <= ACTIVE) continue;
      }
      if (life != ACTIVE) {
        if (life == STARTING) continue; // told to start again
        if (life == STOPPING && finish(seat)) return false;
        if (endsForGood() ? buryQueued(throughput) : holdQueued(throughput))
          return true; // a flood: let others run
      } else if ((next = takeNext()) != null) {
        TurnContext<M> hand = context();
        Actor<M> quiet = kind.quiet ? actor() : null;
        @Nullable Object @Nullable [] bundle = beside == 0 ? bundleInHand(hand) : null;
        do {
          if (handled > 0) seat.beginTiming(this);
          if (bundle != null && quiet != null && isBare(next)) {
            handled = turns(next, bundle, hand, seat, quiet, handled, throughput);
          } else {
            turn(next, hand, seat, quiet);
            handled++;
          }
          if (handled >= throughput || seat.sends() >= throughput || seat.isOver()) {
            noteHandled(handled);
            seat.charge(this);
            return true;
          }
        } while (bundle != null
            && isUndisturbed()
            && !seat.isSpoiled()
            && (next = takeFrom(bundle, hand)) != null);
        continue;
      }
      if (isInStream(handled) && seat.mayLinger() && awaitNext()) continue;
      if (handled > 0) noteHandled(handled);
      seat.charge(this);
      if (tryIdle()) return false;
      seat.goesOn(this);
      if (++looks >= LOOKS) return true;
    }
  }

  /** Whether its next slice finds nothing to do. In whose hands it is. */
  boolean isDone() {
    return suspendedFiber() == null && isUndisturbed() && isDrained();
  }

  /** Whether nothing but its messages needs looking at. */
  private boolean isUndisturbed() {
    return newestNotice() == null && beside == 0 && life == ACTIVE;
  }

  /** Having handled nothing in this slice, it has just ended one that handled many. */
  private boolean isInStream(int handled) {
    return handled >= STREAM || (handled == 0 && takesBundles());
  }

  /**
   * Waits some microseconds for the next message of a stream. To go idle and to be woken costs the
   * sender more than that, for each time. Looks seldom: each look takes the line of cache away that
   * the sender is about to write to.
   */
  private boolean awaitNext() {
    for (int i = 0; i < LINGER_LOOKS; i++) {
      for (int j = 0; j < LINGER_PAUSES; j++) Thread.onSpinWait();
      if (hasNext()) return true;
    }
    return false;
  }

  @Override
  protected Hand hand() {
    return context();
  }

  @Override
  protected @Nullable Hand handIfAny() {
    return context;
  }

  private TurnContext<M> context() {
    TurnContext<M> now = context;
    if (now == null) {
      now = new TurnContext<>(this);
      context = now;
    }
    return now;
  }

  @SuppressWarnings("unchecked") // set by start
  private Actor<M> actor() {
    Object actor = behaviour;
    assert actor instanceof Actor : "an actor has turns only after it was made";
    return (Actor<M>) actor;
  }

  /** The first turn: makes the actor and initialises it. */
  @SuppressWarnings("unchecked") // spawn was given this very factory
  private void start(Seat seat) {
    TurnContext<M> turn = context();
    // First: if it fails, its end has to know, and may find no memory to remember it.
    if (SupervisorBlueprint.isMadeBy(behaviour)) belongings().supervises = true;
    enter(seat, HandlerKind.INIT);
    try {
      Actor<M> actor = ((Supplier<? extends Actor<M>>) Objects.requireNonNull(behaviour)).get();
      comeBack(seat);
      if (actor == null)
        throw new NullPointerException(
            "The factory of " + path() + " returned null; return a new actor");
      if (actor instanceof SupervisorBlueprint blueprint) actor = household(blueprint.spec());
      behaviour = actor;
      SchedulingConfig own = actor.schedulingConfig();
      comeBack(seat);
      if (own != null && !kind.hasOwnScheduling()) kind = kind.withScheduling(own);
      Supervised of = supervised();
      if (of == null || of.lastReason == null) actor.init(turn);
      else actor.postRestart(of.lastReason, turn);
      leave(seat);
      life = ACTIVE;
      if (of != null) tellSupervisor(of, Notice.Event.UP, null, false);
      stopIfAsked(turn);
    } catch (Throwable e) {
      Cancellation struck = leaveCancelled(seat);
      if (struck != null && struck.isKill()) beginStop(struck.killed);
      else crash(seat, e, "init");
    } finally {
      if (!seat.isAbandoned()) { // else this may be its next life
        turn.endTurn();
        seat.scrub();
        seat.beginTurn();
      }
    }
  }

  /** The next message: first what was unstashed, then the mailbox. */
  private @Nullable Object takeNext() {
    return (beside & TIMED) == 0 ? takeAny() : lookAtTimers(takeAny());
  }

  private @Nullable Object takeAny() {
    if ((beside & REPLAY) != 0) {
      Envelope first = belongings().asideOrNew().next();
      if (first != null) return takeUp(first);
      beside &= ~REPLAY;
    }
    return take();
  }

  // ---- timers --------------------------------------------------------------------------------

  /** In its own turn. */
  @SuppressWarnings("unchecked") // made here, for this actor
  KeyedTimers<M> timers() {
    Belongings own = belongings();
    if (own.timers == null) own.timers = new KeyedTimers<>(this);
    return (KeyedTimers<M>) own.timers;
  }

  void timersNeedLooks(boolean wanted) {
    context().touch();
    if (wanted) beside |= TIMED;
    else beside &= ~TIMED;
  }

  /** A turn is over, and this comes next, or nothing. */
  private @Nullable Object lookAtTimers(@Nullable Object next) {
    timers().look(next != null && !(Envelope.messageOf(next) instanceof RuntimeMessage));
    return next;
  }

  /** At the end, and whenever the actor begins anew. The owner. */
  private void endTimers() {
    Belongings own = belongings;
    if (own != null && own.timers != null) own.timers.endAll();
  }

  /**
   * Handles a message.
   *
   * @param quiet the actor, if its handler has no limit and its turns no witness
   */
  @SuppressWarnings("unchecked") // senders are typed; raw types end in the catch
  private void turn(Object item, TurnContext<M> turn, Seat seat, @Nullable Actor<M> quiet) {
    Object message = item;
    Envelope envelope = Envelope.ofItem(item);
    try {
      if (envelope != null) {
        message = envelope.message();
        if (message instanceof RuntimeMessage own) {
          message = open(own, seat);
          if (message == null) return;
        }
      }
      if (quiet != null) {
        seat.enterHandler();
        quiet.receive((M) message, turn);
        seat.leaveHandler();
      } else {
        receiveWatched(message, envelope, turn, seat);
      }
    } catch (Throwable e) {
      endFailed(item, message, turn, seat, e);
      return;
    }
    boolean touched = turn.isTouched() || envelope != null && envelope.caller() != null;
    if (!touched) seat.counters.messagesHandled++;
    else endTouched(envelope, turn, seat);
    putDown(turn);
    if (touched) stopIfAsked(turn);
    seat.scrub();
  }

  /**
   * Turn after turn, for bare messages that lie side by side: what {@link #turn} does for each, and
   * what comes between two turns of a slice, in as few steps as can be. Returns where a handler did
   * more than to compute and to send, and where something else than the next message may be due.
   *
   * @param before how many the slice has handled so far
   * @return how many it has handled now
   */
  @SuppressWarnings("unchecked") // as in turn
  private int turns(
      Object first,
      @Nullable Object[] bundle,
      TurnContext<M> turn,
      Seat seat,
      Actor<M> quiet,
      int before,
      int throughput) {
    Object message = first;
    int handled = before;
    for (; ; ) {
      try {
        seat.enterHandler();
        quiet.receive((M) message, turn);
        seat.leaveHandler();
      } catch (Throwable e) {
        endFailed(message, message, turn, seat, e);
        return handled + 1;
      }
      handled++;
      if (turn.isTouched()) {
        endTouched(null, turn, seat);
        putDown(turn);
        stopIfAsked(turn);
        seat.scrub();
        return handled;
      }
      seat.counters.messagesHandled++;
      seat.scrub();
      Object next = newestNotice() == null ? peekBare(bundle, turn) : null;
      if (next == null
          || handled >= throughput
          || seat.sends() >= throughput
          || seat.isSpoiled()
          || !seat.mayGoOn()) {
        putDown(turn);
        return handled;
      }
      takePeeked(turn);
      message = next;
    }
  }

  /** Where the handler has a limit, or its turns a witness. */
  @SuppressWarnings("unchecked") // as in turn
  private void receiveWatched(
      Object message, @Nullable Envelope envelope, TurnContext<M> turn, Seat seat)
      throws Exception {
    boolean isCall = envelope != null && envelope.caller() != null;
    enter(seat, isCall ? HandlerKind.CALL : HandlerKind.CAST);
    TurnWitness witness = kind.witness;
    if (witness != null) witness.begins(this, message);
    actor().receive((M) message, turn);
    if (witness != null) witness.ends(this, message);
    leave(seat);
  }

  /** After a turn that failed. */
  private void endFailed(
      Object item, @Nullable Object message, TurnContext<M> turn, Seat seat, Throwable e) {
    Cancellation struck = leaveCancelled(seat);
    if (kind.witness != null) kind.witness.failed(this, Envelope.messageOf(item), e);
    Object caller = endFailedTurn(turn, item);
    try {
      if (struck != null) endCancelled(seat, struck, caller, false, e);
      else fail(seat, message == null ? Envelope.messageOf(item) : message, item, caller, e);
    } catch (Throwable again) { // no memory even to say so: stop without more ado
      beginStop(CRASHED_SPEECHLESS);
    }
    putDown();
    seat.scrub();
  }

  /** After a turn that did more than to compute and to send, or in which a caller waits. */
  private void endTouched(@Nullable Envelope envelope, TurnContext<M> turn, Seat seat) {
    if (!turn.endTurn()) { // a stashed message counts when it is handled
      seat.counters.messagesHandled++;
      if (envelope != null && envelope.caller() instanceof PendingCall<?> unanswered)
        unanswered.noReply();
    }
  }

  // ---- handlers that are to end ----------------------------------------------------------------

  private void enter(Seat seat, HandlerKind handler) {
    if (kind.timeouts != null) startLimit(handler);
    seat.enterHandler();
  }

  private void leave(Seat seat) {
    seat.leaveHandler();
    if (kind.timeouts != null) endLimit();
  }

  /**
   * Between two calls of a user's code that are one handler, before anything here is written. Does
   * not return if the actor has gone on without it.
   */
  private static void comeBack(Seat seat) {
    seat.leaveHandler();
    seat.enterHandler();
  }

  /** After the handler threw. Returns what has cancelled it, if anything has. */
  private @Nullable Cancellation leaveCancelled(Seat seat) {
    Cancellation cancelling = cancellation();
    leave(seat);
    seat.spoil(); // who knows which locks it holds
    return cancelling != null && cancelling.hasStruck() ? cancelling : null;
  }

  private void startLimit(HandlerKind handler) {
    HandlerTimeout timeout = Objects.requireNonNull(kind.timeouts).get(handler);
    if (timeout == null) return;
    var limit = new TurnLimit(this, handler, timeout);
    belongings().limit = limit;
    kind.system.ticker.schedule(limit);
  }

  private void endLimit() {
    TurnLimit limit = limitInForce();
    if (limit == null) return;
    synchronized (limit) {
      belongings().limit = null;
    }
    kind.system.ticker.cancel(limit);
  }

  /** The timeout of the handler under way. Any thread. */
  @Nullable TurnLimit limitInForce() {
    Belongings own = belongings;
    return own == null ? null : own.limit;
  }

  /** What is to end the turn in hand or the actor, if anything is. Any thread. */
  private @Nullable Cancellation cancellation() {
    for (Notice.Link l = newestNotice(); l != null; l = l.next)
      if (l.notice instanceof Notice.Cancel(Cancellation asked)
          && (asked.isKill() ? asked.incarnation == incarnation() : asked.limit == limitInForce()))
        return asked;
    return null;
  }

  @Override
  protected boolean isCancelDue(Seat seat) {
    Cancellation asked = cancellation();
    return asked != null && asked.isDue(seat);
  }

  @Override
  protected void cancel(Seat seat) {
    Cancellation asked = cancellation();
    if (asked != null && asked.isDue(seat)) asked.strike(seat);
  }

  @Override
  protected void outlast(Seat seat) {
    Cancellation asked = cancellation();
    if (asked != null && asked.isDue(seat)) asked.outlast(seat);
  }

  /** Whether its turn is to end, or would be if it were not in a grace. On its own thread. */
  boolean isToEnd() {
    return cancellation() != null;
  }

  /** Said once for each actor: who does it once does it with every message. */
  @Override
  protected void maskOverran(long nanos, long limitNanos) {
    Belongings own = belongings();
    if (own.maskOverranSaid) return;
    own.maskOverranSaid = true;
    kind.system.reporter.maskOverran(this, nanos, limitNanos);
  }

  /** A handler ended by an error after it was cancelled. */
  private void endCancelled(
      Seat seat, Cancellation struck, @Nullable Object caller, boolean uncounted, Throwable e) {
    HandlerCancelled error = e instanceof HandlerCancelled own ? own : struck.error(e);
    if (!uncounted) seat.counters.messagesFailed++;
    if (caller instanceof PendingCall<?> call) call.fail(error);
    if (struck.isKill()) return; // its notice is next
    if (struck.isOnlyForTheTurn()) kind.system.reporter.say(String.valueOf(error.getMessage()));
    else crash(seat, error, "a handler that took too long");
  }

  /**
   * The turn under way was taken from its thread, which does not touch this cell any more; the
   * caller has it, and lets it end.
   */
  void goOnWithoutTurn(Cancellation why) {
    leaveThread(kind.system.tick);
    try {
      endTakenTurn(why);
    } catch (Throwable noMemory) {
      // Its caller hears of it by the timeout.
    }
    Hand hand = handIfAny();
    if (hand != null) putDown(hand);
    Belongings own = belongings;
    if (own != null) own.limit = null;
    behaviour = null; // its state is in the hands of code that still runs
    life = ACTIVE;
    Kind elsewhere = kind.elsewhere; // made beforehand: its own thread never comes back to it
    if (elsewhere != null) kind = elsewhere;
    try {
      beginStop(why.isKill() ? why.killed : crashed(why.error()));
    } catch (Throwable noMemory) {
      beginStop(CRASHED_SPEECHLESS);
    } finally { // nobody else has the actor
      if (runner().enqueue(this, null)) runner().rouse(this);
    }
  }

  private void endTakenTurn(Cancellation why) {
    kind.system.handlersAbandoned.increment();
    Object item = inHand();
    if (item == null) return;
    kind.system.messagesAbandoned.increment();
    if (endFailedTurn(context(), item) instanceof PendingCall<?> call) call.fail(why.error());
  }

  @Override
  boolean hasEnded() {
    return life == ENDED;
  }

  /**
   * Whether nothing of this life runs any more, or will. Any thread. The number is written after
   * {@code life} says that the next has begun: who reads a number does not take the end of the life
   * before it for its end.
   */
  boolean hasEnded(int incarnation) {
    int present = incarnation();
    byte now = life;
    return now == ENDED || present > incarnation || present == incarnation && now == DOWN;
  }

  @Override
  public CompletionStage<KillReport> kill() {
    return Cancellation.kill(this, whoAsks());
  }

  private void stopIfAsked(TurnContext<M> turn) {
    if (turn.isStopAsked()) beginStop(FINISHED);
  }

  /**
   * Something that travels in the mailbox without being one of the actor's messages, always in an
   * envelope.
   */
  abstract static sealed class RuntimeMessage extends OwedMessage
      permits Pill, SelfCall.Answer, KeyedTimer.Tick {}

  /**
   * Turns the answer of a call, or the tick of a timer, into the actor's own message; swallows a
   * pill, and a tick of a timer that is not in force any more, giving null.
   */
  @SuppressWarnings("unchecked") // the call and the timer were made by this very actor
  private @Nullable Object open(RuntimeMessage own, Seat seat) {
    return switch (own) {
      case Pill pill -> {
        putDown();
        if (pill.lane == Priority.LOW || !hasLaneMessages()) beginStop(pill.reason);
        else putPill(pill.inNextLane());
        yield null;
      }
      case SelfCall.Answer<?, ?> answer when answer.incarnation() != incarnation() -> {
        putDown(); // asked for by one that is no more
        yield null;
      }
      case SelfCall.Answer<?, ?> answer -> {
        kind.arises(this); // counts also if the function throws
        enter(seat, HandlerKind.CAST); // a user's function: as much a handler as what follows
        Object message = ((SelfCall.Answer<M, ?>) answer).toMessage();
        leave(seat);
        if (message == null)
          throw new NullPointerException("The function given to callToSelf returned null");
        yield becomes(message);
      }
      case KeyedTimer.Tick<?> tick -> {
        Object message = ((KeyedTimer.Tick<M>) tick).take(kind.system.tick.nanoTime());
        if (message == null) {
          putDown();
          yield null;
        }
        kind.arises(this);
        yield becomes(message);
      }
    };
  }

  /** What came as the runtime's own is one of the actor's messages from here on. */
  private Object becomes(Object message) {
    putDown();
    takeUp(new Envelope(message, null));
    if ((beside & TIMED) != 0) timers().becomesMessage();
    return message;
  }

  /** Whether the current thread is the one that runs a turn of this actor. */
  boolean isItsTurn() {
    Seat here = Seat.current();
    return here != null && here.task() == this;
  }

  private void fail(Seat seat, Object message, Object item, @Nullable Object caller, Throwable e) {
    PendingCall<?> call = (PendingCall<?>) caller;
    if (e instanceof ClassCastException wrong && isWrongType(message, wrong)) {
      // Not the actor's fault, and not its business: its code never saw the message.
      Class<?> protocol = Protocols.of(actor().getClass());
      String text = protocol != null ? wrongType(message, protocol) : wrongType(message, wrong);
      if (call != null) call.settleFailed(new ClassCastException(text));
      if (!kind.internal) kind.system.deadLetters.add(message, this, DeadLetterReason.WRONG_TYPE);
      kind.system.reporter.say(text);
      return;
    }
    if (call != null) call.fail(e);
    if (call != null || !isTriedAgain(message, item, e))
      seat.counters.messagesFailed++; // else it is tried again, and counted there
    crash(seat, e, message.getClass().getSimpleName());
  }

  /**
   * Where the actor's class does not tell its protocol, the stack does: a lambda casts its argument
   * before it calls any code that a stack trace shows. Compiled code that has thrown it often
   * throws it without a stack; by then the first ones have told what the lambda takes.
   */
  private boolean isWrongType(Object message, ClassCastException e) {
    Class<?> protocol = Protocols.of(actor().getClass());
    if (protocol != null) return !protocol.isInstance(message);
    StackTraceElement[] stack = e.getStackTrace();
    if (stack.length == 0) return Protocols.refuses(actor().getClass(), message.getClass());
    if (!stack[0].getClassName().equals(ActorCell.class.getName())) return false;
    Protocols.learn(actor().getClass(), message.getClass(), e);
    return true;
  }

  private String wrongType(Object message, ClassCastException e) {
    return "Actor "
        + path()
        + " does not handle "
        + message.getClass().getName()
        + " ("
        + (e.getMessage() != null
            ? e.getMessage()
            : "it handles " + Protocols.learnt(actor().getClass()))
        + "). [WRONG-TYPE]\n"
        + "  next:  send it to another actor; raw types hide this from the compiler";
  }

  private void crash(Seat seat, Throwable e, String doing) {
    seat.counters.crashes++;
    beginStop(crashed(e));
    sayCrashed(doing, e);
  }

  /** Whoever crashes ends as one that crashed, even if no memory is left to say by what. */
  private static StopReason crashed(Throwable e) {
    try {
      return new StopReason.Crashed(e);
    } catch (OutOfMemoryError noMemory) {
      return CRASHED_SPEECHLESS;
    }
  }

  private void sayCrashed(String doing, Throwable e) {
    if (kind.internal) return;
    try {
      kind.system.reporter.crashed(this, doing, e);
    } catch (OutOfMemoryError unsaid) {
      // A line of the log is what it may cost: all else is done, and must not be done again.
    }
  }

  /** For people, after a crash: what comes next, as far as its spec says. In its own turn. */
  String whatFollows(Throwable cause) {
    Supervised of = supervised();
    if (of == null || endsForGood()) return " and stops";
    if (of.told) return of.toRestart ? " and is to be started again" : " and is down for now";
    return switch (of.spec.actionFor(cause)) {
      case STOP -> " and stops";
      case ESCALATE -> ", and its supervisor fails with it";
      case RESUME, RESTART -> {
        if (isResumed(of, cause)) yield " and goes on with its state";
        yield of.spec.restart() == RestartType.TEMPORARY
            ? " and stops"
            : " and is to be started again";
      }
    };
  }

  /** Whether its spec lets it go on where it is after such a failure. */
  private boolean isResumed(Supervised of, Throwable cause) {
    return of.spec.actionFor(cause) == FailureAction.RESUME && isResumable();
  }

  private boolean isResumed(Supervised of, @Nullable StopReason reason) {
    return reason instanceof StopReason.Crashed(Throwable cause) && isResumed(of, cause);
  }

  private void beginStop(StopReason reason) {
    if (life >= ASKING) return;
    if (life == STARTING && !(behaviour instanceof Household))
      behaviour = null; // never initialised: nothing to take down
    if (belongings != null && belongings.supervises && reason.orderly())
      belongings.supervises = false; // it was to end
    stopReason = reason;
    Supervised of = supervised();
    if (of == null || of.told || endsForGood()) {
      stopNow();
    } else {
      if (!isResumed(of, reason)) breakLinks(reason);
      life = ASKING;
      tellSupervisor(of, Notice.Event.ASKS, reason, isResumable());
    }
  }

  /** Its end is settled; those that are linked to it are told, unless they have been. */
  private void stopNow() {
    breakLinks(Objects.requireNonNull(stopReason));
    life = STOPPING;
  }

  /** A supervisor that gave up, or is to finish, has nothing to go on with. */
  private boolean isResumable() {
    return behaviour instanceof Actor && !(behaviour instanceof Household);
  }

  // ---- life after life -------------------------------------------------------------------------

  /** Before anybody knows it: it starts when its supervisor says so. */
  void superviseBy(Supervised of) {
    belongings().supervised = of;
    life = DOWN;
  }

  /** Any thread: set before anybody knew the actor. */
  @Nullable Supervised supervised() {
    Belongings own = belongings;
    return own == null ? null : own.supervised;
  }

  /** Which of its lives it is in. The owner; others look. */
  int incarnation() {
    Supervised of = supervised();
    return of == null ? 0 : of.incarnation;
  }

  private boolean endsForGood() {
    Supervised of = supervised();
    return of == null || of.forGood || kind.system.isClosed();
  }

  @SuppressWarnings("unchecked") // only a supervisor is made of a blueprint
  private Actor<M> household(SupervisorSpec spec) {
    belongings().supervises = true;
    var own = new Household((ActorCell<SupervisorRequest>) this, spec);
    Supervised of = supervised();
    if (of != null) of.childrenWait = false;
    return (Actor<M>) own;
  }

  /** Such a notice is owed like those of an end. */
  private void tellSupervisor(
      Supervised of, Notice.Event event, @Nullable StopReason reason, boolean resumable) {
    ActorCell<?> supervisor = Objects.requireNonNull(parent);
    for (int i = 1; ; i++) {
      try {
        supervisor.notify(new Notice.OfChild(of, event, reason, resumable));
        return;
      } catch (OutOfMemoryError e) {
        if (i == ATTEMPTS_TO_TELL) throw e;
      }
    }
  }

  /** By its supervisor. */
  void order(Notice.Order order, @Nullable StopReason reason) {
    notify(new Notice.Ordered(order, reason));
  }

  private void obey(Notice.Ordered ordered, Seat seat) {
    Supervised of = Objects.requireNonNull(supervised());
    switch (ordered.order()) {
      case START -> {
        if (life != DOWN) return;
        if (!endsForGood()) {
          startAgain(of);
        } else { // the system closes: who waits for it to have started, or to stop, is to know
          of.forGood = true;
          stopReason = BY_SUPERVISOR;
          stopNow();
        }
      }
      case RESUME -> {
        if (life == ASKING) resume(of, seat);
      }
      case RESTART, TAKE_DOWN -> {
        if (life == DOWN) return; // told before
        of.told = true;
        of.toRestart = ordered.order() == Notice.Order.RESTART;
        if (life == ASKING) stopNow();
        else beginStop(BY_SUPERVISOR);
      }
      case END -> {
        if (life == ACTIVE && kind.system.isDraining() && !of.forGood) {
          of.forGood = true;
          sendPill(ordered.reason() == null ? BY_SUPERVISOR : ordered.reason());
          return;
        }
        of.forGood = true;
        of.toRestart = false;
        if (life < ASKING) {
          beginStop(ordered.reason() == null ? BY_SUPERVISOR : ordered.reason());
        } else if (life != STOPPING) {
          if (stopReason == null || replacesReason(ordered.reason()))
            stopReason = ordered.reason() == null ? BY_SUPERVISOR : ordered.reason();
          stopNow();
        }
      }
      case AT_ONCE -> {
        if (life == ASKING) leaveOutEnd();
      }
    }
  }

  /**
   * Whether it ends by an order of its supervisor. One that waits for a verdict has ended by itself
   * before that; only a kill goes over it, since nothing of the actor may run then.
   */
  private boolean replacesReason(@Nullable StopReason order) {
    return order != null && (life == DOWN || order instanceof StopReason.Killed);
  }

  /**
   * Its life is over, and there is no time for what it would do at its end. Its reason stays: the
   * order that follows ends what had ended by itself.
   */
  private void leaveOutEnd() {
    if (behaviour instanceof Household all) {
      all.hurry();
      return;
    }
    behaviour = null;
    Belongings own = belongings();
    if (hasChildrenThatWait(own)) return;
    own.children.close();
    killChildren(own, Objects.requireNonNull(parent).path());
    own.childrenTold = true; // last, as in finish
  }

  private void startAgain(Supervised of) {
    int next = of.incarnation + 1;
    of.told = false;
    of.toRestart = false;
    behaviour = of.spec.actor().factory();
    context().beginLife();
    stopReason = null;
    bringBack(of, true);
    if (next > 1) kind.system.restarts.increment();
    life = STARTING;
    of.incarnation = next; // last: see hasEnded
  }

  private void resume(Supervised of, Seat seat) {
    if (behaviour == null) { // killed since it asked: it asks again
      life = ACTIVE;
      beginStop(Objects.requireNonNull(stopReason));
      return;
    }
    bringBack(of, false); // first: where memory is missing for it, it still waits for this order
    life = ACTIVE;
    stopReason = null;
    Notice.LinkEnded link = of.linkEnded;
    of.linkEnded = null;
    if (link != null && removeLink(link.other())) endLinked(link.other(), link.reason(), seat);
    // One after another out of where they are kept: nothing here needs memory but their handlers.
    while (life == ACTIVE && of.news != null) {
      Signal signal = of.news.poll();
      if (signal == null) of.news = null;
      else if (wants(signal)) inform(signal, seat);
    }
    if (life != ASKING) of.news = null; // else it has failed again: the rest waits for the verdict
  }

  /**
   * What was kept is handled first, oldest first: the stash, what was unstashed, what came. Where
   * memory is missing on the way, nothing has gone, and the order that this is for is tried again.
   */
  private void bringBack(Supervised of, boolean unstash) {
    Belongings own = belongings();
    if (own.aside == null && of.heldCount() == 0) return; // as with most: it keeps nothing for them
    Aside aside = own.asideOrNew();
    if (unstash) aside.unstash();
    if (aside.putLast(of.held())) beside |= REPLAY;
    of.takeHeld(); // last: now they are there
  }

  private static void keepNews(Supervised of, Signal signal) {
    if (of.news == null) of.news = new ArrayDeque<>();
    of.news.add(signal);
  }

  /** Takes aside what comes while it is down. Returns true when it did as much as a slice may. */
  private boolean holdQueued(int most) {
    if (bounded() != null) return false; // they wait there
    Supervised of = Objects.requireNonNull(supervised());
    for (int i = 0; i < most; i++) {
      Object item = take();
      if (item == null) return false;
      if (!isHeld(of, item)) bury(item, DeadLetterReason.HELD_TOO_MANY);
      putDown();
    }
    return true;
  }

  /** Where memory is missing for it, that is too many as well: it is not lost without a word. */
  private static boolean isHeld(Supervised of, Object item) {
    try {
      return of.hold(new Envelope(Envelope.messageOf(item), Envelope.callerOf(item)));
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** After the last turn of an instance that may be replaced. */
  private void goDown(Supervised of) {
    Belongings own = belongings();
    failDeferred(own);
    if (own.watching != null) for (ActorCell<?> target : List.copyOf(own.watching)) unwatch(target);
    of.news = null;
    of.linkEnded = null;
    of.lastReason = stopReason;
    own.childrenTold = false;
    own.children.reopen();
    behaviour = null;
    // Before it is down: what memory is missing for up to here is done again. Whoever kills it now
    // and is not told here is told when the notice of that is found.
    tellKillers(of.incarnation);
    life = DOWN;
    tellSupervisor(of, Notice.Event.DOWN, stopReason, false);
  }

  /**
   * Whether a message that made the actor fail is not done with: it is handled first when the actor
   * has started again, or it has failed too often and is a dead letter.
   */
  private boolean isTriedAgain(Object message, Object item, Throwable e) {
    Supervised of = supervised();
    if (of == null || of.spec.tries() == 1) return false;
    if (isResumed(of, e)) return false; // it goes on with the next
    if (Envelope.messageOf(item) instanceof RuntimeMessage)
      return false; // who asked for it is gone
    Envelope envelope = Envelope.ofItem(item);
    if (envelope == null || envelope.message() != message) envelope = new Envelope(message, null);
    int tries = of.countTry(envelope);
    if (tries < of.spec.tries()) {
      belongings().asideOrNew().putFirst(envelope);
      beside |= REPLAY;
      return true;
    }
    kind.system.deadLetters.add(message, this, DeadLetterReason.POISON);
    of.tellPoison(new PoisonMessage(this, message, tries, e));
    return true;
  }

  // ---- notices -------------------------------------------------------------------------------

  /** Handles what is in the system lane. Returns true when that was as much as a slice may hold. */
  private boolean handleNotices(int most, Seat seat) {
    if ((beside & LATER_NOTICES) == 0) takeNotices();
    for (int handled = 1; (beside & LATER_NOTICES) != 0; handled++) {
      handleFirst(seat);
      if (handled > 1) seat.beginTiming(this);
      if ((beside & LATER_NOTICES) != 0 && (handled >= most || seat.isSpoiled() || seat.isOver()))
        return true;
    }
    return false;
  }

  /**
   * Puts the notices that have come into the actor's own hands, in order. There they stay, and not
   * in a frame: the one that handles news may be left behind with its handler, and any other may
   * end for want of memory. Whoever has the actor next goes on with the rest.
   */
  private void takeNotices() {
    TurnContext<M> hand = context(); // may fail: so, before anything is taken
    Notice.Link seen = null;
    Notice.Link newest;
    do {
      newest = newestNotice();
      // Before any news: a handler of news would not see it, once it was taken out of the lane.
      // One that is meant for a life that is still to begin keeps its place behind that order.
      for (Notice.Link l = newest; l != null && l != seen; l = l.next)
        if (l.notice instanceof Notice.Cancel(Cancellation asked)
            && asked.isKill()
            && asked.incarnation <= incarnation()) beKilled(asked);
      seen = newest;
    } while (!tryTakeNotices(newest)); // else what has come meanwhile is looked at first
    Notice.Link inOrder = null;
    for (Notice.Link link = newest; link != null; ) {
      Notice.Link next = link.next;
      link.next = inOrder;
      inOrder = link;
      link = next;
    }
    keepForLater(hand, inOrder);
  }

  private void keepForLater(TurnContext<M> hand, Notice.@Nullable Link first) {
    hand.laterNotices = first;
    if (first == null) beside &= ~LATER_NOTICES;
    else beside |= LATER_NOTICES;
  }

  /**
   * The first of those in hand. It is out of them while it is handled: should its handler be left
   * behind, it has been handled. One for which memory was missing is not done with, and comes first
   * again; news that have come to their handler never are among these, see {@link #inform}.
   */
  private void handleFirst(Seat seat) {
    TurnContext<M> hand = context();
    Notice.Link first = Objects.requireNonNull(hand.laterNotices);
    keepForLater(hand, first.next);
    try {
      handle(first.notice, seat);
    } catch (OutOfMemoryError e) {
      first.next = hand.laterNotices;
      keepForLater(hand, first);
      throw e; // the slice is tried again
    }
  }

  private void handle(Notice notice, Seat seat) {
    switch (notice) {
      case Notice.Stop stop -> {
        Supervised of = supervised();
        // Its life is over, and perhaps another is to follow: its supervisor's to decide.
        if (life >= ASKING && of != null)
          tellSupervisor(of, Notice.Event.ASKS_WHILE_DOWN, stop.reason(), false);
        else beginStop(stop.reason());
      }
      case Notice.Ordered ordered -> obey(ordered, seat);
      case Notice.Linked(ActorCell<?> to, int itsLife) -> {
        if (life < ASKING || isUnborn() || isToGoOn())
          belongings().linksOrNew().addFrom(to, itsLife);
        else owe(to, Owed.LINK_ENDED, Objects.requireNonNull(stopReason));
      }
      case Notice.Unlinked(ActorCell<?> from) -> removeLink(from);
      case Notice.LinkEnded ended -> {
        ActorCell<?> other = ended.other();
        if (!isLinked(other, ended.itsLife())) return;
        if (life == ASKING) keepLinkEnd(ended);
        else if (removeLink(other)) endLinked(other, ended.reason(), seat);
      }
      case Notice.OfChild news -> {
        if (behaviour instanceof Household own) own.handle(news);
        heedHousehold(seat);
      }
      case Notice.Due due -> {
        if (behaviour instanceof Household own) own.handle(due);
        heedHousehold(seat);
      }
      case Notice.Cancel(Cancellation asked) -> {
        if (asked.isKill()) beKilled(asked);
      }
      case Notice.ChildGone _ -> {
        // finish looks again
      }
      case Notice.News(Signal signal) -> hear(signal, seat);
      case Notice.ChildCrashed(Signal signal, int ofLife) -> {
        if (ofLife == incarnation()) hear(signal, seat);
      }
    }
  }

  private void hear(Signal signal, Seat seat) {
    if (life == ACTIVE && wants(signal)) inform(signal, seat);
    else if (life == ASKING) keepNews(Objects.requireNonNull(supervised()), signal);
  }

  private void heedHousehold(Seat seat) {
    if (life != ACTIVE || !(behaviour instanceof Household own)) return;
    Throwable failure = own.failure();
    if (failure != null) crash(seat, failure, "the care of its children");
    else if (own.isFinished()) beginStop(FINISHED);
  }

  private void beKilled(Cancellation asked) {
    if (asked.incarnation != incarnation()) {
      // That life is over, or it has been told to end before it has begun.
      tellKillers(asked.incarnation);
      return;
    }
    if (life == STOPPING) {
      stopReason = asked.killed;
      Belongings own = belongings;
      if (own != null && own.childrenTold) killChildren(own, asked.askedBy);
    } else if (life == ASKING || life == DOWN) {
      tellKillers(asked.incarnation); // nothing of it runs
      if (life == ASKING && !(behaviour instanceof Household)) { // nor is it resumed
        behaviour = null;
        stopReason = asked.killed;
      }
      if (endsForGood()) {
        if (stopReason == null) stopReason = asked.killed;
        stopNow();
      }
    } else {
      beginStop(asked.killed);
    }
  }

  private static void killChildren(Belongings own, String askedBy) {
    for (ActorCell<?> child : own.children.snapshot()) {
      if (child.supervised() != null) child.order(Notice.Order.END, new StopReason.Killed(askedBy));
      Cancellation.kill(child, askedBy);
    }
  }

  private boolean wants(Signal signal) {
    if (!(signal instanceof Signal.Terminated)) return true;
    Belongings own = belongings;
    return own != null
        && own.watching != null
        && own.watching.remove((ActorCell<?>) signal.actor());
  }

  private void inform(Signal signal, Seat seat) {
    TurnContext<M> turn = context();
    seat.beginTurn();
    try {
      enter(seat, HandlerKind.INFO); // where no limit can be made for it, it has failed
      actor().info(signal, turn);
      leave(seat);
      seat.counters.signalsHandled++;
      stopIfAsked(turn);
    } catch (Throwable e) {
      Cancellation struck = leaveCancelled(seat);
      try {
        if (struck != null) endCancelled(seat, struck, null, true, e);
        else crash(seat, e, signal.getClass().getSimpleName());
      } catch (Throwable again) { // as after a message: it is done with, and stops without more ado
        beginStop(CRASHED_SPEECHLESS);
      }
    } finally {
      if (!seat.isAbandoned()) { // else this may be its next life
        turn.endTurn();
        seat.scrub();
        seat.beginTurn();
      }
    }
  }

  // ---- stash ---------------------------------------------------------------------------------

  private Belongings belongings() {
    if (belongings == null) belongings = new Belongings(null);
    return belongings;
  }

  /** Returns what is in the stash now. */
  Envelope stash(Object message, @Nullable Object caller) {
    Aside aside = belongings().asideOrNew();
    if (aside.stashed() >= kind.stashCapacity)
      throw new StashFullException(
          "The stash of "
              + path()
              + " holds "
              + aside.stashed()
              + " messages and takes no more. [STASH-FULL]\n"
              + "  next:  unstash earlier, or raise ActorSpec.stashCapacity");
    Supervised of = supervised();
    Envelope inHand = Envelope.ofItem(Objects.requireNonNull(inHand()));
    // The same for one that is tried again: its tries go on where they were.
    Envelope kept =
        inHand != null && of != null && of.isTried(inHand) ? inHand : new Envelope(message, caller);
    aside.stash(kept);
    return kept;
  }

  /**
   * A turn that failed has put nothing aside: its message has failed with it, and is not to be
   * found in the stash as well. Returns who waits for its answer.
   */
  private @Nullable Object endFailedTurn(TurnContext<M> turn, Object item) {
    Envelope kept = turn.takeStashed();
    turn.endTurn();
    if (kept == null) return Envelope.callerOf(item);
    belongings().asideOrNew().takeBack(kept);
    return kept.caller();
  }

  void unstashAll() {
    Belongings own = belongings;
    if (own != null && own.aside != null && own.aside.unstash()) beside |= REPLAY;
  }

  // ---- calls promised ------------------------------------------------------------------------

  /** Whether it is to answer a call, and said that it will later: maybe by somebody else. */
  boolean hasDeferred(PendingCall<?> call) {
    Belongings own = belongings;
    return own != null && own.deferred != null && own.deferred.contains(call);
  }

  void rememberDeferred(PendingCall<?> call) {
    belongings().deferredOrNew().add(call);
  }

  // ---- watching ------------------------------------------------------------------------------

  void watch(ActorCell<?> target) {
    if (target == this)
      throw new IllegalArgumentException(
          "Actor "
              + path()
              + " cannot watch itself. [WATCHES-ITSELF]\n"
              + "  next:  do in its teardown what is to be done at its end");
    if (belongings().watchingOrNew().add(target)) target.addWatcher(this);
  }

  void unwatch(ActorCell<?> target) {
    Belongings own = belongings;
    if (own == null || own.watching == null || !own.watching.remove(target)) return;
    target.removeWatcher(this);
  }

  // ---- links -----------------------------------------------------------------------------------

  /**
   * Both sides keep the link; the other learns of it by a notice. An end is told to all that are
   * linked, and who is linked to one whose life is over is told when the notice is found. At the
   * last end: the other tells its end ({@link #endTold}) and then takes its notices; this puts its
   * notice in and then asks whether the other has told its end. One of the two sees the other, see
   * {@link #notify}.
   */
  void link(ActorCell<?> other) {
    if (other == this)
      throw new IllegalArgumentException(
          "Actor "
              + path()
              + " cannot link itself to itself. [LINKS-ITSELF]\n"
              + "  next:  name another actor, whose failure is to be this one's as well");
    int itsLife = other.incarnation();
    if (!belongings().linksOrNew().add(other, itsLife)) return;
    other.notify(new Notice.Linked(this, incarnation()));
    StopReason ended = other.endTold();
    if (ended != null) notify(new Notice.LinkEnded(other, itsLife, ended));
  }

  void unlink(ActorCell<?> other) {
    if (removeLink(other)) other.notify(new Notice.Unlinked(this));
  }

  private boolean removeLink(ActorCell<?> other) {
    Belongings own = belongings;
    return own != null && own.links != null && own.links.remove(other);
  }

  /** Whether the end of that life of another is the end of this one. */
  private boolean isLinked(ActorCell<?> other, int itsLife) {
    Belongings own = belongings;
    return own != null && own.links != null && own.links.contain(other, itsLife);
  }

  /**
   * Its supervisor has not started it yet: who is linked to it is linked to its first life. The
   * owner; others look.
   */
  boolean isUnborn() {
    return life == DOWN && incarnation() == 0;
  }

  private void breakLinks(StopReason reason) {
    Belongings own = belongings;
    if (own == null || own.links == null) return;
    Links links = own.links;
    for (ActorCell<?> other; (other = links.first()) != null; ) {
      owe(other, Owed.LINK_ENDED, reason);
      links.remove(other); // after it was told: who comes again goes on with the next
    }
    own.links = null;
  }

  /** It has crashed, and its spec says that it goes on all the same: its links hold meanwhile. */
  private boolean isToGoOn() {
    return life == ASKING && isResumed(Objects.requireNonNull(supervised()), stopReason);
  }

  /** It ends with the other when it goes on: where it does not, it has ended before. */
  private void keepLinkEnd(Notice.LinkEnded ended) {
    Supervised of = Objects.requireNonNull(supervised());
    if (ended.reason() instanceof StopReason.Finished) removeLink(ended.other());
    else if (of.linkEnded == null) of.linkEnded = ended;
  }

  private void endLinked(ActorCell<?> other, StopReason reason, Seat seat) {
    if (life >= ASKING) return;
    switch (reason) {
      case StopReason.Finished _ -> {
        // its own affair
      }
      case StopReason.ShutDown shut -> beginStop(shutWith(other, shut));
      case StopReason.Crashed(Throwable cause) ->
          crash(seat, linkEnded(other, "crashed", cause), "a link");
      case StopReason.Killed(String by) ->
          crash(seat, linkEnded(other, "was killed by " + by, null), "a link");
    }
  }

  /** Or without whom, where there is no memory to say it, for the same reason as below. */
  private static StopReason shutWith(ActorCell<?> other, StopReason.ShutDown shut) {
    try {
      return new StopReason.ShutDown(shut.askedBy() + ", with " + other.path());
    } catch (OutOfMemoryError e) {
      return shut;
    }
  }

  /** Or what there was no memory to say it with: the link is gone, and nobody asks for it again. */
  private Throwable linkEnded(ActorCell<?> other, String how, @Nullable Throwable cause) {
    try {
      return new LinkedActorEndedException(
          "Actor " + path() + " is linked to " + other.path() + ", which " + how + ". [LINK-ENDED]",
          cause);
    } catch (OutOfMemoryError e) {
      return e;
    }
  }

  // ---- children ------------------------------------------------------------------------------

  Children children() {
    return belongings().children;
  }

  List<ActorRef<?>> childRefs() {
    Belongings own = belongings;
    return own == null ? List.of() : own.children.refs();
  }

  /** For observers. */
  List<ActorCell<?>> childCells() {
    Belongings own = belongings;
    return own == null ? List.of() : own.children.snapshot();
  }

  @Nullable ActorCell<?> child(String childName) {
    Belongings own = belongings;
    return own == null ? null : own.children.get(childName);
  }

  boolean isStopping() {
    return life >= STOPPING;
  }

  /** Schedules the first turn. By who spawned it, after it was added to its parent. */
  void launch() {
    Fiber here = Fiber.current();
    if (here != null) here.isHomeOf(this);
    wake();
  }

  // ---- the end -------------------------------------------------------------------------------

  /**
   * Goes as far towards the end as it can: children first, then teardown, then the mailbox, the
   * name, the watchers and the parent. Returns false while children live.
   */
  private boolean finish(Seat seat) {
    Belongings own = belongings;
    boolean forGood = endsForGood();
    if (behaviour instanceof Household all) {
      if (!all.stopAll(forGood, stopReason instanceof StopReason.Killed)) return false;
      if (own != null && own.supervised != null) own.supervised.childrenWait = true;
    } else if (own != null && (forGood || !hasChildrenThatWait(own))) {
      if (!own.childrenTold) {
        List<ActorCell<?>> children = own.children.close();
        if (stopReason instanceof StopReason.Killed(String askedBy)) killChildren(own, askedBy);
        else if (kind.system.isDraining())
          for (ActorCell<?> child : children) child.sendPill(BY_PARENT);
        else for (ActorCell<?> child : children) child.stop(BY_PARENT);
        // Last: where memory is missing in the middle, all are told again. Who has been told takes
        // no notice: it stops already, and a second pill stays behind the first in every lane.
        own.childrenTold = true;
      }
      if (!own.children.isEmpty()) return false;
    }
    tearDown(Objects.requireNonNull(stopReason), seat);
    StopReason reason = Objects.requireNonNull(stopReason);
    endTimers();
    if (!forGood) {
      goDown(Objects.requireNonNull(supervised()));
      return false;
    }
    seat.charge(this); // for the last time: afterwards others may look
    if (own != null) buryBelongings(own);
    close(item -> bury(item, DeadLetterReason.LEFT_BEHIND));
    end(reason, seat);
    return true;
  }

  /** A supervisor that was to begin anew, and is to stop before it has: its children are down. */
  private static boolean hasChildrenThatWait(Belongings own) {
    return own.supervised != null && own.supervised.childrenWait;
  }

  private void tearDown(StopReason reason, Seat seat) {
    if (!(behaviour instanceof Actor)) return;
    if (reason instanceof StopReason.Killed) {
      behaviour = null;
      return;
    }
    TurnContext<M> turn = context();
    seat.beginTurn();
    enter(seat, HandlerKind.TEARDOWN);
    try {
      Supervised of = supervised();
      if (of != null && of.toRestart) actor().preRestart(reason, turn);
      else actor().teardown(reason, turn);
      leave(seat);
    } catch (Throwable e) {
      Cancellation struck = leaveCancelled(seat);
      if (struck != null && struck.isKill()) {
        stopReason = struck.killed;
        return;
      }
      if (reason.orderly()) {
        seat.counters.crashes++;
        stopReason = crashed(e);
      }
      sayCrashed("teardown", e);
    } finally {
      if (!seat.isAbandoned()) { // else this may be its next life
        behaviour = null; // first: whatever fails here, it is not taken down twice
        turn.endTurn();
        seat.scrub();
      }
    }
  }

  /** While it waits for its children to end. Returns true when it did as much as a slice may. */
  private boolean buryQueued(int most) {
    for (int i = 0; i < most; i++) {
      Object item = take();
      if (item == null) return false;
      bury(item, DeadLetterReason.LEFT_BEHIND);
      putDown();
    }
    return true;
  }

  private void buryBelongings(Belongings own) {
    if (own.aside != null) own.aside.takeAll(this::buryLeft);
    beside &= ~REPLAY;
    Supervised of = own.supervised;
    ArrayDeque<Envelope> held = of == null ? null : of.takeHeld();
    if (held != null) held.forEach(this::buryLeft);
    failDeferred(own);
  }

  private void buryLeft(Envelope envelope) {
    bury(envelope, DeadLetterReason.LEFT_BEHIND);
  }

  private void failDeferred(Belongings own) {
    if (own.deferred != null) own.deferred.failAll(this, stopReason);
    own.deferred = null;
  }

  /** The mailbox is closed: nobody but this thread touches the cell any more, watchers aside. */
  private void end(StopReason reason, Seat seat) {
    // First: without the memory for these, this is tried again; afterwards it is not.
    var ended = Watchers.Ended.of(reason);
    kind.system.registry.forget(this);
    life = ENDED;
    context = null;
    Supervised of = supervised();
    boolean rootFails =
        belongings != null && belongings.supervises && parent == null && !reason.orderly();
    if (belongings != null && belongings.store == null && of == null) belongings = null;
    // Whose child it was: before it leaves its siblings, no other life of its parent begins.
    int parentsLife = parent == null ? 0 : parent.incarnation();
    boolean lastOfParent = kind.system.siblingsOf(this).remove(this);
    if (!kind.internal) seat.counters.stopped++;
    Watchers.Link told = close(ended);
    forgetLateName();
    for (Watchers.Link l = told; l != null; l = l.next()) tell(l.who(), reason);
    for (Notice.Link l = takeLastNotices(); l != null; l = l.next)
      if (l.notice instanceof Notice.Linked(ActorCell<?> to, int _))
        owe(to, Owed.LINK_ENDED, reason);
    if (of != null) {
      tellSupervisor(of, Notice.Event.ENDED, reason, false);
    } else if (parent != null) {
      if (!reason.orderly()) owe(parent, Owed.CHILD_CRASHED, reason, parentsLife);
      if (lastOfParent) owe(parent, Owed.CHILD_GONE, reason);
    } else {
      if (lastOfParent && !kind.internal) kind.system.lastActorEnded();
      if (rootFails) kind.system.rootFailed(this, reason);
    }
    if (kind.runner instanceof ThreadRunner own) {
      kind.system.threadEnded(own);
      own.end();
    }
  }

  /** Who registered it while it ended did not see that. No reason not to tell the others. */
  private void forgetLateName() {
    for (int i = 1; i <= ATTEMPTS_TO_TELL; i++) {
      try {
        kind.system.registry.forget(this);
        return;
      } catch (OutOfMemoryError e) {
        // again
      }
    }
  }

  // ---- observers -----------------------------------------------------------------------------

  @Override
  @Nullable ActorState stateOfLife() {
    if (life > ACTIVE) return endsForGood() ? ActorState.STOPPING : ActorState.RESTARTING;
    return life == STARTING ? ActorState.STARTING : null;
  }

  @Override
  int countHeld() {
    Supervised of = supervised();
    return of == null ? 0 : of.heldCount();
  }

  /** In its mailbox, and beside it: nothing, once it has ended. */
  long countKept() {
    Belongings own = belongings;
    return countWaiting() + (own == null || own.aside == null ? 0 : own.aside.count());
  }

  /** After the workers have ended: what was left in it becomes dead letters. Returns how many. */
  long abandon() {
    long before = kind.system.deadLetters.total();
    close(item -> bury(item, DeadLetterReason.SYSTEM_CLOSED));
    return kind.system.deadLetters.total() - before;
  }
}
