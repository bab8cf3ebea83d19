package io.turnwise.internal.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hierarchical timing wheel: four levels of 64 buckets, the lowest a millisecond each.
 *
 * <p>Any thread schedules and cancels: each is one push to an inbox, which the ticking thread
 * empties. A timer that is cancelled before that, as nearly every call timeout is, never enters the
 * wheel. The wheel itself belongs to the ticking thread alone. A timer never fires early; how late
 * it fires is up to how often {@link #advance} is called.
 */
public final class TimerWheel {
  static final int BITS = 6;
  static final int BUCKETS = 1 << BITS;
  static final int LEVELS = 4;
  static final long TICK_NANOS = 1_000_000;
  private static final VarHandle INBOX;

  static {
    try {
      INBOX = MethodHandles.lookup().findVarHandle(TimerWheel.class, "inbox", TimerEntry.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable TimerEntry[] buckets = new TimerEntry[LEVELS * BUCKETS];
  private final long origin;

  /** Every bucket of the lowest level before this tick has been emptied. */
  private long currentTick;

  private long waiting;
  private volatile @Nullable TimerEntry inbox;

  public TimerWheel(long now) {
    this.origin = now;
  }

  /** Any thread. */
  public void schedule(TimerEntry entry) {
    push(entry);
  }

  /** Any thread. Returns true when it had not fired and now never will. */
  public boolean cancel(TimerEntry entry) {
    if (entry.move(TimerEntry.NEW, TimerEntry.CANCELLED)) return true; // still in the inbox
    if (!entry.move(TimerEntry.WAITING, TimerEntry.CANCELLED)) return false;
    push(entry); // so that it is unlinked soon, not at its deadline
    return true;
  }

  public boolean hasInbox() {
    return inbox != null;
  }

  /** How many wait in the wheel. The ticking thread only. */
  public long waiting() {
    return waiting;
  }

  /** Shows all that wait in the wheel, in no particular order. The ticking thread only. */
  public void forEach(Consumer<? super TimerEntry> looker) {
    for (TimerEntry first : buckets)
      for (TimerEntry entry = first; entry != null; entry = entry.next) looker.accept(entry);
  }

  /** Takes in what was scheduled and cancelled, and fires all that is due. The ticking thread. */
  public void advance(long now) {
    drainInbox(now);
    long target = Math.max(0, now - origin) / TICK_NANOS;
    fireDue((int) (currentTick & (BUCKETS - 1)), now);
    while (currentTick < target) {
      if (waiting == 0) {
        currentTick = target;
        break;
      }
      long next = currentTick + 1;
      if (next < target) next = Math.min(target, Math.max(next, nextBusyTick(0)));
      currentTick = next;
      cascade();
      fireDue((int) (currentTick & (BUCKETS - 1)), now);
    }
  }

  /** A time before which nothing is due; {@link Long#MAX_VALUE} when nothing waits. */
  public long nextDeadline() {
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
      int shift = BITS * level;
      // Above the lowest level, the bucket at hand was spread: what is in it comes a round later.
      long first = (currentTick >> shift) + (level == 0 ? 0 : 1);
      for (long at = first; at < first + BUCKETS && at << shift < best; at++)
        if (buckets[level * BUCKETS + (int) (at & (BUCKETS - 1))] != null) best = at << shift;
    }
    return best;
  }

  /** The ticking thread, at its end: lets go of everything that still waits. */
  public void abandonAll() {
    drainInbox(origin);
    for (int bucket = 0; bucket < buckets.length; bucket++) {
      TimerEntry entry;
      while ((entry = buckets[bucket]) != null) {
        unlink(entry);
        if (entry.move(TimerEntry.WAITING, TimerEntry.FIRED)) abandon(entry);
      }
    }
  }

  private static void abandon(TimerEntry entry) {
    try {
      entry.abandon();
    } catch (Throwable untold) {
      // The others must be told all the same: there is no other round.
    }
  }

  private void push(TimerEntry entry) {
    TimerEntry first;
    do {
      first = inbox;
      entry.inboxNext = first;
    } while (!INBOX.compareAndSet(this, first, entry));
  }

  private void drainInbox(long now) {
    if (inbox == null) return;
    TimerEntry entry = (TimerEntry) INBOX.getAndSet(this, null);
    while (entry != null) {
      TimerEntry next = entry.inboxNext;
      entry.inboxNext = null;
      if (entry.relative) resolve(entry, now);
      takeIn(entry);
      entry = next;
    }
  }

  private static void resolve(TimerEntry entry, long now) {
    entry.relative = false;
    entry.deadline = now + entry.deadline;
  }

  private void takeIn(TimerEntry entry) {
    switch (entry.state()) {
      case TimerEntry.NEW -> {
        link(entry);
        // Cancelled between the look and the link: out again. Later cancels come by the inbox.
        if (!entry.move(TimerEntry.NEW, TimerEntry.WAITING)) unlink(entry);
      }
      case TimerEntry.CANCELLED -> {
        if (entry.bucket >= 0) unlink(entry);
      }
      default -> {
        // Fired before its cancellation arrived: nothing to do.
      }
    }
  }

  private void fireDue(int bucket, long now) {
    TimerEntry entry = buckets[bucket];
    while (entry != null) {
      TimerEntry next = entry.next;
      if (entry.deadline - now <= 0) {
        unlink(entry);
        if (entry.move(TimerEntry.WAITING, TimerEntry.FIRED)) fire(entry);
      }
      entry = next;
    }
  }

  /** A deadline that could not be told comes again with the next round. */
  private void fire(TimerEntry entry) {
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
      TimerEntry entry = buckets[bucket];
      while (entry != null) {
        TimerEntry next = entry.next;
        unlink(entry);
        link(entry);
        entry = next;
      }
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
    int bucket = level * BUCKETS + (int) ((tick >> (BITS * level)) & (BUCKETS - 1));
    entry.bucket = bucket;
    entry.previous = null;
    entry.next = buckets[bucket];
    if (entry.next != null) entry.next.previous = entry;
    buckets[bucket] = entry;
    waiting++;
  }

  private void unlink(TimerEntry entry) {
    if (entry.previous == null) buckets[entry.bucket] = entry.next;
    else entry.previous.next = entry.next;
    if (entry.next != null) entry.next.previous = entry.previous;
    entry.previous = null;
    entry.next = null;
    entry.bucket = -1;
    waiting--;
  }
}
