package io.turnwise.internal.mailbox;

import io.turnwise.internal.scheduler.Fiber;
import io.turnwise.internal.scheduler.StackProbe;
import io.turnwise.internal.scheduler.StrandedTasks;
import io.turnwise.internal.scheduler.Task;
import io.turnwise.mailbox.Priority;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The mailbox of an actor, fused with the question whether the actor is scheduled: {@code tail} is
 * null exactly when the actor is idle. A send is one swap of {@code tail}; the sender that finds
 * null has woken the actor and must queue it, everybody else only links.
 *
 * <pre>
 * Why a message is never stranded in a sleeping actor, and never wakes it twice:
 *   sender                                      owner, with nothing left but the envelope it took
 *   1. before := swap(tail, mine)               1. compare-and-set(tail, taken, null)
 *   2. before == null: queue the actor,         2. failed: a sender has swapped, there is more
 *      else link before.next := mine               succeeded: idle; the next sender will see null
 * Both act on the same word with one atomic step, so one of them is first and the other sees it.
 *
 * Signals and the other lanes lie beside that word:
 *   sender                                      owner
 *   1. publish it (atomic)                      1. compare-and-set(tail, taken, null)
 *   2. tail == null: compare-and-set WAKE       2. look at signals and lanes once more; if there is
 *      in, and queue the actor                     anything, compare-and-set WAKE in and go on
 * Each writes, then reads what the other wrote, with full fences: at least one sees the other, and
 * only one compare-and-set from null succeeds.
 * </pre>
 *
 * <p>{@code tail == WAKE} says that the actor is scheduled while the normal lane is empty. The next
 * sender finds it, and writes {@code head} instead of a link; the owner, in that state, does not.
 *
 * <p>{@code tail == CLOSED} is the idle word of an actor that has ended. A sender that swaps it out
 * takes the part of the owner for a moment: it gives what it finds to the dead letters and puts
 * CLOSED back by the same protocol.
 *
 * <p>A stack overflow in the sender: after the swap nothing is called but the queueing, and when
 * that overflows, it has not happened, and the actor is left to the next tick ({@link
 * StrandedTasks}). The code for that stands in the two places instead of in a method of its own,
 * because there is no room left for a call.
 *
 * <p>A bounded mailbox keeps its messages in {@link BoundedStore} and uses {@code tail} only as the
 * word that tells whether the actor is scheduled.
 */
public abstract class Mailbox extends Task {
  /** While a lower lane waits, at most this many in a row from the lanes above it. */
  static final int LANE_RUN = 16;

  static final int COUNT_LIMIT = 1_000_000;

  /** So many messages may be done with and still be held by the chain. */
  private static final int STEPS = 16;

  private static final int MANY = 16;
  private static final int FEW = 4;

  private static final VarHandle TAIL;
  private static final VarHandle HEAD;
  private static final VarHandle LANES;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(Mailbox.class, "tail", Envelope.class);
      HEAD = lookup.findVarHandle(Mailbox.class, "head", Envelope.class);
      LANES = lookup.findVarHandle(Mailbox.class, "lanes", Lanes.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
    // Looked up here, where there is stack left: see StrandedTasks.
    StrandedTasks.barrier = 0;
    if (StrandedTasks.barrier == 0) Envelope.WAKE.next = null;
    Bundle bundle = Bundle.first(Envelope.WAKE);
    bundle.add(Envelope.WAKE);
    if (bundle.at(0) == null || bundle.seal(0)) throw new AssertionError("a bundle lost something");
    synchronized (StrandedTasks.LOCK) {
      Task first = StrandedTasks.first;
      StrandedTasks.first = first;
    }
  }

  private volatile @Nullable Envelope tail;

  /**
   * Where the chain of the normal lane begins, or null. Written by the sender that found the lane
   * empty (idle, or WAKE), and otherwise by the owner, whose {@link Hand} says how far beyond it
   * is.
   */
  private @Nullable Envelope head;

  private volatile @Nullable Lanes lanes;

  /** Whether senders should bring bundles. Written by the owner, read by senders; a hint. */
  private boolean bundles;

  protected Mailbox() {
    queueNext = null; // as above
  }

  /** The owner's own; made when it is first asked for. The owner. */
  protected abstract Hand hand();

  /** The same for observers: null before the first message. */
  protected abstract @Nullable Hand handIfAny();

  /** The messages of a bounded mailbox, or null for an unbounded one. */
  protected abstract @Nullable BoundedStore bounded();

