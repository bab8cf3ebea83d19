package io.turnwise.internal.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Something due at a deadline. {@code state} moves by compare-and-set, so exactly one of firing and
 * cancelling happens; links and bucket belong to whoever holds the wheel's lock.
 */
public abstract class TimerEntry {
  /** In the inbox, or on its way there. */
  static final byte NEW = 0;

  /** In the wheel. */
  static final byte WAITING = 1;

  /** Out of the wheel, for good or until it is scheduled once more. */
  static final byte FIRED = 2;

  /** Never to fire. In no bucket: dropped when it is found in the inbox, or gone. */
  static final byte CANCELLED = 3;

  /** Never to fire; still in its bucket, and in the inbox so that it is taken out there. */
  static final byte UNLINKING = 4;

  /** The following are for entries that are more than a deadline: what it has called runs. */
  static final byte RUNNING = 5;

  static final byte DONE = 6;
  static final byte FAILED = 7;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(TimerEntry.class, "state", byte.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** When it is due, on the ticker's clock; at first, for a relative one, how long from then on. */
  long deadline;

  /** Link in the inbox. Belongs to whoever puts it there, then to who empties that. */
  @Nullable TimerEntry inboxNext;

  @Nullable TimerEntry next;
  @Nullable TimerEntry previous;

  /** How many the inbox holds from here down, without stamps. Written with the link. */
  int depth;

  /** Its bucket, or -1 when it is in none. */
  short bucket = -1;

  /** NEW at first, which is 0: a volatile field that is not written costs no fence. */
  private volatile byte state;

  /** The deadline is still a delay; whoever takes it in makes it a time. */
  boolean relative;

  /** Due at a time. */
  protected TimerEntry(long deadline) {
    this(deadline, false);
  }

  /**
   * Due at a time, or a delay after the ticking thread has taken it in: at most a beat later, never
   * earlier, and without a clock read by who schedules it.
   */
  protected TimerEntry(long deadline, boolean relative) {
    this.deadline = deadline;
    this.relative = relative;
  }

  /**
   * Runs on the ticking thread: only sets and wakes, never throws, waits for short locks at most.
   */
  protected abstract void fire();

  /**
   * Whether {@link #fire} takes a lock, ever so short. Then it is for the ticking thread alone: a
   * worker that waited for a lock behind a fiber would wait for one that it may have to run itself.
   */
  protected boolean mayWait() {
    return true;
  }

  /** Runs instead of {@link #fire} when the ticker ends first. */
  protected void abandon() {
    fire();
  }

  /**
   * The wheel has seen it for the first time since it was scheduled, cancelled or not. Under the
   * wheel's lock.
   */
  protected void arrived() {}

  /** The wheel has let go of it because it was cancelled. Under the wheel's lock. */
  protected void forgotten() {}

  /** It is with nobody but the caller: it may be scheduled once more. */
  final void renew(long newDeadline) {
    deadline = newDeadline;
    relative = false;
    STATE.set(this, NEW); // plain: the push publishes it
  }

  /** It runs, and is to be scheduled once more. Returns false if it was cancelled meanwhile. */
  final boolean beginAgain(long newDeadline) {
    deadline = newDeadline; // no matter if it is not to be: nobody else looks at it before
    return move(RUNNING, NEW);
  }

  final byte stateNow() {
    return state;
  }

  final boolean move(byte from, byte to) {
    return STATE.compareAndSet(this, from, to);
  }

  final boolean isRelative() {
    return relative;
  }

  /** When it is due; once the ticker has taken it in. */
  public final long deadline() {
    return deadline;
  }
}
