package io.turnwise.internal.mailbox;

import io.turnwise.internal.scheduler.StrandedTasks;
import io.turnwise.internal.scheduler.Task;
import io.turnwise.mailbox.Priority;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
 *   2. tail == null: compare-and-set a          2. look at signals and lanes once more; if there is
 *      marker in, and queue the actor              anything, compare-and-set a marker in and go on
 * Each writes, then reads what the other wrote, with full fences: at least one sees the other, and
 * only one compare-and-set from null succeeds.
 * </pre>
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
  private static final VarHandle TAIL;
  private static final VarHandle LANES;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(Mailbox.class, "tail", Envelope.class);
      LANES = lookup.findVarHandle(Mailbox.class, "lanes", Lanes.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private volatile @Nullable Envelope tail;

  /** The first envelope not passed yet. Belongs to who woke the mailbox, then to its owner. */
  private @Nullable Envelope head;

  private volatile @Nullable Lanes lanes;

  /** The messages of a bounded mailbox, or null for an unbounded one. */
  protected abstract @Nullable BoundedStore bounded();

  /** Whether something beside the lanes wants a turn: a signal. Any thread may ask. */
  protected abstract boolean hasSignals();

  /** A message that came too late. Called by its sender. */
  protected abstract void onTooLate(Envelope envelope);

  // ---- senders -------------------------------------------------------------------------------

  /** Puts a message into the normal lane of an unbounded mailbox. Any thread. */
  public final void put(Envelope envelope) {
    if (tail == Envelope.CLOSED) {
      onTooLate(envelope);
      return;
    }
    Envelope before = (Envelope) TAIL.getAndSet(this, envelope);
    if (before == null) {
      head = envelope;
      boolean rouse;
      try {
        rouse = runner().enqueue(this);
      } catch (StackOverflowError e) {
        synchronized (StrandedTasks.LOCK) {
          queueNext = StrandedTasks.first;
          StrandedTasks.first = this;
        }
        throw e;
      }
      if (rouse) runner().rouse(this);
    } else if (before != Envelope.CLOSED) {
      Envelope.NEXT.setRelease(before, envelope);
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
    Envelope marker = Envelope.marker(); // first: after the push nothing may fail
    Lanes beside = lanesOrNew();
    (priority == Priority.HIGH ? beside.high : beside.low).push(envelope);
    if (!wakeWith(marker)) sweepAfterClose();
  }

  /**
   * Sees to it that the actor runs, after something was put beside the normal lane. Any thread.
   * Returns false when the mailbox is closed.
   */
  protected final boolean wakeWith(Envelope marker) {
    Envelope now = tail;
    if (now == null && TAIL.compareAndSet(this, null, marker)) {
      head = marker;
      boolean rouse;
      try {
        rouse = runner().enqueue(this);
      } catch (StackOverflowError e) {
        synchronized (StrandedTasks.LOCK) {
          queueNext = StrandedTasks.first;
          StrandedTasks.first = this;
        }
        throw e;
      }
      if (rouse) runner().rouse(this);
      return true;
    }
    return now != Envelope.CLOSED;
  }

  /** Makes what {@link #wakeWith} needs, before anything is published. */
  protected static Envelope marker() {
    return Envelope.marker();
  }

  private void closeAgain(Envelope first) {
    Envelope envelope = first;
    for (; ; ) {
      onTooLate(envelope);
      Envelope next;
      while ((next = (Envelope) Envelope.NEXT.getAcquire(envelope)) == null) {
        if (TAIL.compareAndSet(this, envelope, Envelope.CLOSED)) return;
        Thread.onSpinWait(); // a sender is between its swap and its link
      }
      envelope = next;
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
   * Takes the next message by the rule of the lanes, or null when there is none now. The envelope
   * is the caller's: its message and caller stay readable, but the mailbox has passed it.
   */
  protected final @Nullable Taken take(Taken into) {
    BoundedStore store = bounded();
    if (store != null) {
      Envelope envelope = store.take();
      return envelope == null ? null : into.fill(envelope);
    }
    Lanes beside = lanes;
    if (beside != null) return takeFromLanes(beside, into);
    return takeNormal(into);
  }

  /** Whether the normal lane of an unbounded mailbox has another message after the present one. */
  protected final boolean hasNext() {
    Envelope first = head;
    return first != null && (Envelope) Envelope.NEXT.getAcquire(first) != null;
  }

  private @Nullable Taken takeNormal(Taken into) {
    Envelope first = head;
    assert first != null : "an actor runs only while its mailbox's word says so";
    if (first.isTaken()) {
      Envelope next = (Envelope) Envelope.NEXT.getAcquire(first);
      if (next == null) return null;
      head = next;
      first = next;
      if (first.isTaken()) return null; // a marker: look again
    }
    into.fill(first);
    first.markTaken();
    return into;
  }

  private @Nullable Taken takeFromLanes(Lanes beside, Taken into) {
    boolean lowDue = beside.aboveLowRun >= LANE_RUN && !beside.low.isEmpty();
    boolean normalDue = beside.highRun >= LANE_RUN;
    Taken taken = null;
    if (lowDue) taken = takeLow(beside, into);
    if (taken == null && normalDue) taken = takeNormalCounted(beside, into);
    if (taken == null) taken = takeHigh(beside, into);
    if (taken == null) taken = takeNormalCounted(beside, into);
    if (taken == null) taken = takeLow(beside, into);
    return taken;
  }

  private @Nullable Taken takeHigh(Lanes beside, Taken into) {
    Envelope envelope = beside.high.poll();
    if (envelope == null) return null;
    beside.highRun++;
    beside.aboveLowRun++;
    return into.fill(envelope);
  }

  private @Nullable Taken takeNormalCounted(Lanes beside, Taken into) {
    beside.highRun = 0;
    if (takeNormal(into) == null) return null;
    beside.aboveLowRun++;
    return into;
  }

  private @Nullable Taken takeLow(Lanes beside, Taken into) {
    Envelope envelope = beside.low.poll();
    if (envelope == null) return null;
    beside.aboveLowRun = 0;
    beside.highRun = 0;
    return into.fill(envelope);
  }

  /**
   * Lets the actor go idle, if there is really nothing left. Returns true when it is out of the
   * caller's hands; false when there is more to do.
   */
  protected final boolean tryIdle() {
    Envelope last = head;
    assert last != null : "an actor runs only while its mailbox's word says so";
    if (!last.isTaken()) return false;
    Envelope next = (Envelope) Envelope.NEXT.getAcquire(last);
    if (next != null) return false;
    head = null; // before the step: afterwards it is the next sender's to write
    if (!TAIL.compareAndSet(this, last, null)) {
      head = last;
      return false;
    }
    if (!hasMoreBeside()) return true;
    Envelope marker = Envelope.marker();
    if (!TAIL.compareAndSet(this, null, marker)) return true; // a sender was faster: it has it
    head = marker;
    return false;
  }

  private boolean hasMoreBeside() {
    Lanes beside = lanes;
    BoundedStore store = bounded();
    return hasSignals()
        || (beside != null && !beside.isEmpty())
        || (store != null && !store.isEmpty());
  }

  /** Whether any lane has something. The owner. */
  protected final boolean isDrained() {
    Envelope last = head;
    return (last == null || (last.isTaken() && (Envelope) Envelope.NEXT.getAcquire(last) == null))
        && !hasLaneMessages();
  }

  private boolean hasLaneMessages() {
    Lanes beside = lanes;
    BoundedStore store = bounded();
    return (beside != null && !beside.isEmpty()) || (store != null && !store.isEmpty());
  }

  /**
   * Closes the mailbox for good. The owner, after it has taken everything it could see; returns
   * false when more came meanwhile, which must be taken first.
   */
  protected final boolean tryClose() {
    BoundedStore store = bounded();
    if (store != null) store.close(this::onTooLate);
    Envelope last = head;
    assert last != null : "an actor runs only while its mailbox's word says so";
    if (!last.isTaken()) return false;
    head = null;
    if (!TAIL.compareAndSet(this, last, Envelope.CLOSED)) {
      head = last;
      return false;
    }
    // Who pushed to a lane and saw the mailbox open before that step left it to us.
    sweepAfterClose();
    return true;
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
    long count = 0;
    for (Envelope e = head;
        e != null && count < COUNT_LIMIT;
        e = (Envelope) Envelope.NEXT.getAcquire(e)) if (!e.isTaken()) count++;
    Lanes beside = lanes;
    return beside == null ? count : count + beside.high.count() + beside.low.count();
  }
}
