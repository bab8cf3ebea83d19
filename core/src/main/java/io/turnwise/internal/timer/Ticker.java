package io.turnwise.internal.timer;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The thread that turns the timer wheel, and beats once a millisecond while anybody works. It
 * sleeps until the next deadline, or the next beat; when all is quiet there are no beats.
 *
 * <pre>
 * Why a deadline is not slept through:
 *   who schedules                           the ticker
 *   1. push to the wheel's inbox (CAS)      1. write sleepsUntil (volatile): at the latest then it
 *   2. read sleepsUntil; if later than         looks again
 *      the deadline, unpark                 2. empty the inbox (CAS); turn the wheel; park until
 *                                              sleepsUntil or the next deadline, if that is earlier
 * Who pushes after the inbox was emptied sees the new sleepsUntil, and unparks if it must. For a
 * long sleep, without beats, sleepsUntil is moved on after the inbox was emptied: so the ticker
 * empties it once more and looks for the next deadline. Others empty the inbox as well, under the
 * same lock: what they took out is in the wheel when the ticker has it.
 * Waking workers and {@code dozing} follow the same pattern, and so do entries that are far ahead
 * and come without a time: they are pushed while {@code beats}, and who finds that it beats no more
 * wakes the ticker, which looks for such before it sleeps.
 * </pre>
 *
 * <p>It sleeps exactly ({@link ExactSleep}). Never early all the same: an entry fires when its
 * deadline has come, whenever the ticker looks. An idle worker may do the same beside it ({@link
 * IdleWatch}); the ticker depends on nobody.
 *
 * <p>Where the ticker comes back very late, the whole process stood still: it was stopped, the
 * machine slept, or a collection took that long. How much time was lost so is counted, for those
 * deadlines that are to leave it out ({@link #stoodStill}).
 */
public final class Ticker {
  private static final System.Logger LOG = System.getLogger("io.turnwise");
  private static final long BEAT_NANOS = TimerWheel.TICK_NANOS;
  private static final int BEATS_BEFORE_DOZING = 20;

  /** So long after a beat comes the look that was asked for in it. */
  private static final long LOOK_NANOS = BEAT_NANOS / 4;

  /** So many in a sleeping ticker's inbox: more will come, and are cheaper while it beats. */
  private static final int BURST = 64;

  /** Even a quiet ticker looks round now and then, for what nobody could wake it for. */
  private static final long LONGEST_SLEEP_NANOS = 1_000_000_000;

  /** So late a ticker is on no machine that lets the process run. */
  static final long STANDSTILL_NANOS = 100_000_000;

  private final TimerWheel wheel;
  private final IdleWatch watch;
  private final LongSupplier clock;
  private final Pulse pulse;
  private final LongConsumer onStandstill;
  private final Object parkReason;
  private volatile Thread thread;
  private volatile long sleepsUntil;
  private volatile boolean dozing;

  /** It runs, and beats: within a millisecond it stamps what needs it. */
  private volatile boolean beats;

  private volatile boolean stopped;

  /** How long the process stood still so far, in all. Written by the ticking thread. */
  private volatile long stoodStill;

  // The ticking thread's own.
  private final ExactSleep exactly;
  private final BooleanSupplier goesOn = () -> !stopped;
  private int quietBeats;
  private long nextBeat;
  private long nextLook;

  /**
   * @param pulse what is done at each beat
   * @param onStandstill told that the process stood still, and for how long; must not block
   */
  public Ticker(
      String name, LongSupplier clock, Pulse pulse, LongConsumer onStandstill, Object parkReason) {
    this.clock = clock;
    this.pulse = pulse;
    this.onStandstill = onStandstill;
    this.parkReason = parkReason;
    long now = clock.getAsLong();
    this.wheel = new TimerWheel(now);
    this.watch = new IdleWatch(wheel, clock);
    this.exactly = new ExactSleep(clock);
    this.sleepsUntil = now;
    this.nextBeat = now;
    this.nextLook = now;
    this.thread = newThread(name);
  }

  public void start() {
    sleepsUntil = clock.getAsLong();
    thread.start();
  }

  /** Any thread. */
  public void schedule(TimerEntry entry) {
    boolean relative = entry.isRelative(); // before: then it is the ticking thread's
    long deadline = entry.deadline();
    wheel.schedule(entry);
    if (relative || entry.depth == BURST) awake();
    else if (deadline - sleepsUntil < 0) LockSupport.unpark(thread);
  }

  /** Whether an entry so far ahead may come without a time; else {@link #schedule} it with one. */
  boolean mayStamp(long delay) {
    return beats && delay >= TimerWheel.FAR_NANOS;
  }

  /** A relative one for which {@link #mayStamp} was true. Any thread. */
  void scheduleFar(TimerEntry entry) {
    wheel.scheduleFar(entry, clock);
    if (!beats) awake();
  }

  /** One that has fired. Whoever has it since then. */
  public void scheduleAgain(TimerEntry entry, long deadline) {
    entry.renew(deadline);
    schedule(entry);
  }

  /** Any thread. */
  public boolean cancel(TimerEntry entry) {
    return wheel.cancel(entry);
  }

  /** How long the process stood still since it began, in ns: it grows. Any thread. */
  public long stoodStill() {
    return stoodStill;
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
    boolean busy = pulse.beat(); // first: what fires below looks at the coarse clock
    advance();
    return busy;
  }

  /**
   * A time before which nothing is due; {@link Long#MAX_VALUE} when nothing waits. The ticking
   * thread, or a test that drives time by hand.
   */
  public long nextDeadline() {
    return wheel.nextDeadline();
  }

  /** Whether something was scheduled or cancelled since the last beat. */
  public boolean hasNews() {
    return wheel.hasInbox() || wheel.needsStamp();
  }

  /** Takes in what was scheduled and cancelled since the last beat; nothing fires. Any thread. */
  public void takeIn() {
    wheel.settled(clock, () -> {});
  }

  /** Shows all that wait in the wheel, as of the last beat. Any thread. */
  public void forEach(Consumer<? super TimerEntry> looker) {
    wheel.forEach(looker);
  }

  /** For a thread that is to run what fires, and has nothing to do. */
  public IdleWatch idleWatch() {
    return watch;
  }

  long now() {
    return clock.getAsLong();
  }

  TimerWheel wheel() {
    return wheel;
  }

  public void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  /**
   * Whether nobody fires anything any more. Who schedules looks afterwards: what it left in the
   * inbox is found when that is emptied for the last time, or it finds that it came too late.
   */
  public boolean isStopped() {
    return stopped;
  }

  /**
   * After {@link #stop}: returns when its thread has ended, or after so many nanoseconds. Returns
   * whether it has; one that never began has.
   */
  public boolean awaitStopped(long nanos) throws InterruptedException {
    Thread own = thread;
    if (own != Thread.currentThread() && own.isAlive() && nanos > 0)
      own.join(Duration.ofNanos(nanos));
    return !own.isAlive();
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
    sleepsUntil = clock.getAsLong(); // to begin may take a second on a busy machine
    TimerSlack.refuse();
    while (!stopped) {
      try {
        run();
      } catch (Throwable e) {
        wheel.recover();
        sayDied(name, e);
      }
    }
    // Here, and not at the end of a round: it may be stopped before it had any, or end by an error.
    beats = false;
    wheel.abandonAll();
  }

  private void sayDied(String name, Throwable cause) {
    if (stopped) return;
    try {
      LOG.log(
          System.Logger.Level.ERROR,
          "The ticker of " + name + ": its loop died, and begins anew",
          cause);
    } catch (Throwable unsaid) {
      LockSupport.parkNanos(parkReason, BEAT_NANOS); // let memory come back
    }
  }

  private void run() {
    while (!stopped) {
      if (quietBeats < BEATS_BEFORE_DOZING && !beats) beats = true;
      long now = clock.getAsLong();
      lookForStandstill(now - sleepsUntil);
      sleepsUntil = now + BEAT_NANOS;
      if (now - nextBeat >= 0) {
        nextBeat = now + BEAT_NANOS;
        boolean busy = pulse.beat();
        nextLook = pulse.wantsLook() ? now + LOOK_NANOS : nextBeat;
        if (wheel.needsStamp()) {
          wheel.stamp(clock);
          busy = true;
        }
        quietBeats = busy ? 0 : quietBeats + 1;
      } else if (now - nextLook >= 0) {
        nextLook = nextBeat;
        pulse.look();
      }
      advance();
      if (quietBeats < BEATS_BEFORE_DOZING) sleepUntil(nextLook, wheel.nextDeadline());
      else doze();
    }
  }

  private void advance() {
    wheel.advance(clock);
    pulse.fired();
  }

  private void lookForStandstill(long late) {
    if (late < STANDSTILL_NANOS) return;
    stoodStill += late;
    onStandstill.accept(late);
  }

  private void doze() {
    long next = wheel.nextDeadline();
    long until = clock.getAsLong() + LONGEST_SLEEP_NANOS;
    long farDue = wheel.farDue();
    if (isBefore(farDue, until)) until = farDue;
    sleepsUntil = isBefore(next, until) ? next : until;
    beats = false;
    dozing = true;
    advance();
    boolean busy = false;
    if (!isBefore(wheel.nextDeadline(), sleepsUntil) && !wheel.needsStamp()) {
      busy = pulse.beat();
      if (!busy) sleepUntil(until, next);
    }
    // Also if somebody works who has not seen it doze: else it would try again at once, for a beat.
    if (!dozing || busy || wheel.needsStamp()) quietBeats = 0;
    dozing = false;
  }

  private static boolean isBefore(long deadline, long time) {
    return deadline != Long.MAX_VALUE && deadline - time < 0;
  }

  /**
   * Until a deadline exactly; else, about until then. A deadline that an idle worker watches is
   * left to it for a moment.
   */
  private void sleepUntil(long about, long deadline) {
    if (!isBefore(deadline, about)) sleepAbout(about);
    else if (watch.isFor(deadline)) sleepAbout(deadline + IdleWatch.GRACE_NANOS);
    else exactly.until(deadline, parkReason, goesOn);
  }

  private void sleepAbout(long until) {
    long left = until - clock.getAsLong();
    if (left > 0) LockSupport.parkNanos(parkReason, left);
  }
}
