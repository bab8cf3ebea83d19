package io.turnwise.internal.mailbox;

import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.ParkReason;
import io.turnwise.internal.scheduler.Seat;
import io.turnwise.internal.scheduler.StackProbe;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.MailboxDeadlockException;
import io.turnwise.mailbox.MailboxFullException;
import io.turnwise.mailbox.Priority;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a bounded mailbox, and the senders that wait for room. One lock guards it all:
 * dropping the oldest needs more than a queue can do in one step. The lock is the JDK's, so that a
 * fiber that meets it taken waits without its worker, and a stack overflow cannot leave it half
 * taken.
 */
public final class BoundedStore {
  /** What became of a message. */
  public enum Outcome {
    /** In the store: wake the actor. */
    ACCEPTED,
    /** In the store: wake the actor, then let other senders run. */
    ACCEPTED_GIVE_WAY,
    /** Not in the store; the new message is a dead letter. */
    DROPPED_NEWEST,
    /** In the store; {@link Offer#displaced} is a dead letter. */
    DROPPED_OLDEST,
    /** Not in the store: the call that wanted room has ended while it waited. */
    WITHDRAWN,
    /** The actor has ended. */
    CLOSED
  }

  /** What became of a message, and of the one that made room for it. */
  public record Offer(Outcome outcome, @Nullable Envelope displaced) {
    static final Offer ACCEPTED = new Offer(Outcome.ACCEPTED, null);

    /** Accepted; others want to send there as well, and have not had their turn. */
    static final Offer ACCEPTED_GIVE_WAY = new Offer(Outcome.ACCEPTED_GIVE_WAY, null);

    static final Offer DROPPED_NEWEST = new Offer(Outcome.DROPPED_NEWEST, null);
    static final Offer WITHDRAWN = new Offer(Outcome.WITHDRAWN, null);
    static final Offer CLOSED = new Offer(Outcome.CLOSED, null);
  }

  private static final int RUN = 16;
  private static final int LANES = Priority.values().length;