  /** Whether something beside the lanes wants a turn: a signal. Any thread may ask. */
  protected abstract boolean hasSignals();

  /**
   * Whether what waits in a bounded mailbox is to wait on. The owner, whose slices come to nothing
   * meanwhile; what ends this is a signal.
   */
  protected abstract boolean holdsBack();

  /** A message, or an envelope with one, that came too late. Called by a sender. */
  protected abstract void onTooLate(Object item);

  // ---- senders -------------------------------------------------------------------------------

  /** Puts a message into the normal lane of an unbounded mailbox. Any thread. */
  public final void put(Envelope envelope) {
    put(envelope, Fiber.current());
  }

  /** The same for who knows the fiber it runs on, or that it runs on none. */
  protected final void put(Envelope envelope, @Nullable Fiber here) {
    Envelope last = tail;
    if (last instanceof Bundle bundle && bundle.add(envelope)) return;
    if (last == Envelope.CLOSED) onTooLate(envelope);
    else append(envelope, here);
  }

  /** The same for a message for whose answer nobody waits. */
  protected final void putBare(Object message, @Nullable Fiber here) {
    Envelope last = tail;
    if (last instanceof Bundle bundle && bundle.add(message)) return;
    if (last == Envelope.CLOSED) onTooLate(message);
    else append(bundles ? bundleFor(message, last) : new Envelope(message, null), here);
  }

  private static Bundle bundleFor(Object message, @Nullable Envelope last) {
    return last instanceof Bundle full ? full.following(message) : Bundle.first(message);
  }

  private void append(Envelope envelope, @Nullable Fiber here) {
    Envelope before = (Envelope) TAIL.getAndSet(this, envelope);
    if (before == null) {
      head = envelope;
      boolean rouse;
      try {
        rouse = runner().enqueue(this, here);
      } catch (Throwable e) {
        if (here != null) {
          queueNext = here.stranded;
          here.stranded = this;
        } else {
          synchronized (StrandedTasks.LOCK) {
            queueNext = StrandedTasks.first;
            StrandedTasks.first = this;
          }
        }
        return; // the message is in: the send has succeeded, whatever becomes of the sender
      }
      try {
        if (rouse) runner().rouse(this);
      } catch (Throwable e) {
        // It is queued: the next tick wakes somebody.
      }
    } else if (before != Envelope.CLOSED) {
      try {
        // WAKE: scheduled already, with nothing in the lane before this.
        if (before == Envelope.WAKE) HEAD.setRelease(this, envelope);
        else Envelope.NEXT.setRelease(before, envelope);
      } catch (Throwable e) {
        StrandedTasks.barrier = 0;
        if (StrandedTasks.barrier == 0) {
          if (before == Envelope.WAKE) head = envelope;
          else before.next = envelope;
        }
      }
    } else {
      closeAgain(envelope);
    }
  }

  /** Puts a message into the high or the low lane of an unbounded mailbox. Any thread. */
  public final void put(Envelope envelope, Priority priority) {
    if (priority == Priority.NORMAL) {
      put(envelope);
      return;
    }
    StackProbe.forSend();
    Lanes beside = lanesOrNew();
    (priority == Priority.HIGH ? beside.high : beside.low).push(envelope);
    if (!wake()) sweepAfterClose();
  }

  /**
   * Sees to it that the actor runs, after something was put beside the normal lane. Any thread.
   * Returns false when the mailbox is closed.
   */
  protected final boolean wake() {
    Envelope now = tail;
    if (now == null && TAIL.compareAndSet(this, null, Envelope.WAKE)) {
      boolean rouse;
      Fiber here = null;
      try {
        here = Fiber.current();
        rouse = runner().enqueue(this, here);
      } catch (Throwable e) {
        if (here != null) {
          queueNext = here.stranded;
          here.stranded = this;
        } else {
          synchronized (StrandedTasks.LOCK) {
            queueNext = StrandedTasks.first;
            StrandedTasks.first = this;
          }
        }
        return true;
      }
      try {
        if (rouse) runner().rouse(this);
      } catch (Throwable e) {
        // It is queued: the next tick wakes somebody.
      }
      return true;
    }
    return now != Envelope.CLOSED;
  }

