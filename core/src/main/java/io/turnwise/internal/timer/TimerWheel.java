package io.turnwise.internal.timer;

import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A hierarchical timing wheel: four levels of 64 buckets, the lowest a millisecond each. Deadlines
 * are exact: a bucket is only where to look.
 *
 * <p>Any thread schedules and cancels: each is at most one compare-and-set of the entry's state and
 * one push to an inbox. An entry that is cancelled before it was taken in, as nearly every call
 * timeout is, never enters the wheel. The wheel itself is touched under {@code lock} alone: by the
 * ticking thread, by an idle one that watches ({@link IdleWatch}), and by who wants to see
 * everything that waits.
 *
 * <p>Never early; how late is up to how often {@link #advance} is called. What is due in the same
 * call fires in the order of the deadlines, equal ones in the order they came in.
 *
 * <p>To look at the clock is the dearest part of scheduling. So entries that are ten seconds or
 * more ahead may come without a time of their own, to an inbox of their own, while the ticking
 * thread beats: with each beat it puts a {@link Stamp} above them, and each counts from the first
 * stamp above it. That makes them late by a beat at most, and leaves them where they are, in the
 * cache of who made them and may cancel them, for half a second.
 *
 * <p>The inbox of a wheel whose ticking thread sleeps would keep everything that was scheduled and
 * cancelled meanwhile. So who pushes the 16,384th, 32,768th, 65,536th entry and so on looks at the
 * newest eighth of them, and if half of these were cancelled, drops all that were: the cost is
 * shared by as many pushes as it has entries to look at.
 */
public final class TimerWheel {
  static final int BITS = 6;
  static final int BUCKETS = 1 << BITS;
  static final int LEVELS = 4;
  static final long TICK_NANOS = 1_000_000;
  static final int SIFT_DEPTH = 1 << 14;
  private static final int SIFT_SAMPLE = 8;

  /** What is so far ahead need not have a time of its own: a beat is a ten-thousandth of it. */
  static final long FAR_NANOS = 10_000_000_000L;

  /** Such are left where they are for so long. */
  private static final long LEFT_NANOS = 500_000_000;

  private static final int STACK_PROBE = 48;
  private static final int LOCK_SPINS = 100;
  private static final long LOCK_NAP_NANOS = 20_000;
  private static final Comparator<TimerEntry> BY_DEADLINE =
      (one, other) -> Long.signum(one.deadline - other.deadline);

  private final ReentrantLock lock = new ReentrantLock();

  /** Newest first: those of a bucket came in from the last to the first. */
  private final @Nullable TimerEntry[] buckets = new TimerEntry[LEVELS * BUCKETS];

  /** By level, a bit for each bucket that holds something. */
  private final long[] occupied = new long[LEVELS];

  private final long origin;
  private final LongSupplier noTime;

  /** Every bucket of the lowest level before this tick has been emptied. */
  private long currentTick;

  private long waiting;

  /** No fewer than wait in the wheel. Written under the lock, read by anybody. */
  private volatile long atMost;

  /** Written under the lock, read by anybody. */
  private volatile long due = Long.MAX_VALUE;

  private final Inbox near = new Inbox();
  private final Inbox far = new Inbox();

  /** When there were last none of those that are far ahead. Under the lock. */
  private long farTakenAt;

  public TimerWheel(long now) {
    this.origin = now;
    this.noTime = () -> now;
    this.farTakenAt = now;
  }

  // ---- any thread ------------------------------------------------------------------------------

  /** Any thread. */
  public void schedule(TimerEntry entry) {
    near.push(entry);
    if (isWorthALook(entry.depth)) sift(near, entry.depth, noTime); // nobody asks these for one
  }

  /**
   * A relative one, far ahead. Any thread; the ticking thread must be about to stamp it.
   *
   * @param clock looked at if many are dropped, whose handles may be asked for a time
   */
  void scheduleFar(TimerEntry entry, LongSupplier clock) {
    far.push(entry);
    if (isWorthALook(entry.depth)) sift(far, entry.depth, clock);
  }

  private static boolean isWorthALook(int depth) {
    return depth >= SIFT_DEPTH && (depth & (depth - 1)) == 0;
  }

  /** Any thread. Returns true when it had not fired and now never will. */
  public boolean cancel(TimerEntry entry) {
    if (entry.move(TimerEntry.NEW, TimerEntry.CANCELLED)) return true; // still in the inbox
    if (!entry.move(TimerEntry.WAITING, TimerEntry.UNLINKING)) return false;
    near.push(entry); // so that it is unlinked soon, not at its deadline
    return true;
  }

  public boolean hasInbox() {
    return !near.isEmpty();
  }

  int nearDepth() {
    return near.depth();
  }

  /**
   * A number that is not below the number of those that wait, in the wheel and the inbox; cancelled
   * ones that were not looked at yet count as well. Any thread, for the price of two loads.
   */
  public long bound() {
    long coming = near.depth() + far.depth(); // first: who empties them has raised the other before
    return coming + atMost;
  }

  /** Takes in what was scheduled and cancelled, then looks, with nobody else at the wheel. */
  void settled(LongSupplier clock, Runnable look) {
    probe(STACK_PROBE);
    lock.lock();
    try {
      takeInNear(clock);
      takeInFar(clock);
      look.run();
    } finally {
      lock.unlock();
    }
  }

  /** An overflow comes here, where nothing is locked, or not at all. */
  private static int probe(int frames) {
    return frames == 0 ? 0 : probe(frames - 1) + 1;
  }

  /** How many wait in the wheel. The ticking thread only. */
  public long waiting() {
    return waiting;
  }

  /**
   * Shows all that wait in the wheel, in no particular order. Bucket by bucket, so that the ticking
   * thread never waits for long; from the top, because entries move down only: none is missed.
   */
  public void forEach(Consumer<? super TimerEntry> looker) {
    probe(STACK_PROBE);
    for (int bucket = buckets.length - 1; bucket >= 0; bucket--) {
      lock.lock();
      try {
        for (TimerEntry e = buckets[bucket]; e != null; e = e.next) looker.accept(e);
      } finally {
        lock.unlock();
      }
    }
  }

  // ---- the ticking thread ----------------------------------------------------------------------

  /** The same at a time that nobody else moves. */
  public void advance(long now) {
    advance(() -> now);
  }

  /** Takes in what was scheduled and cancelled, and fires all that is due. The ticking thread. */
  public void advance(LongSupplier clock) {
    lockFirst();
    try {
      advance(clock, true);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The same by a thread that must not wait, and looks for the next deadline: up to the first entry
   * that may wait. Does nothing if somebody is at the wheel.
   */
  void tryAdvance(LongSupplier clock) {
    if (!lock.tryLock()) return;
    try {
      advance(clock, false);
      due = findNextDeadline();
    } finally {
      lock.unlock();
    }
  }

  private void advance(LongSupplier clock, boolean mayWait) {
    long now = takeInNear(clock);
    if (far.isEmpty()) farTakenAt = now; // what comes next is left as long, counted from here
    else if (isFarDue(now)) now = takeInFar(clock);
    turnTo(now, mayWait);
  }

  /**
   * The ticking thread goes before those that queue for the lock. One of them may be a fiber, which
   * gets on only when a worker runs it; and that a worker does so is for the ticking thread to see.
   */
  private void lockFirst() {
    for (int i = 0; !lock.tryLock(); i++) {
      if (i < LOCK_SPINS) Thread.onSpinWait();
      else LockSupport.parkNanos(this, LOCK_NAP_NANOS);
    }
  }

  private boolean isFarDue(long now) {
    return now - farTakenAt >= LEFT_NANOS;
  }

  /** When those that are far ahead must be taken in, or {@code MAX_VALUE}. The ticking thread. */
  long farDue() {
    return far.isEmpty() ? Long.MAX_VALUE : farTakenAt + LEFT_NANOS;
  }

  /** Whether some were scheduled far ahead and have no time yet. Any thread. */
  boolean needsStamp() {
    TimerEntry top = far.newest();
    return top != null && !(top instanceof Stamp);
  }

  /** Gives a time to all that have none. The clock is read when the stamp lies above them. */
  void stamp(LongSupplier clock) {
    lockFirst();
    try {
      var stamp = new Stamp();
      far.push(stamp);
      stamp.deadline = clock.getAsLong();
    } finally {
      lock.unlock();
    }
  }

  private void turnTo(long now, boolean mayWait) {
    long target = Math.max(0, now - origin) / TICK_NANOS;
    boolean all = fireDue((int) (currentTick & (BUCKETS - 1)), now, mayWait);
    while (all && currentTick < target) {
      if (waiting == 0) {
        currentTick = target;
        break;
      }
      currentTick = Math.min(target, Math.max(currentTick + 1, nextBusyTick(0)));
      cascade();
      all = fireDue((int) (currentTick & (BUCKETS - 1)), now, mayWait);
    }
  }

  /**
   * A time before which nothing in the wheel is due; {@link Long#MAX_VALUE} when nothing waits. The
   * ticking thread, or a test that drives time by hand.
   */
  public long nextDeadline() {
    lockFirst();
    try {
      long next = findNextDeadline();
      due = next;
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** What {@link #nextDeadline} was when somebody last turned the wheel. Any thread. */
  long due() {
    return due;
  }

  private long findNextDeadline() {
    if (waiting == 0) return Long.MAX_VALUE;
    long tick = nextBusyTick(0);
    // A cascade at that tick may bring down something that is due before the rest.
    if (tick == nextBusyTick(1)) return origin + tick * TICK_NANOS;
    long best = Long.MAX_VALUE;
    for (TimerEntry e = buckets[(int) (tick & (BUCKETS - 1))]; e != null; e = e.next)
      if (best == Long.MAX_VALUE || e.deadline - best < 0) best = e.deadline;
    return best;
  }

  /**
   * The next tick at which the lowest level holds something, or a bucket above it that holds
   * something is spread; without the levels below the given one.
   */
  private long nextBusyTick(int lowest) {
    long best = Long.MAX_VALUE;
    for (int level = lowest; level < LEVELS; level++) {
      if (occupied[level] == 0) continue;
      int shift = BITS * level;
      // Above the lowest level, the bucket at hand was spread: what is in it comes a round later.
      long first = (currentTick >> shift) + (level == 0 ? 0 : 1);
      // The bits from the bucket of `first` on, that one lowest: as many zeros, so many to go.
      long ahead = Long.rotateRight(occupied[level], (int) (first & (BUCKETS - 1)));
      best = Math.min(best, (first + Long.numberOfTrailingZeros(ahead)) << shift);
    }
    return best;
  }

  /** After an error that may have struck where the lock was to be given back. By who met it. */
  void recover() {
    while (lock.isHeldByCurrentThread()) lock.unlock();
  }

  /** The ticking thread, at its end: lets go of everything that still waits. */
  public void abandonAll() {
    lockFirst();
    try {
      takeInNear(() -> origin);
      takeInFar(() -> origin);
      for (int bucket = 0; bucket < buckets.length; bucket++) {
        TimerEntry entry;
        while ((entry = buckets[bucket]) != null) {
          unlink(entry);
          if (entry.move(TimerEntry.WAITING, TimerEntry.FIRED)) abandon(entry);
        }
      }
      atMost = waiting;
    } finally {
      lock.unlock();
    }
  }

  private static void abandon(TimerEntry entry) {
    try {
      entry.abandon();
    } catch (Throwable untold) {
      // The others must be told all the same: there is no other round.
    }
  }

  // ---- the inboxes -----------------------------------------------------------------------------

  /** Empties an inbox. The bound is raised first, so that it never falls short. Under the lock. */
  private @Nullable TimerEntry take(Inbox inbox) {
    TimerEntry first;
    do {
      first = inbox.newest();
      if (first == null) return null;
      atMost = waiting + first.depth;
    } while (!inbox.take(first));
    return first;
  }

  /**
   * Returns what the clock shows, read after the inbox was emptied: what is relative counts from a
   * time at which it had been scheduled.
   */
  private long takeInNear(LongSupplier clock) {
    TimerEntry newest = take(near);
    long now = clock.getAsLong();
    if (newest != null) takeIn(newest, now);
    return now;
  }

  private long takeInFar(LongSupplier clock) {
    TimerEntry newest = take(far);
    long now = clock.getAsLong();
    farTakenAt = now;
    if (newest != null) takeIn(newest, now);
    return now;
  }

  private void takeIn(TimerEntry newest, long now) {
    TimerEntry entry = resolved(newest, now);
    while (entry != null) {
      TimerEntry next = entry.inboxNext;
      entry.inboxNext = null;
      takeIn(entry);
      entry = next;
    }
    atMost = waiting;
  }

  /**
   * Gives each its time, takes out the stamps and what was cancelled, and turns the order round:
   * the oldest first.
   */
  private static @Nullable TimerEntry resolved(TimerEntry newest, long now) {
    TimerEntry oldest = null;
    TimerEntry entry = newest;
    long time = now;
    while (entry != null) {
      TimerEntry older = entry.inboxNext;
      if (entry instanceof Stamp) {
        time = entry.deadline;
      } else {
        if (entry.relative) resolve(entry, time); // cancelled or not: its handle tells the time
        if (entry.stateNow() == TimerEntry.CANCELLED) {
          drop(entry);
        } else {
          entry.inboxNext = oldest;
          oldest = entry;
        }
      }
      entry = older;
    }
    return oldest;
  }

  /** One that was cancelled before the wheel saw it. Out of its inbox. */
  private static void drop(TimerEntry entry) {
    entry.inboxNext = null;
    entry.arrived();
    entry.forgotten();
  }

  private static void resolve(TimerEntry entry, long now) {
    entry.relative = false;
    entry.deadline = now + entry.deadline;
  }

  private void takeIn(TimerEntry entry) {
    byte state = entry.stateNow();
    if (state == TimerEntry.UNLINKING) {
      if (entry.bucket >= 0) unlink(entry);
      entry.move(TimerEntry.UNLINKING, TimerEntry.CANCELLED);
      entry.forgotten();
      return;
    }
    entry.arrived();
    if (state == TimerEntry.NEW) {
      link(entry);
      if (entry.move(TimerEntry.NEW, TimerEntry.WAITING)) return;
      unlink(entry); // cancelled between the look and the link. Later cancels come by the inbox
    }
    entry.forgotten();
  }

  /** Drops what was cancelled, if that is much, and puts the rest back. Any thread. */
  private void sift(Inbox inbox, int depth, LongSupplier clock) {
    try {
      probe(STACK_PROBE);
    } catch (StackOverflowError e) {
      return; // another time: it is only for the sake of memory
    }
    if (!lock.tryLock()) return; // somebody empties it
    try {
      if (!isWorthSifting(inbox.newest(), depth / SIFT_SAMPLE)) return;
      TimerEntry newest = null;
      TimerEntry oldest = null;
      int kept = 0;
      Stamp stamp = null;
      TimerEntry entry = take(inbox);
      long now = clock.getAsLong(); // after: all of them were scheduled before then
      while (entry != null) {
        TimerEntry older = entry.inboxNext;
        if (entry instanceof Stamp above) {
          stamp = above;
        } else {
          if (stamp != null && entry.relative) resolve(entry, stamp.deadline);
          if (entry.stateNow() == TimerEntry.CANCELLED) {
            if (entry.relative) resolve(entry, now);
            drop(entry);
          } else {
            if (oldest == null) newest = entry;
            else oldest.inboxNext = entry;
            oldest = entry;
            kept++;
          }
        }
        entry = older;
      }
      // What was pushed meanwhile lies below these then: so no stamp of theirs may come along.
      if (newest != null && oldest != null) inbox.putBack(newest, oldest, kept);
      atMost = waiting;
    } finally {
      lock.unlock();
    }
  }

  /** Whether half of the newest were cancelled. Under the lock: nobody takes them out meanwhile. */
  private static boolean isWorthSifting(@Nullable TimerEntry newest, int looks) {
    int cancelled = 0;
    TimerEntry entry = newest;
    for (int i = 0; i < looks && entry != null; i++) {
      if (entry.stateNow() == TimerEntry.CANCELLED) cancelled++;
      entry = entry.inboxNext;
    }
    return cancelled >= looks / 2;
  }

  // ---- the buckets: under the lock -------------------------------------------------------------

  /** Returns false if some are left that may wait, which the caller must not. */
  private boolean fireDue(int bucket, long now, boolean mayWait) {
    int due = 0;
    TimerEntry only = null;
    for (TimerEntry e = buckets[bucket]; e != null; e = e.next) {
      if (e.deadline - now > 0) continue;
      due++;
      only = e;
    }
    boolean all = true;
    if (due > 1) all = fireInOrder(bucket, due, now, mayWait);
    else if (only != null) all = fire(only, mayWait);
    if (due > 0) atMost = waiting;
    return all;
  }

  private boolean fireInOrder(int bucket, int count, long now, boolean mayWait) {
    TimerEntry[] due = new TimerEntry[count];
    for (TimerEntry e = buckets[bucket]; e != null; e = e.next)
      if (e.deadline - now <= 0) due[--count] = e; // oldest first: the sort keeps that for equals
    Arrays.sort(due, BY_DEADLINE);
    for (TimerEntry entry : due) if (!fire(entry, mayWait)) return false; // in order, or not at all
    return true;
  }

  /** A deadline that could not be told comes again with the next round. */
  private boolean fire(TimerEntry entry, boolean mayWait) {
    if (!mayWait && entry.mayWait()) return false;
    boolean fires = entry.move(TimerEntry.WAITING, TimerEntry.FIRED);
    unlink(entry);
    if (!fires) return true; // cancelled: what the inbox has of it finds it out already
    try {
      entry.fire();
    } catch (Throwable untold) {
      link(entry);
      entry.move(TimerEntry.FIRED, TimerEntry.WAITING);
      throw untold;
    }
    return true;
  }

  /** At the start of each round of a level, spreads the next bucket of the level above. */
  private void cascade() {
    for (int level = 1; level < LEVELS; level++) {
      if ((currentTick & ((1L << (BITS * level)) - 1)) != 0) return;
      int bucket = level * BUCKETS + (int) ((currentTick >> (BITS * level)) & (BUCKETS - 1));
      spread(takeOut(bucket));
    }
  }

  /** Empties a bucket; returns its entries from the oldest on, linked by {@code previous}. */
  private @Nullable TimerEntry takeOut(int bucket) {
    TimerEntry last = buckets[bucket];
    while (last != null && last.next != null) last = last.next;
    return last;
  }

  private void spread(@Nullable TimerEntry oldest) {
    TimerEntry entry = oldest;
    while (entry != null) {
      TimerEntry newer = entry.previous;
      unlink(entry);
      link(entry);
      entry = newer;
    }
  }

  private void link(TimerEntry entry) {
    long tick = Math.max(currentTick, (entry.deadline - origin) / TICK_NANOS);
    long ahead = tick - currentTick;
    int level = 0;
    while (level < LEVELS - 1 && ahead >= 1L << (BITS * (level + 1))) level++;
    // Farther than the top level reaches: wait in its last bucket and be looked at again.
    long reach = (1L << (BITS * LEVELS)) - (1L << (BITS * (LEVELS - 1)));
    if (ahead > reach) tick = currentTick + reach;
    int place = (int) ((tick >> (BITS * level)) & (BUCKETS - 1));
    int bucket = level * BUCKETS + place;
    entry.bucket = (short) bucket;
    entry.previous = null;
    entry.next = buckets[bucket];
    if (entry.next != null) entry.next.previous = entry;
    buckets[bucket] = entry;
    occupied[level] |= 1L << place;
    waiting++;
  }

  private void unlink(TimerEntry entry) {
    int bucket = entry.bucket;
    if (entry.previous == null) {
      buckets[bucket] = entry.next;
      if (entry.next == null) occupied[bucket >> BITS] &= ~(1L << (bucket & (BUCKETS - 1)));
    } else {
      entry.previous.next = entry.next;
    }
    if (entry.next != null) entry.next.previous = entry.previous;
    entry.previous = null;
    entry.next = null;
    entry.bucket = -1;
    waiting--;
  }
}
