package io.turnwise.internal.cell;

import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.StopReason;
import io.turnwise.internal.mailbox.BoundedStore;
import io.turnwise.internal.mailbox.Envelope;
import io.turnwise.internal.mailbox.Mailbox;
import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.scheduler.Task;
import io.turnwise.mailbox.MailboxDeadlockException;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.Priority;
import io.turnwise.observation.DeadLetterReason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An actor as its senders see it: its name and path, what they put into its mailbox and into its
 * system lane, and the calls they wait for. Any thread comes here; nothing of the actor's own is
 * touched.
 *
 * <p>A part of {@link ActorCell}, and one object with it.
 *
 * @param <M> the messages it understands
 */
public abstract sealed class Address<M> extends Mailbox implements ActorRef<M> permits Watched {
  private static final VarHandle NOTICES;
  private static final VarHandle LABEL;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      NOTICES = lookup.findVarHandle(Address.class, "notices", Notice.Link.class);
      LABEL = lookup.findVarHandle(Address.class, "label", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
    if (isIn(BoundedStore.Outcome.CLOSED)) throw new AssertionError("closed is not in");
  }

  /** Settings; replaced once, by the actor's own scheduling, before the first message. */
  Kind kind;

  final @Nullable ActorCell<?> parent;

  /**
   * What it is called, in as few bytes as can be: the letters of its name, all ASCII; for one
   * without a name, the number that stands for it, once somebody has asked.
   */
  private volatile @Nullable Object label;

  /**
   * The system lane: pushed by anybody, taken whole by the owner; in the end {@link
   * Notice.Link#NO_MORE}.
   */
  private volatile Notice.@Nullable Link notices;

  Address(Kind kind, @Nullable ActorCell<?> parent, @Nullable String name) {
    this.kind = kind;
    this.parent = parent;
    if (name != null) LABEL.set(this, Children.letters(name));
  }

  /** The whole of it. */
  abstract ActorCell<M> cell();

  /** Which messages the actor handles, or null: not started yet, or not to be found out. */
  abstract @Nullable Class<?> protocol();

  /** Why it stops, once that is known. */
  abstract @Nullable StopReason stopReason();

  // ---- address -------------------------------------------------------------------------------

  /** The letters of its name, or null if it was given none. */
  byte @Nullable [] givenName() {
    return LABEL.get(this) instanceof byte[] letters ? letters : null;
  }

  @Override
  public String name() {
    Object own = label;
    if (own == null) {
      LABEL.compareAndSet(this, null, kind.system.newNumber());
      own = label;
    }
    return own instanceof byte[] letters
        ? new String(letters, StandardCharsets.ISO_8859_1)
        : "$" + Long.toString((Long) Objects.requireNonNull(own), 36);
  }

  @Override
  public String path() {
    var path = new StringBuilder();
    for (Address<?> cell = this; cell != null; cell = cell.parent)
      path.insert(0, cell.name()).insert(0, '/');
    return path.insert(0, kind.system.name()).insert(0, '/').toString();
  }

  @Override
  public String toString() {
    return path();
  }

  /**
   * In a simulation of its path, and not of where it is in memory: sets and maps of actors are gone
   * through in the same order in every run, and in every JVM. Elsewhere that would be dear, and
   * whoever chooses names could make many collide.
   */
  @Override
  public int hashCode() {
    if (kind.witness == null) return System.identityHashCode(this);
    int hash = 0;
    for (Address<?> cell = this; cell != null; cell = cell.parent) {
      byte[] letters = cell.givenName();
      hash = 31 * hash + (letters == null ? cell.name().hashCode() : Arrays.hashCode(letters));
    }
    return hash;
  }

  // ---- sending -------------------------------------------------------------------------------

  @Override
  public void cast(M message) {
    if (message == null) throw nullMessage("cast");
    Fiber here = Fiber.current();
    if (here != null) here.sends(this);
    if (kind.plain) {
      assert kind.counts(1);
      putBare(message, here);
    } else {
      send(message, null, null);
    }
  }

  @Override
  public void cast(M message, Priority priority) {
    if (message == null) throw nullMessage("cast");
    if (priority == null)
      throw new NullPointerException(
          "cast to " + path() + ": the priority is null; name a lane, or leave it out");
    send(message, null, priority);
  }

  private NullPointerException nullMessage(String what) {
    return new NullPointerException(
        what + " to " + path() + ": the message is null. [NULL-MESSAGE]\n  next:  send a record");
  }

  /** Sends by all the rules: lane, bound, policy. */
  void send(Object message, @Nullable PendingCall<?> caller, @Nullable Priority priority) {
    var envelope = new Envelope(message, caller);
    Priority lane = priority != null ? priority : kind.priorityOf(message);
    TurnWitness witness = kind.witness;
    if (witness == null || !witness.sends(cell(), message, () -> sendOrRefuse(envelope, lane)))
      sendOrRefuse(envelope, lane);
  }