  private void closeAgain(Envelope first) {
    Envelope envelope = first;
    for (; ; ) {
      onTooLate(envelope);
      if (envelope instanceof Bundle bundle) empty(bundle, 0, null);
      Envelope next;
      while ((next = (Envelope) Envelope.NEXT.getAcquire(envelope)) == null) {
        if (TAIL.compareAndSet(this, envelope, Envelope.CLOSED)) {
          sweepAfterClose(); // who pushed to a lane meanwhile took the mailbox for open
          return;
        }
        Thread.onSpinWait(); // a sender is between its swap and its link
      }
      envelope = next;
    }
  }

  /** Lets nobody in any more, and hands over who got in; to nobody: too late. */
  private void empty(Bundle bundle, int from, @Nullable Consumer<Object> left) {
    for (int place = from; !bundle.seal(place); place++) {
      Object item;
      while ((item = bundle.at(place)) == null) Thread.onSpinWait(); // claimed: its sender comes
      if (left == null) onTooLate(item);
      else left.accept(item);
    }
  }

  /** A lane was pushed to after the owner had swept it: whoever comes last sweeps again. */
  private void sweepAfterClose() {
    Lanes beside = lanes;
    if (beside == null) return;
    synchronized (beside) { // the owner is gone, so that senders share its part
      Envelope left;
      while ((left = beside.high.poll()) != null || (left = beside.low.poll()) != null)
        onTooLate(left);
    }
  }

  private Lanes lanesOrNew() {
    Lanes now = lanes;
    if (now != null) return now;
    var fresh = new Lanes();
    Lanes before = (Lanes) LANES.compareAndExchange(this, null, fresh);
    return before == null ? fresh : before;
  }

  // ---- the owner -----------------------------------------------------------------------------

  /**
   * The next message by the rule of the lanes, or null when there is none now. It is in hand, for
   * {@link #inHand} to see, until {@link #putDown}. An envelope, or a bare message.
   */
  protected final @Nullable Object take() {
    Hand hand = hand();
    BoundedStore store = bounded();
    if (store != null) return takeUp(store.take());
    Lanes beside = lanes;
    Object taken = beside == null ? takeNormal(hand) : takeFromLanes(hand, beside);
    hand.holds = taken != null;
    return taken;
  }

  /** Takes up a message that does not come from the normal lane. */
  protected final @Nullable Envelope takeUp(@Nullable Envelope envelope) {
    Hand hand = hand();
    hand.aside = envelope;
    hand.holds = envelope != null;
    return envelope;
  }

  /** The message in hand, or null between two. Its owner; observers may look. */
  public final @Nullable Object inHand() {
    Hand hand = handIfAny();
    if (hand == null || !hand.holds) return null;
    Envelope other = hand.aside;
    if (other != null) return other;
    Envelope last = lastTaken(hand);
    int place = hand.place; // once: its owner may go on meanwhile
    if (last == null) return null;
    return last instanceof Bundle bundle && place > 0 ? bundle.at(place - 1) : last.asItem();
  }

  /** The message in hand is done with. */
  protected final void putDown() {
    putDown(hand());
  }

  /** The same for who has the hand. */
  protected final void putDown(Hand hand) {
    hand.holds = false;
    if (hand.aside != null) hand.aside = null;
  }

  /**
   * The first message of a chain is taken without a store of a reference: such a store into an old
   * object is among the dearest things on this path.
   */
  private @Nullable Object takeNormal(Hand hand) {
    Envelope at = hand.cursor;
    if (at == null) {
      at = (Envelope) HEAD.getAcquire(this);
      if (at == null) return null; // woken for something else, or the first sender is not done
      if (!hand.pastHead) {
        hand.pastHead = true;
        return at.asItem();
      }
    }
    if (at instanceof Bundle bundle) {
      Object item = bundle.at(hand.place);
      if (item != null) {
        hand.place++;
        return item;
      }
    }
    Envelope next = (Envelope) Envelope.NEXT.getAcquire(at);
    if (next == null) return null;
    if (at instanceof Bundle bundle && !bundle.seal(hand.place)) return null; // one is on its way
    hand.place = 0;
    if (++hand.steps < STEPS && !(at instanceof Bundle)) {
      hand.cursor = next;
    } else {
      moveHead(hand, next);
      // Envelopes that were taken and have grown old must not keep all that come after them alive.
      at.next = null;
    }
    return next.asItem();
  }

  /** The places of the bundle that the message in hand came with, if it did. The owner. */
  protected final @Nullable Object @Nullable [] bundleInHand(Hand hand) {
    return lastTaken(hand) instanceof Bundle bundle && hand.aside == null ? bundle.places() : null;
  }

