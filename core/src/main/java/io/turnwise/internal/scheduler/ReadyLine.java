package io.turnwise.internal.scheduler;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A worker's line of ready tasks, as long as it gets: a {@link ReadyRing}, and behind one that was
 * full another, of twice the size. The owner pushes to the last and pops from the first; thieves
 * take from the first that has anything. So what waits for a worker stays with it: out of a queue
 * that all share, most tasks would be run by a core that has nothing of them in its cache.
 *
 * <pre>
 *   owner, whose last ring is full              whoever takes
 *   1. put the task into a new ring             1. read what is linked behind a ring
 *   2. link it behind the last                  2. the ring is empty: go on to what was read
 * </pre>
 *
 * <p>The owner never pushes to a ring again that has another behind it. So a ring that is found
 * empty after its link was seen stays empty: whoever takes may go on to the next, in order, and the
 * owner lets go of it. A thief that still has it finds nothing there, and begins at the first
 * again. All in a ring came before all in the next.
 *
 * <p>The link is written by a volatile write after the task is in: who pushes looks for sleepers
 * right after it, as behind a push to a ring, and who goes to sleep says so before it looks here.
 *
 * <p>Refused: one array that grows. It is copied while thieves read it, and one of a million is an
 * object of megabytes, which collectors treat like an old one.
 */
final class ReadyLine {
  /** Of the first ring; of those behind it up to {@link #MOST}: larger arrays strain collectors. */
  static final int CAPACITY = 256;

  private static final int MOST = 1 << 16;

  private final int capacity;
  private final int most;

  /** Where the owner pops. Written by it alone. */
  private volatile ReadyRing first;

  /** Where the owner pushes. Written by it alone. */
  private volatile ReadyRing last;

  /** There was no memory for a ring: each attempt may be a full collection. The owner's. */
  private boolean growsNoMore;

  ReadyLine() {
    this(CAPACITY, MOST);
  }

  /** Powers of two; tests use small ones. */
  ReadyLine(int capacity, int most) {
    this.capacity = capacity;
    this.most = most;
    last = new ReadyRing(capacity);
    last.next = null; // looked up here, where there is stack left: see StrandedTasks
    first = last;
  }

  boolean isEmpty() {
    return firstThatHasAny() == null;
  }

  int size() {
    ReadyRing ring = firstThatHasAny();
    return ring == null ? 0 : ring.sizeUpTo(last);
  }

  private @Nullable ReadyRing firstThatHasAny() {
    ReadyRing ring = first;
    while (ring != null) {
      ReadyRing next = behind(ring);
      if (!ring.isEmpty()) return ring;
      ring = next;
    }
    return null;
  }

  private @Nullable ReadyRing behind(ReadyRing ring) {
    ReadyRing next = ring.next();
    return next == ring ? first : next;
  }

  /** Shows what it holds, where nobody changes it. */
  void forEach(Consumer<Task> looker) {
    for (ReadyRing ring = first; ring != null; ring = ring.next()) ring.forEach(looker);
  }

  /** Owner only. Returns false where there is no memory for more. Nothing is called afterwards. */
  boolean push(Task task) {
    return last.push(task) || pushBehind(task);
  }

  /** The same for an owner that does not look for sleepers afterwards. */
  boolean pushQuietly(Task task) {
    return last.pushQuietly(task) || pushBehind(task);
  }

  private boolean pushBehind(Task task) {
    if (growsNoMore) return false;
    ReadyRing full = last;
    ReadyRing more = ringOrNull(Math.min(most, 2 * full.capacity()), full);
    if (more == null) {
      growsNoMore = true;
      return false;
    }
    more.pushQuietly(task);
    last = more; // before the link: afterwards nothing is called
    full.next = more;
    return true;
  }

  private static @Nullable ReadyRing ringOrNull(int capacity, ReadyRing before) {
    try {
      return new ReadyRing(capacity, before);
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /** Owner only. */
  @Nullable Task pop() {
    for (; ; ) {
      ReadyRing ring = first;
      Task task = ring.pop();
      if (task != null) return task;
      ReadyRing next = ring.next();
      if (next == null) return null;
      first = next;
      ring.letGo();
    }
  }

  /**
   * Owner only, now and then: what lay in a large ring would be kept by it, and so would the ring.
   */
  void tidy() {
    growsNoMore = false;
    ReadyRing ring = last;
    if (ring != first || ring.capacity() == capacity || !ring.isEmpty()) return;
    ReadyRing small = ringOrNull(capacity, ring);
    if (small == null) return;
    last = small;
    first = small;
  }

  /** Any worker but the owner: moves some of this line to the end of its own. Returns how many. */
  int stealInto(ReadyLine thief) {
    ReadyRing ring = first;
    while (ring != null) {
      ReadyRing next = behind(ring);
      int taken = ring.stealInto(thief.last);
      if (taken > 0) return taken;
      ring = next;
    }
    return 0;
  }
}