  static {
    try {
      MethodHandles.lookup().ensureInitialized(Waiter.class);
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MailboxConfig config;
  private final boolean waits;
  private final WaitGraph graph;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * The lanes, linked through the envelopes: once a message is made, neither memory nor stack can
   * be missing to put it in.
   */
  private final @Nullable Envelope[] first = new Envelope[LANES];

  private final @Nullable Envelope[] last = new Envelope[LANES];

  /** The senders that wait, oldest first, linked through themselves. */
  private @Nullable Waiter firstWaiter;

  private @Nullable Waiter lastWaiter;

  /** Written under the lock, read by anybody. */
  private volatile int size;

  private @Nullable Mailbox lastSender;
  private int run;
  private int highRun;
  private int aboveLowRun;
  private boolean closed;

  public BoundedStore(MailboxConfig config, WaitGraph graph) {
    this.config = config;
    this.graph = graph;
    // A switch, so that the table which switches over policies share is made here and not by a
    // sender whose stack is used up; see Preload.
    this.waits =
        switch (config.overflow()) {
          case WAIT -> true;
          case FAIL, DROP_NEWEST, DROP_OLDEST -> false;
        };
  }

  /** A sender that waits for room. Its envelope is put in by whoever makes room. */
  private static final class Waiter implements Fiber.Wait, Runnable {
    final Envelope envelope;

    /** The call whose request it is, or null. */
    final @Nullable TimedRequest call;

    final Priority priority;
    final @Nullable Mailbox sender;
    final @Nullable Fiber fiber;
    final Thread thread;
    private volatile boolean over;

    /** Who came after it. Under the lock. */
    @Nullable Waiter next;

    Waiter(Envelope envelope, Priority priority, @Nullable Mailbox sender, @Nullable Fiber fiber) {
      this.envelope = envelope;
      this.call = envelope.caller() instanceof TimedRequest timed ? timed : null;
      this.priority = priority;
      this.sender = sender;
      this.fiber = fiber;
      this.thread = Thread.currentThread();
    }

    /** There is room, or the call that wanted it has ended meanwhile. */
    @Override
    public boolean isOver() {
      return over || call != null && call.isWithdrawn();
    }

    void end() {
      over = true;
      run();
    }

    /** Wakes it. */
    @Override
    public void run() {
      if (fiber != null) fiber.resume();
      else LockSupport.unpark(thread);
    }

    void await() {
      if (fiber != null) {
        fiber.await(this);
        return;
      }
      boolean interrupted = false;
      while (!isOver()) {
        LockSupport.park(ParkReason.WAITING_FOR_MAILBOX_ROOM);
        if (!Thread.interrupted()) continue;
        interrupted = true;
        Seat seat = Seat.current();
        if (seat != null) seat.cancelIfDue();
      }
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  /** Whether senders wait while it is full. */
  public boolean waits() {
    return waits;
  }

  /** Whether a sender that comes now would not have to wait. */
  public boolean hasRoom() {
    lock.lock();
    try {
      return closed || size < config.capacity() && firstWaiter == null;
    } finally {
      lock.unlock();
    }
  }

  boolean isEmpty() {
    return size() == 0;
  }

  /** Without the lock: an owner that has just let go of its actor asks, and must not wait. */
  int size() {
    return size;
  }

  /** Whether anything waits in the high or the low lane. */
  boolean hasBesideNormal() {
    lock.lock();
    try {
      return first[Priority.HIGH.ordinal()] != null || first[Priority.LOW.ordinal()] != null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Offers a message as the policy says; may wait for room.
   *
   * @param target the mailbox this store belongs to
   * @param sender the actor whose turn sends, or null for a plain thread
   */
  public Offer offer(
      Envelope envelope,
      Priority priority,
      Mailbox target,
      @Nullable Mailbox sender,
      @Nullable Fiber fiber) {
    Waiter waiter;
    StackProbe.forSend();
    lock.lock();
    try {
      if (closed) return Offer.CLOSED;
      if (size < config.capacity() && firstWaiter == null) {
        add(envelope, priority);
        return sender != null && mustGiveWay(sender) ? Offer.ACCEPTED_GIVE_WAY : Offer.ACCEPTED;
      }
      switch (config.overflow()) {
        case FAIL -> throw full(target);
        case DROP_NEWEST -> {
          return Offer.DROPPED_NEWEST;
        }
        case DROP_OLDEST -> {
          Envelope worst = firstToGo(priority);
          if (worst == null) return Offer.DROPPED_NEWEST;
          var answer = new Offer(Outcome.DROPPED_OLDEST, worst); // may fail: so, first
          remove(worst);
          add(envelope, priority);
          return answer;
        }
        case WAIT -> {
          StackProbe.forWait();
          waiter = new Waiter(envelope, priority, sender, fiber);
          if (sender != null) graph.begin(sender, target);
          // First: once it is in line the request may be handled, and forwarded, and wait again.
          if (waiter.call != null) waiter.call.beginWait(waiter);
          getInLine(waiter);
        }
        default -> throw new AssertionError(config.overflow());
      }
    } finally {
      lock.unlock();
    }
    try {
      if (sender != null) refuseCircle(sender, waiter);
      waiter.await();
    } catch (MailboxDeadlockException e) {
      throw e; // it has left the line
    } catch (Throwable e) {
      // Cancelled, no memory to look for a circle, or the JDK could not suspend so deep a stack.
      if (giveUp(waiter)) throw e;
    } finally {
      if (waiter.call != null) waiter.call.endWait(waiter);
    }
    if (!waiter.over && giveUp(waiter)) return Offer.WITHDRAWN;
    return Offer.ACCEPTED; // put in, or swept into the dead letters, by whoever ended the wait
  }

  /** Its call ended while it waited for room. Returns false if room was made meanwhile. */
  private boolean giveUp(Waiter waiter) {
    // Not lock: to wait for it suspends, and that may be what has just failed for want of stack.
    // Who has it does not block with it.
    while (!lock.tryLock()) Thread.onSpinWait();
    try {
      if (!leaveLine(waiter)) return false;
      if (waiter.sender != null) graph.end(waiter.sender);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Adds whatever the bound says: what the runtime itself owes the actor. */
  public boolean force(Envelope envelope, Priority priority) {
    lock.lock();
    try {
      if (closed) return false;
      add(envelope, priority);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * While the store is nearly full, no sender gets on for more than {@link #RUN} messages before it
   * lets the others run: whoever is first to wake after a slice of the receiver would otherwise
   * take all the room there is, be the first to wait again, and so the first to wake.
   */
  private boolean mustGiveWay(Mailbox sender) {
    if (!waits || size <= config.capacity() / 4 * 3) return false;
    if (sender != lastSender) {
      lastSender = sender;
      run = 0;
    }
    if (++run < RUN) return false;
    run = 0;
    return true;
  }

  private void refuseCircle(Mailbox sender, Waiter waiter) {
    List<Mailbox> circle = graph.circleThrough(sender);
    if (circle == null) return;
    // Made before it leaves the line: one that has left must be refused.
    var refusal = new MailboxDeadlockException(describe(circle));
    lock.lock();
    try {
      if (!leaveLine(waiter)) return; // room was made meanwhile
      graph.end(sender);
    } finally {
      lock.unlock();
    }
    throw refusal;
  }

  private static String describe(List<Mailbox> circle) {
    var text = new StringBuilder("These actors wait for room in each other's full mailboxes: ");
    for (Mailbox mailbox : circle) text.append(mailbox).append(" -> ");
    return text.append(circle.getFirst())
        .append(". [MAILBOX-DEADLOCK]\n  next:  give one of them a larger or unbounded mailbox,")
        .append(" or a policy that drops or fails")
        .toString();
  }

  private MailboxFullException full(Mailbox target) {
    return new MailboxFullException(
        "The mailbox of "
            + target
            + " holds "
            + config.capacity()
            + " messages and takes no more. [MAILBOX-FULL]\n"
            + "  next:  send slower, raise MailboxConfig.capacity, or choose another policy");
  }

  /** The owner: the next message by the rule of the lanes. */
  @Nullable Envelope take() {
    lock.lock();
    try {
      if (size == 0) return null;
      Envelope envelope = pollByRule();
      size = size - 1;
      Waiter next = nextInLine();
      if (next != null) {
        add(next.envelope, next.priority);
        end(next);
      }
      return envelope;
    } finally {
      lock.unlock();
    }
  }

  /** Ends it: what is inside and who waits go to the dead letters. */
  void close(Consumer<? super Envelope> deadLetters) {
    List<Envelope> left = new ArrayList<>();
    lock.lock();
    try {
      closed = true;
      while (size > 0) {
        size = size - 1;
        left.add(pollByRule());
      }
      Waiter waiter;
      while ((waiter = nextInLine()) != null) {
        left.add(waiter.envelope);
        end(waiter);
      }
    } finally {
      lock.unlock();
    }
    // Outside the lock: to bury a call answers it, which may take the lock of another mailbox.
    left.forEach(deadLetters);
  }

  private void end(Waiter waiter) {
    if (waiter.sender != null) graph.end(waiter.sender);
    waiter.end();
  }

  private void getInLine(Waiter waiter) {
    Waiter before = lastWaiter;
    if (before == null) firstWaiter = waiter;
    else before.next = waiter;
    lastWaiter = waiter;
  }

  private @Nullable Waiter nextInLine() {
    Waiter waiter = firstWaiter;
    if (waiter == null) return null;
    firstWaiter = waiter.next;
    if (firstWaiter == null) lastWaiter = null;
    waiter.next = null;
    return waiter;
  }

  /** Returns false when it is in line no more. */
  private boolean leaveLine(Waiter waiter) {
    Waiter before = null;
    Waiter each = firstWaiter;
    while (each != null && each != waiter) {
      before = each;
      each = each.next;
    }
    if (each == null) return false;
    if (before == null) firstWaiter = waiter.next;
    else before.next = waiter.next;
    if (lastWaiter == waiter) lastWaiter = before;
    waiter.next = null;
    return true;
  }

  private void add(Envelope envelope, Priority priority) {
    int lane = priority.ordinal();
    Envelope before = last[lane];
    if (before == null) first[lane] = envelope;
    else before.next = envelope;
    last[lane] = envelope;
    size = size + 1;
  }

  /**
   * What makes room for a message of this lane: the oldest of the lowest lane in which anything
   * waits, that one included. Null if all there is waits in lanes above, or is owed.
   */
  private @Nullable Envelope firstToGo(Priority priority) {
    for (int lane = LANES - 1; lane >= priority.ordinal(); lane--)
      for (Envelope each = first[lane]; each != null; each = each.next)
        if (!(each.message() instanceof OwedMessage)) return each;
    return null;
  }

  private void remove(Envelope envelope) {
    for (int lane = 0; lane < LANES; lane++) {
      Envelope before = null;
      Envelope each = first[lane];
      while (each != null && each != envelope && each.message() instanceof OwedMessage) {
        before = each;
        each = each.next;
      }
      if (each != envelope) continue;
      if (before == null) first[lane] = envelope.next;
      else before.next = envelope.next;
      if (last[lane] == envelope) last[lane] = before;
      envelope.next = null;
      size = size - 1;
      return;
    }
    throw new AssertionError("what is to go is the first of its lane, but for what is owed");
  }

  private @Nullable Envelope poll(Priority priority) {
    return poll(priority.ordinal());
  }

  private @Nullable Envelope poll(int lane) {
    Envelope envelope = first[lane];
    if (envelope == null) return null;
    first[lane] = envelope.next;
    if (envelope.next == null) last[lane] = null;
    envelope.next = null;
    return envelope;
  }

  private Envelope pollByRule() {
    Envelope envelope = null;
    if (aboveLowRun >= Mailbox.LANE_RUN) envelope = poll(Priority.LOW);
    if (envelope != null) {
      aboveLowRun = 0;
      return envelope;
    }
    if (highRun >= Mailbox.LANE_RUN) {
      highRun = 0;
      envelope = poll(Priority.NORMAL);
    }
    if (envelope == null && (envelope = poll(Priority.HIGH)) != null) highRun++;
    if (envelope == null && (envelope = poll(Priority.NORMAL)) != null) highRun = 0;
    if (envelope != null) {
      aboveLowRun++;
      return envelope;
    }
    aboveLowRun = 0;
    envelope = poll(Priority.LOW);
    if (envelope == null) throw new AssertionError("the store counted more than it holds");
    return envelope;
  }
}