  /**
   * The next message of that bundle, or null: what {@link #take} would find, in fewer steps, if
   * nothing but the normal lane has any. The owner.
   */
  protected final @Nullable Object takeFrom(@Nullable Object[] bundle, Hand hand) {
    if (lanes != null) return null;
    Object item = Bundle.at(bundle, hand.place);
    if (item == null) return null;
    hand.place++;
    hand.holds = true;
    return item;
  }

  /** What {@link #takeFrom} would take, if that is a bare message; else null. The owner. */
  protected final @Nullable Object peekBare(@Nullable Object[] bundle, Hand hand) {
    if (lanes != null) return null;
    Object item = Bundle.at(bundle, hand.place);
    return item != null && isBare(item) ? item : null;
  }

  /** Whether it is a message without an envelope around it. */
  protected static boolean isBare(Object item) {
    return item.getClass() != Envelope.class;
  }

  /** Takes what was looked at, in place of the one in hand. The owner. */
  protected final void takePeeked(Hand hand) {
    hand.place++;
  }

  /** Lets go of what lies behind an envelope that has been taken. */
  private void moveHead(Hand hand, Envelope taken) {
    head = taken;
    hand.cursor = null;
    hand.pastHead = true;
    hand.steps = 0;
  }

  private @Nullable Object takeFromLanes(Hand hand, Lanes beside) {
    boolean lowDue = beside.aboveLowRun >= LANE_RUN && !beside.low.isEmpty();
    boolean normalDue = beside.highRun >= LANE_RUN;
    Object taken = null;
    if (lowDue) taken = takeLow(beside);
    if (taken == null && normalDue) taken = takeNormalCounted(hand, beside);
    if (taken == null) taken = takeHigh(beside);
    if (taken == null) taken = takeNormalCounted(hand, beside);
    if (taken == null) taken = takeLow(beside);
    return taken;
  }

  private @Nullable Envelope takeHigh(Lanes beside) {
    Envelope envelope = takeUp(beside.high.poll());
    if (envelope == null) return null;
    beside.highRun++;
    beside.aboveLowRun++;
    return envelope;
  }

  private @Nullable Object takeNormalCounted(Hand hand, Lanes beside) {
    beside.highRun = 0;
    Object item = takeNormal(hand);
    if (item != null) beside.aboveLowRun++;
    return item;
  }

  private @Nullable Envelope takeLow(Lanes beside) {
    Envelope envelope = takeUp(beside.low.poll());
    if (envelope == null) return null;
    beside.aboveLowRun = 0;
    return envelope;
  }

  /** Whether the normal lane of an unbounded mailbox has another message. The owner. */
  protected final boolean hasNext() {
    Hand hand = hand();
    Envelope last = lastTaken(hand);
    if (last == null) return false;
    return (last instanceof Bundle bundle && bundle.at(hand.place) != null)
        || (Envelope) Envelope.NEXT.getAcquire(last) != null;
  }

  /** Whether the owner would find nothing in the normal lane. A look, as good as the moment. */
  protected final boolean isDrained() {
    if (lastTaken(hand()) != null) return !hasNext();
    return HEAD.getAcquire(this) == null && TAIL.getAcquire(this) == Envelope.WAKE;
  }

  /** Whether its last slices had so much to do. The owner. */
  protected final boolean takesBundles() {
    return bundles;
  }

  /** After a slice: whether so many messages came together that bundles are worth their size. */
  protected final void noteHandled(int messages) {
    if (bundles ? messages < FEW : messages >= MANY) bundles = !bundles;
  }

  /**
   * Lets the actor go idle, if there is really nothing left. Returns true when it is out of the
   * caller's hands; false when there is more to do.
   */
  protected final boolean tryIdle() {
    if (!tryLeave()) return false;
    // Only one compare-and-set from idle succeeds: if it is not ours, a sender has it.
    return !hasMoreBeside() || !TAIL.compareAndSet(this, null, Envelope.WAKE);
  }

