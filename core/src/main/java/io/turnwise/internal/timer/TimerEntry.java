package io.turnwise.internal.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Something due at a deadline. {@code state} moves by compare-and-set, so exactly one of firing and
 * cancelling happens; links and bucket belong to the ticking thread.
 */
public abstract class TimerEntry {
  static final int NEW = 0;
  static final int WAITING = 1;
  static final int FIRED = 2;
  static final int CANCELLED = 3;
  static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(TimerEntry.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** When it is due, on the ticker's clock; at first, for a relative one, how long from then on. */
  long deadline;

  /** The deadline is still a delay; the ticking thread makes it a time when it takes it in. */
  boolean relative;

  /** Link in the inbox. Belongs to whoever puts it there, then to the ticking thread. */
  @Nullable TimerEntry inboxNext;

  @Nullable TimerEntry next;
  @Nullable TimerEntry previous;

  /** Its bucket, or -1 when it is in none. */
  int bucket = -1;

  /** NEW at first, which is 0: a volatile field that is not written costs no fence. */
  private volatile int state;

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

  /** Runs on the ticking thread: only sets and wakes, never blocks, never throws. */
  protected abstract void fire();

  /** Runs instead of {@link #fire} when the ticker ends first. */
  protected void abandon() {
    fire();
  }

  final int state() {
    return state;
  }

  final boolean move(int from, int to) {
    return STATE.compareAndSet(this, from, to);
  }

  final boolean isRelative() {
    return relative;
  }

  final long deadline() {
    return deadline;
  }
}
