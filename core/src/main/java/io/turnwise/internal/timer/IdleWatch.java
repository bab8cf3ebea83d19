package io.turnwise.internal.timer;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A thread that has nothing to do but is to run what comes sleeps until the next deadline, and
 * fires it itself: nobody need be woken for it. One such thread at a time.
 *
 * <p>It looks out for what the wheel was last seen to hold, no more: the ticking thread answers for
 * every deadline, and comes a moment later to see that this one was met. So where the machine does
 * not let one of the two run, the other does it.
 */
public final class IdleWatch {
  private static final long NEVER = Long.MAX_VALUE;

  /** The ticking thread leaves so much to who watches. */
  static final long GRACE_NANOS = 30_000;

  private final TimerWheel wheel;
  private final LongSupplier clock;
  private final ExactSleep sleep;

  /** What it sleeps until; {@code NEVER} if nobody does. Written by who watches. */
  private volatile long until = NEVER;

  /** A deadline that has come and could not be fired here: it is theirs. A guess, for anybody. */
  private volatile long leftToOthers = NEVER;

  IdleWatch(TimerWheel wheel, LongSupplier clock) {
    this.wheel = wheel;
    this.clock = clock;
    this.sleep = new ExactSleep(clock);
  }

  /** By each thread that is to watch, once. */
  public void prepare() {
    TimerSlack.refuse();
  }

  /**
   * Whether there is anything to watch for. Any thread.
   *
   * <p>Not a deadline that has come already, while the wheel is somebody else's: who looked at it
   * again and again would keep from the processor whom it waits for.
   */
  public boolean isNeeded() {
    long due = wheel.due();
    return due != NEVER && due != leftToOthers;
  }

  /**
   * Sleeps until the next deadline, or until the thread is woken. By one thread at a time; who
   * comes next has seen the one before go.
   *
   * @return whether the deadline has come; then {@link #fireDue} is next
   */
  public boolean sleep(Object parkReason, BooleanSupplier goesOn) {
    long due = wheel.due();
    if (due == NEVER) return false;
    until = due;
    try {
      return sleep.until(due, parkReason, goesOn);
    } finally {
      until = NEVER;
    }
  }

  /**
   * Fires what is due and needs no lock, unless somebody else is at it. What is due then and still
   * there, for whatever reason, is the ticking thread's.
   */
  public void fireDue() {
    try {
      wheel.tryAdvance(clock);
    } catch (Throwable untold) {
      // It waits in the wheel. The ticking thread meets the same error next, and says so.
      wheel.recover();
    }
    long due = wheel.due();
    if (due != NEVER && due - clock.getAsLong() <= 0) leftToOthers = due;
  }

  boolean isFor(long deadline) {
    return until == deadline;
  }
}
