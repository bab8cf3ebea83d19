package io.turnwise.internal.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The slice of a worker that is known to be long, and the one that is to stop at its next poll.
 *
 * <p>A slice is named by the number of picks before it, which does not change while it lasts. Who
 * names an old one does no harm: nobody looks at it any more.
 */
final class LongSlice {
  static final int NONE = -1;

  private static final VarHandle SLICE;

  static {
    try {
      SLICE = MethodHandles.lookup().findVarHandle(LongSlice.class, "slice", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * A turn that goes on after it was stopped is not stopped again before this. To stop and to go on
   * takes one or two microseconds; ten times that while the caches are cold.
   */
  static final int LEAST_NANOS = 20_000;

  /** The same for one that others have kept waiting: else it would stand still beside them. */
  static final int DUE_NANOS = 200_000;

  /**
   * The slice that is known to be long, and since when. Its owner, the ticking thread, or who found
   * nobody free for what it queued.
   */
  private volatile int slice = NONE;

  private volatile long since;

  /** The slice that is to stop at its next poll. Written by anybody. */
  private volatile int stop = NONE;

  /**
   * The slice that was to stop and could not: a class initialiser or native code is among its
   * frames. Written by its owner, and by the ticking thread, which lets it try again later.
   */
  private volatile int refused = NONE;

  private final OpenRequests open;
  private final int worker;

  LongSlice(OpenRequests open, int worker) {
    this.open = open;
    this.worker = worker;
  }

  /** This slice is long, since then. */
  void begin(int slice, long since) {
    this.since = since;
    this.slice = slice;
  }

  /** The slice that is known to be long, or was. */
  int named() {
    return slice;
  }

  /**
   * The same for any thread that has looked, unless another was named meanwhile. That one may then
   * be taken for older than it is, and stop sooner.
   */
  void beginInPlaceOf(int named, int slice, long since) {
    this.since = since;
    SLICE.compareAndSet(this, named, slice);
  }

  /** The owner: the long slice was another, and is over. */
  void forget() {
    slice = NONE;
  }

  /** Whether this slice is known to be long. Any thread; a look, no more. */
  boolean is(int present) {
    return slice == present;
  }

  /** Whether some slice was long, and not this one. */
  boolean isAnyBut(int present) {
    return slice != NONE && slice != present;
  }

  long since() {
    return since;
  }

  /**
   * Any thread: the long slice is to stop, once it is old enough to have been worth beginning. The
   * owner may have forgotten it since the caller looked: then nobody is to stop, and nobody would
   * answer. (One that ends from here on is found to have been asked in vain.)
   */
  void askToStop() {
    int asked = slice; // once
    if (asked == NONE) return;
    stop = asked;
    open.add(worker);
    Preemption.ask();
  }

  /** Whether this slice was asked to stop and has not yet. Any thread. */
  boolean isAsked(int present) {
    return stop == present;
  }

  /** Whether another slice was asked to stop, and has ended by itself. */
  boolean isAskedInVain(int present) {
    return stop != NONE && stop != present;
  }

  /**
   * The owner, in a poll. While the slice is too young to stop, and its polls come fast, most of
   * them do not look at the clock: to read that takes longer than many a round of a loop.
   */
  boolean mustStop(int present, Tick tick) {
    if (stop != present) return false;
    if (passes > 0 && lookedIn == present && lookedTick == tick.now()) { // else it became slow
      passes--;
      return false;
    }
    long now = tick.nanoTime();
    if (now - since >= LEAST_NANOS) return true;
    passes = lookedIn == present && now - lookedAt < FAST_NANOS ? PASSES : 0;
    lookedIn = present;
    lookedTick = tick.now();
    lookedAt = now;
    return false;
  }

  /** So many polls in so much time are fast ones; then so many pass without a look at the clock. */
  private static final int FAST_NANOS = 2_000;

  private static final int PASSES = 7;

  private int passes;
  private int lookedIn = NONE;
  private int lookedTick;
  private long lookedAt;

  /** The owner: it was to stop, has answered, and could not. */
  void refuse(int present) {
    refused = present;
  }

  /** Whether this slice could not stop when it was last asked to. Any thread; a look, no more. */
  boolean isRefused(int present) {
    return refused == present;
  }

  /** The ticking thread: it may be able to by now. */
  void forgetRefusal() {
    refused = NONE;
  }

  /** The request was answered, or is withdrawn. */
  void answer() {
    open.remove(worker); // first: see OpenRequests
    stop = NONE;
    Preemption.settle();
  }
}