  private void sendOrRefuse(Envelope envelope, Priority lane) {
    assert kind.counts(1);
    try {
      send(envelope, lane);
    } catch (Throwable e) { // no room, a circle, or cancelled while it waited for room
      refused(envelope);
      throw e;
    }
  }

  private void refused(Envelope envelope) {
    assert kind.counts(-1);
    if (kind.witness != null) kind.witness.refused(cell(), envelope.message());
  }

  private void send(Envelope envelope, Priority lane) {
    BoundedStore store = bounded();
    if (store == null) put(envelope, lane);
    else sendBounded(store, envelope, lane);
  }

  /**
   * A switch that is made once before the first send: the table that switches over outcomes share
   * must not be made by a sender whose stack is used up; see {@link Preload}.
   */
  private static boolean isIn(BoundedStore.Outcome outcome) {
    return switch (outcome) {
      case ACCEPTED, ACCEPTED_GIVE_WAY, DROPPED_OLDEST -> true;
      case DROPPED_NEWEST, WITHDRAWN, CLOSED -> false;
    };
  }

  private void sendBounded(BoundedStore store, Envelope envelope, Priority lane) {
    Seat seat = Seat.current();
    Mailbox sender = seat != null && seat.task() instanceof Mailbox mailbox ? mailbox : null;
    Fiber fiber = sender != null && seat instanceof Fiber own ? own : null;
    if (store.waits() && kind.system.drivesHere())
      kind.system.driveUntil(
          () -> store.hasRoom() || envelope.caller() instanceof PendingCall<?> c && c.isWithdrawn(),
          "room in the mailbox of " + path());
    BoundedStore.Offer offer;
    if (fiber == null) kind.system.beginPlainWait(this);
    try {
      offer = store.offer(envelope, lane, this, sender, fiber);
    } finally {
      if (fiber == null) kind.system.endPlainWait();
    }
    switch (offer.outcome()) {
      case ACCEPTED -> wake();
      case ACCEPTED_GIVE_WAY -> {
        wake();
        if (fiber != null) Seat.letOthersRun(); // accepted, whatever becomes of the sender
      }
      case DROPPED_NEWEST -> bury(envelope, DeadLetterReason.DROPPED_NEWEST);
      case DROPPED_OLDEST -> {
        wake();
        Envelope displaced = offer.displaced();
        if (displaced != null) bury(displaced, DeadLetterReason.DROPPED_OLDEST);
      }
      case WITHDRAWN -> {
        // Nobody waits for its answer any more, and it was never accepted.
        refused(envelope);
      }
      case CLOSED -> onTooLate(envelope);
    }
  }

  /** Sends a request; a refusal by its mailbox is the outcome of the call, and is not thrown. */
  void sendRequest(Object request, PendingCall<?> call) {
    try {
      send(request, call, null);
    } catch (MailboxFullException | MailboxDeadlockException e) {
      call.refused(e);
    }
  }

  /** Sends without looking at bounds: what the runtime itself owes the actor. */
  void deliver(Envelope envelope) {
    BoundedStore store = bounded();
    if (store == null) {
      put(envelope);
      return;
    }
    if (store.force(envelope, Priority.NORMAL)) wake();
  }

  @Override
  protected void onTooLate(Object item) {
    bury(item, DeadLetterReason.RECIPIENT_STOPPED);
  }

  final void bury(Object item, DeadLetterReason reason) {
    Object message = Envelope.messageOf(item);
    if (message instanceof ActorCell.RuntimeMessage) return;
    if (Envelope.callerOf(item) instanceof PendingCall<?> call) {
      if (reason == DeadLetterReason.DROPPED_NEWEST || reason == DeadLetterReason.DROPPED_OLDEST)
        call.dropped();
      else if (reason == DeadLetterReason.HELD_TOO_MANY) call.notHeld();
      else if (reason == DeadLetterReason.LEFT_BEHIND) call.calleeEnded(stopReason(), "handled it");
      else call.calleeGone(cell().endTold());
    }
    if (!kind.internal) kind.system.deadLetters.add(message, cell(), reason);
  }

  // ---- calling -------------------------------------------------------------------------------

  @Override
  public <R> R call(Call<M, R> request) {
    return call(request, kind.system.callTimeoutNanos);
  }

  @Override
  public <R> R call(Call<M, R> request, Duration timeout) {
    return call(request, timeoutNanos(timeout));
  }

