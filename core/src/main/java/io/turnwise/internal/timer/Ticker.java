package io.turnwise.internal.timer;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The thread that turns the timer wheel and beats once a millisecond while anybody works. When all
 * is quiet it sleeps until the next deadline.
 *
 * <pre>
 * Why a deadline is not slept through:
 *   who schedules                           the ticker
 *   1. push to the wheel's inbox (CAS)      1. write sleepsUntil (volatile)
 *   2. read sleepsUntil; if later than      2. look at the inbox; if anything is there, go round
 *      the deadline, unpark                    again, else park
 * Waking workers and {@code dozing} follow the same pattern.
 * </pre>
 */
public final class Ticker {
  private static final System.Logger LOG = System.getLogger("io.turnwise");
  private static final long BEAT_NANOS = TimerWheel.TICK_NANOS;
  private static final int BEATS_BEFORE_DOZING = 20;

  /** Even a quiet ticker looks round now and then, for what nobody could wake it for. */
  private static final long LONGEST_SLEEP_NANOS = 1_000_000_000;

  private final TimerWheel wheel;
  private final LongSupplier clock;
  private final BooleanSupplier beat;
  private final Object parkReason;
  private volatile Thread thread;
  private volatile long sleepsUntil;
  private volatile boolean dozing;
  private volatile boolean stopped;
  private int quietBeats;

  /**
   * @param beat called once a beat; tells whether anybody works
   */
  public Ticker(String name, LongSupplier clock, BooleanSupplier beat, Object parkReason) {
    this.clock = clock;
    this.beat = beat;
    this.parkReason = parkReason;
    this.wheel = new TimerWheel(clock.getAsLong());
    this.sleepsUntil = clock.getAsLong();
    this.thread = newThread(name);
  }

  public void start() {
    thread.start();
  }

  /** Any thread. */
  public void schedule(TimerEntry entry) {
    wheel.schedule(entry);
    if (entry.isRelative()) awake();
    else if (entry.deadline() - sleepsUntil < 0) LockSupport.unpark(thread);
  }

  /** Any thread. */
  public boolean cancel(TimerEntry entry) {
    return wheel.cancel(entry);
  }

  /** Whether nobody has moved the coarse clock for a while. */
  public boolean isDozing() {
    return dozing;
  }

  /** Somebody begins to work: beat again. */
  public void awake() {
    if (dozing) {
      dozing = false;
      LockSupport.unpark(thread);
    }
  }

  /** One round. The ticking thread, or a test that drives time by hand. */
  public boolean beatOnce() {
    boolean busy = beat.getAsBoolean(); // first: what fires below looks at the coarse clock
    wheel.advance(clock.getAsLong());
    return busy;
  }

  /**
   * A time before which nothing is due; {@link Long#MAX_VALUE} when nothing waits. The ticking
   * thread, or a test that drives time by hand.
   */
  public long nextDeadline() {
    return wheel.nextDeadline();
  }

  /** Shows all that wait. The ticking thread, or a test that drives time by hand. */
  public void forEach(Consumer<? super TimerEntry> looker) {
    wheel.forEach(looker);
  }

  public void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  private Thread newThread(String name) {
    return Thread.ofPlatform()
        .name("turnwise-" + name + "-ticker")
        .daemon()
        .inheritInheritableThreadLocals(false)
        .unstarted(() -> runAndReplace(name));
  }

  /**
   * An error in a round is said, and the next round begins on the same thread: a new one might not
   * be had when memory is what is missing.
   */
  private void runAndReplace(String name) {
    while (!stopped) {
      try {
        run();
      } catch (Throwable e) {
        sayDied(name, e);
      }
    }
  }

  private void sayDied(String name, Throwable cause) {
    if (stopped) return;
    try {
      LOG.log(System.Logger.Level.ERROR, "The ticker of " + name + " died and was replaced", cause);
    } catch (Throwable unsaid) {
      LockSupport.parkNanos(parkReason, BEAT_NANOS); // let memory come back
    }
  }

  private void run() {
    while (!stopped) {
      boolean busy = beatOnce();
      quietBeats = busy ? 0 : quietBeats + 1;
      long now = clock.getAsLong();
      if (quietBeats < BEATS_BEFORE_DOZING) {
        sleepsUntil = now + BEAT_NANOS;
        LockSupport.parkNanos(parkReason, BEAT_NANOS);
      } else {
        doze(now);
      }
    }
    wheel.abandonAll();
  }

  private void doze(long now) {
    long next = wheel.nextDeadline();
    long sleep = LONGEST_SLEEP_NANOS;
    if (next != Long.MAX_VALUE) sleep = Math.max(1, Math.min(sleep, next - now));
    sleepsUntil = now + sleep;
    dozing = true;
    if (!wheel.hasInbox() && !beat.getAsBoolean()) LockSupport.parkNanos(parkReason, sleep);
    if (!dozing) quietBeats = 0;
    dozing = false;
  }
}
