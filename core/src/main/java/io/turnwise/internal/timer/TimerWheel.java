package io.turnwise.internal.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hierarchical timing wheel: four levels of 64 buckets, the lowest a millisecond each. Deadlines
 * are exact: a bucket is only where to look.
 *
 * <p>Any thread schedules and cancels: each is at most one compare-and-set of the entry's state and
 * one push to an inbox. An entry that is cancelled before it was taken in, as nearly every call
 * timeout is, never enters the wheel. The wheel itself is touched under {@code lock} alone: by the
 * ticking thread, and by who wants to see everything that waits.
 *
 * <p>Never early; how late is up to how often {@link #advance} is called. What is due in the same
 * call fires in the order of the deadlines, equal ones in the order they came in.
 *
 * <p>The inbox of a wheel whose ticking thread sleeps would keep everything that was scheduled and
 * cancelled meanwhile. So who pushes the 16,384th, 32,768th, 65,536th entry and so on drops what
 * was cancelled: its cost is shared by as many pushes as it has entries to look at.
 */
public final class TimerWheel {
  static final int BITS = 6;
  static final int BUCKETS = 1 << BITS;
  static final int LEVELS = 4;
  static final long TICK_NANOS = 1_000_000;
  static final int SIFT_DEPTH = 1 << 14;
  private static final int STACK_PROBE = 48;
  private static final VarHandle INBOX;
  private static final Comparator<TimerEntry> BY_DEADLINE =
      (one, other) -> Long.signum(one.deadline - other.deadline);

  static {
    try {
      INBOX = MethodHandles.lookup().findVarHandle(TimerWheel.class, "inbox", TimerEntry.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ReentrantLock lock = new ReentrantLock();

  /** Newest first: those of a bucket came in from the last to the first. */
  private final @Nullable TimerEntry[] buckets = new TimerEntry[LEVELS * BUCKETS];

  /** By level, a bit for each bucket that holds something. */
  private final long[] occupied = new long[LEVELS];

  private final long origin;

  /** Every bucket of the lowest level before this tick has been emptied. */
  private long currentTick;

  private long waiting;

  /** No fewer than wait in the wheel. Written under the lock, read by anybody. */
  private volatile long atMost;

  private volatile @Nullable TimerEntry inbox;

  public TimerWheel(long now) {
    this.origin = now;
  }

  // ---- any thread ------------------------------------------------------------------------------

  /** Any thread. */
  public void schedule(TimerEntry entry) {
    push(entry);
    int depth = entry.depth;
    if (depth >= SIFT_DEPTH && (depth & (depth - 1)) == 0) sift();
  }

  /** Any thread. Returns true when it had not fired and now never will. */
  public boolean cancel(TimerEntry entry) {
    if (entry.move(TimerEntry.NEW, TimerEntry.CANCELLED)) return true; // still in the inbox
    if (!entry.move(TimerEntry.WAITING, TimerEntry.UNLINKING)) return false;
    push(entry); // so that it is unlinked soon, not at its deadline
    return true;
  }

  public boolean hasInbox() {
    return inbox != null;
  }

  /**
   * A number that is not below the number of those that wait, in the wheel and the inbox; cancelled
   * ones that were not looked at yet count as well. Any thread, for the price of two loads.
   */
  public long bound() {
    TimerEntry first = inbox; // first: who empties the inbox has raised the other before
    return (first == null ? 0 : first.depth) + atMost;
  }

  /** Takes in what was scheduled and cancelled, then looks, with nobody else at the wheel. */
  void settled(long now, Runnable look) {
    probe(STACK_PROBE);
    lock.lock();
    try {
      drainInbox(now);
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

  /** Takes in what was scheduled and cancelled, and fires all that is due. The ticking thread. */
  public void advance(long now) {
    lock.lock();
    try {
      drainInbox(now);
      turnTo(now);
    } finally {
      lock.unlock();
    }
  }

  private void turnTo(long now) {
    long target = Math.max(0, now - origin) / TICK_NANOS;
    fireDue((int) (currentTick & (BUCKETS - 1)), now);
    while (currentTick < target) {
      if (waiting == 0) {
        currentTick = target;
        break;
      }
      currentTick = Math.min(target, Math.max(currentTick + 1, nextBusyTick(0)));
      cascade();
      fireDue((int) (currentTick & (BUCKETS - 1)), now);
    }
  }

  /**
   * A time before which nothing in the wheel is due; {@link Long#MAX_VALUE} when nothing waits. The
   * ticking thread, or a test that drives time by hand.
   */
  public long nextDeadline() {
    lock.lock();
    try {
      if (waiting == 0) return Long.MAX_VALUE;
      long tick = nextBusyTick(0);
      // A cascade at that tick may bring down something that is due before the rest.
      if (tick == nextBusyTick(1)) return origin + tick * TICK_NANOS;
      long best = Long.MAX_VALUE;
      for (TimerEntry e = buckets[(int) (tick & (BUCKETS - 1))]; e != null; e = e.next)
        if (best == Long.MAX_VALUE || e.deadline - best < 0) best = e.deadline;
      return best;
    } finally {
      lock.unlock();
    }
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

  /**
   * The ticking thread, after an error that may have struck where the lock was to be given back.
   */
  void recover() {
    while (lock.isHeldByCurrentThread()) lock.unlock();
  }

  /** The ticking thread, at its end: lets go of everything that still waits. */
  public void abandonAll() {
    lock.lock();
    try {
      drainInbox(origin);
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

  // ---- the inbox -------------------------------------------------------------------------------

  /*
   * An entry is in the inbox at most once: it is pushed when it is NEW, and again, when it was
   * cancelled in the wheel, only after it was taken out to be put there. Whoever empties the inbox
   * reads an entry's link before it lets the entry become WAITING.
   */
  private void push(TimerEntry entry) {
    TimerEntry first;
    do {
      first = inbox;
      entry.inboxNext = first;
      entry.depth = first == null ? 1 : first.depth + 1;
    } while (!INBOX.compareAndSet(this, first, entry));
  }

  /** Empties the inbox. The bound is raised first, so that it never falls short. Under the lock. */
  private @Nullable TimerEntry takeInbox() {
    TimerEntry first;
    do {
      first = inbox;
      if (first == null) return null;
      atMost = waiting + first.depth;
    } while (!INBOX.compareAndSet(this, first, null));
    return first;
  }

  private void drainInbox(long now) {
    TimerEntry entry = inFirstOrder(takeInbox());
    if (entry == null) return;
    while (entry != null) {
      TimerEntry next = entry.inboxNext;
      entry.inboxNext = null;
      if (entry.relative) resolve(entry, now);
      takeIn(entry);
      entry = next;
    }
    atMost = waiting;
  }

  private static @Nullable TimerEntry inFirstOrder(@Nullable TimerEntry newest) {
    TimerEntry oldest = null;
    while (newest != null) {
      TimerEntry older = newest.inboxNext;
      newest.inboxNext = oldest;
      oldest = newest;
      newest = older;
    }
    return oldest;
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

  /** Drops what was cancelled in the inbox and puts the rest back. Any thread. */
  private void sift() {
    try {
      probe(STACK_PROBE);
    } catch (StackOverflowError e) {
      return; // another time: it is only for the sake of memory
    }
    if (!lock.tryLock()) return; // somebody empties it
    try {
      TimerEntry newest = null;
      TimerEntry oldest = null;
      int kept = 0;
      TimerEntry entry = takeInbox();
      while (entry != null) {
        TimerEntry older = entry.inboxNext;
        if (entry.stateNow() == TimerEntry.CANCELLED) {
          entry.inboxNext = null;
          entry.arrived();
          entry.forgotten();
        } else {
          if (oldest == null) newest = entry;
          else oldest.inboxNext = entry;
          oldest = entry;
          kept++;
        }
        entry = older;
      }
      if (newest != null && oldest != null) putBack(newest, oldest, kept);
      atMost = waiting;
    } finally {
      lock.unlock();
    }
  }

  /** Above what was pushed meanwhile. Only the depth of the first is ever read. */
  private void putBack(TimerEntry newest, TimerEntry oldest, int count) {
    TimerEntry first;
    do {
      first = inbox;
      oldest.inboxNext = first;
      newest.depth = (first == null ? 0 : first.depth) + count;
    } while (!INBOX.compareAndSet(this, first, newest));
  }

  // ---- the buckets: under the lock -------------------------------------------------------------

  private void fireDue(int bucket, long now) {
    int due = 0;
    TimerEntry only = null;
    for (TimerEntry e = buckets[bucket]; e != null; e = e.next) {
      if (e.deadline - now > 0) continue;
      due++;
      only = e;
    }
    if (due > 1) fireInOrder(bucket, due, now);
    else if (only != null) fire(only);
    if (due > 0) atMost = waiting;
  }

  private void fireInOrder(int bucket, int count, long now) {
    TimerEntry[] due = new TimerEntry[count];
    for (TimerEntry e = buckets[bucket]; e != null; e = e.next)
      if (e.deadline - now <= 0) due[--count] = e; // oldest first: the sort keeps that for equals
    Arrays.sort(due, BY_DEADLINE);
    for (TimerEntry entry : due) fire(entry);
  }

  /** A deadline that could not be told comes again with the next round. */
  private void fire(TimerEntry entry) {
    boolean fires = entry.move(TimerEntry.WAITING, TimerEntry.FIRED);
    unlink(entry);
    if (!fires) return; // cancelled: what the inbox has of it finds it out already
    try {
      entry.fire();
    } catch (Throwable untold) {
      link(entry);
      entry.move(TimerEntry.FIRED, TimerEntry.WAITING);
      throw untold;
    }
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