  private <R> R call(Call<M, R> request, long timeoutNanos) {
    checkRequest(request);
    LocalActorSystem system = kind.system;
    Fiber fiber = Fiber.current();
    Seat seat = fiber != null ? fiber : Seat.current();
    if (seat != null) {
      Task caller = seat.task();
      if (caller == this) throw selfCall(request);
      if (caller == null) fiber = null;
    }
    var call = new BlockingCall<R>(cell(), request, timeoutNanos, fiber);
    // A thread keeps its own time, except while it waits for room in a bounded mailbox or drives.
    if (fiber != null || bounded() != null || system.driver != null) system.startTimer(call);
    if (kind.plain) {
      assert kind.counts(1);
      put(new Envelope(request, call), fiber);
    } else {
      sendRequest(request, call);
    }
    return call.await(system);
  }

  private IllegalStateException selfCall(Object request) {
    return new IllegalStateException(
        "Actor "
            + path()
            + " calls itself with "
            + request.getClass().getSimpleName()
            + ", and would wait for its own turn to end. [SELF-CALL]\n"
            + "  next:  call the method that handles it, send it with cast, or use callToSelf");
  }

  @Override
  public <R> CompletionStage<R> callAsync(Call<M, R> request) {
    return callAsync(request, kind.system.callTimeoutNanos);
  }

  @Override
  public <R> CompletionStage<R> callAsync(Call<M, R> request, Duration timeout) {
    return callAsync(request, timeoutNanos(timeout));
  }

  private <R> CompletionStage<R> callAsync(Call<M, R> request, long timeoutNanos) {
    checkRequest(request);
    var call = new AsyncCall<R>(cell(), request, timeoutNanos);
    kind.system.startTimer(call);
    if (kind.plain) {
      assert kind.counts(1);
      put(new Envelope(request, call));
    } else {
      sendRequest(request, call);
    }
    return call.future;
  }

  /** Of a call to this actor. */
  final long timeoutNanos(Duration timeout) {
    if (timeout == null || timeout.isZero() || timeout.isNegative())
      throw new IllegalArgumentException(
          "The timeout of a call to " + path() + " is " + timeout + "; use a positive duration");
    return nanos(timeout);
  }

  /** Of a positive one; longer than a life is as good as for ever. */
  static long nanos(Duration timeout) {
    try {
      return Math.min(timeout.toNanos(), Long.MAX_VALUE / 4);
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE / 4;
    }
  }

  /**
   * Does it belong to the actor's protocol? Nothing is remembered: what actors of one kind have in
   * common is their settings, and a request that is right for one of them is wrong for the next. To
   * ask takes a look into a table of the actor's class, and no memory.
   */
  void checkRequest(@Nullable Call<?, ?> request) {
    if (request == null) throw nullMessage("call");
    Class<?> protocol = protocol();
    if (protocol == null) return; // the turn will tell
    if (!protocol.isInstance(request)) throw new ClassCastException(wrongType(request, protocol));
  }

  final String wrongType(Object message, Class<?> protocol) {
    return "Actor "
        + path()
        + " handles "
        + protocol.getName()
        + ", and "
        + message.getClass().getName()
        + " is none. [WRONG-TYPE]\n  next:  let the record implement "
        + protocol.getSimpleName()
        + ", or send it to another actor; raw types hide this from the compiler";
  }

  // ---- the system lane -----------------------------------------------------------------------

  /**
   * Puts something into the system lane. Any thread. Does nothing when the actor has ended, so that
   * nothing is kept of what nobody takes.
   *
   * <pre>
   * Why nobody who needs an answer is left without:
   *   who puts something in                     owner, at the end
   *   1. compare-and-set(notices, first, mine)  1. tells its end: the watchers become Ended
   *      NO_MORE: it is left out                2. swap(notices, NO_MORE), and sees to what was there
   *   2. asks for the end told
   * Step 1 of the one and step 2 of the other act on one word. If the first is earlier, the owner
   * finds the notice; if the second, the end was told before, and step 2 of the first finds it.
   * Whoever needs no answer leaves out its step 2.
   * </pre>
   */
  void notify(Notice notice) {
    var link = new Notice.Link(notice);
    Notice.Link first;
    do {
      first = notices;
      if (first == Notice.Link.NO_MORE) return;
      link.next = first;
    } while (!NOTICES.compareAndSet(this, first, link));
    wake();
  }

  /**
   * The newest of what lies in the system lane, or null; of an actor that has ended, what says so.
   * Any thread; the owner takes it.
   */
  final Notice.@Nullable Link newestNotice() {
    return notices;
  }

  /** The owner, once it has told its end: what lies there, newest first, and nothing after that. */
  final Notice.@Nullable Link takeLastNotices() {
    return (Notice.Link) NOTICES.getAndSet(this, Notice.Link.NO_MORE);
  }

  /** The owner: everything that lies there, unless something has come since it looked. */
  final boolean tryTakeNotices(Notice.@Nullable Link newest) {
    return NOTICES.compareAndSet(this, newest, null);
  }
}