  /**
   * One step from "scheduled, with nothing left in the normal lane" to idle. When it succeeds, the
   * actor is in nobody's hands: nothing that could block or throw may come between this and giving
   * it up.
   */
  private boolean tryLeave() {
    Hand hand = hand();
    Envelope last = lastTaken(hand);
    if (last == null)
      return HEAD.getAcquire(this) == null && TAIL.compareAndSet(this, Envelope.WAKE, null);
    if ((Envelope) Envelope.NEXT.getAcquire(last) != null) return false;
    if (last instanceof Bundle bundle && !bundle.seal(hand.place)) return false;
    // Before the step: afterwards the head is the next sender's to write, and the hand its owner's.
    head = null;
    if (hand.cursor != null) hand.cursor = null;
    hand.pastHead = false;
    hand.steps = 0;
    short place = hand.place;
    hand.place = 0;
    if (TAIL.compareAndSet(this, last, null)) return true;
    moveHead(hand, last);
    hand.place = place;
    return false;
  }

  /**
   * The envelope of the normal lane that was taken last, or null: none since the lane was empty.
   */
  private @Nullable Envelope lastTaken(Hand hand) {
    Envelope last = hand.cursor;
    return last != null || !hand.pastHead ? last : head;
  }

  private boolean hasMoreBeside() {
    Lanes beside = lanes;
    BoundedStore store = bounded();
    return hasSignals()
        || (beside != null && !beside.isEmpty())
        || (store != null && !store.isEmpty() && !holdsBack());
  }

  /** Whether a lane other than the normal one has messages. The owner. */
  protected final boolean hasLaneMessages() {
    Lanes beside = lanes;
    BoundedStore store = bounded();
    return (beside != null && !beside.isEmpty()) || (store != null && store.hasBesideNormal());
  }

  /**
   * Closes the mailbox for good, and hands over what was left in it. The owner, or, once the
   * workers have ended, whoever closes the system.
   *
   * <p>First the word, in one step, then the rest: what was sent before is a chain that ends, and
   * who sends afterwards finds CLOSED and sees to its message itself. The other way round, a flood
   * of senders could keep an actor from ever stopping. The message in hand, if any, is its turn's.
   */
  protected final void close(Consumer<Object> left) {
    Envelope last = (Envelope) TAIL.getAndSet(this, Envelope.CLOSED);
    if (last == Envelope.CLOSED || last == null) {
      // Closed before, or idle: there is no chain.
    } else if (last != Envelope.WAKE) {
      handOverChain(last, left);
    }
    BoundedStore store = bounded();
    if (store != null) store.close(left);
    Lanes beside = lanes;
    if (beside == null) return;
    synchronized (beside) { // senders that saw the mailbox open leave theirs to us, or come here
      Envelope e;
      while ((e = beside.high.poll()) != null || (e = beside.low.poll()) != null) left.accept(e);
    }
  }

  private void handOverChain(Envelope last, Consumer<Object> left) {
    Hand hand = handIfAny();
    Envelope e = hand == null ? null : lastTaken(hand);
    int place = hand == null || e == null ? 0 : hand.place;
    if (e == null) {
      while ((e = (Envelope) HEAD.getAcquire(this)) == null)
        Thread.onSpinWait(); // its sender comes
      left.accept(e);
    }
    for (; ; ) {
      if (e instanceof Bundle bundle) empty(bundle, place, left);
      if (e == last) break;
      Envelope next;
      while ((next = (Envelope) Envelope.NEXT.getAcquire(e)) == null) Thread.onSpinWait();
      left.accept(next);
      e = next;
      place = 0;
    }
    if (hand == null || !hand.holds) head = null;
  }

  // ---- observers -----------------------------------------------------------------------------

  /** Whether nobody has it and nothing waits. */
  public final boolean isIdle() {
    return tail == null;
  }

  /** Whether it takes nothing any more. */
  public final boolean isClosed() {
    return tail == Envelope.CLOSED;
  }

  /**
   * About how many messages wait: exact when the actor does not run meanwhile. Counts by walking,
   * so that sends need not count; stops at a million.
   */
  public final long countQueued() {
    BoundedStore store = bounded();
    if (store != null) return store.size();
    Hand hand = handIfAny();
    Envelope last = hand == null ? null : lastTaken(hand);
    long count = 0;
    if (hand != null && last instanceof Bundle bundle) count = bundle.countFrom(hand.place);
    for (Envelope e = last == null ? head : (Envelope) Envelope.NEXT.getAcquire(last);
        e != null && count < COUNT_LIMIT;
        e = (Envelope) Envelope.NEXT.getAcquire(e))
      count += e instanceof Bundle bundle ? 1 + bundle.countFrom(0) : 1;
    Lanes beside = lanes;
    if (beside != null) count += beside.high.count() + beside.low.count();
    return count;
  }
}
