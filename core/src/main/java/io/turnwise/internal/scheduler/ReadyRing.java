package io.turnwise.internal.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A bounded FIFO of tasks: one owner pushes and pops, any thief takes half.
 *
 * <p>{@code tail} is written by the owner alone, {@code head} by a compare-and-set of owner or
 * thief. A slot is filled before the volatile write of {@code tail} that makes it visible, and is
 * filled again only after {@code head} has passed it; a thief that read a slot too late therefore
 * fails its compare-and-set and throws the read away. Both indexes only grow (and wrap as ints).
 *
 * <p>The write of {@code tail} is volatile, not release: the owner looks for sleeping workers right
 * after it, and a worker that goes to sleep looks at this ring after it said so. One of the two
 * must see the other.
 *
 * <p>Refused: a LIFO deque. It is faster for fork/join and starves the oldest actor.
 */
final class ReadyRing {
  /** So many at most go at once, however many there are. */
  private static final int MOST_STOLEN = 128;

  private static final VarHandle HEAD;
  private static final VarHandle TAIL;

  static {
    try {
      HEAD = MethodHandles.lookup().findVarHandle(ReadyRing.class, "head", int.class);
      TAIL = MethodHandles.lookup().findVarHandle(ReadyRing.class, "tail", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable Task[] slots;
  private final int mask;
  private volatile int head;
  private volatile int tail;

  /**
   * The ring behind it, once this one was full: nothing is pushed here any more. Itself, once the
   * owner of their {@link ReadyLine} has let go of it. By that owner.
   */
  volatile @Nullable ReadyRing next;

  /** A power of two; tests use small ones. */
  ReadyRing(int capacity) {
    this(capacity, null);
  }

  /** Behind another, counting on from where that ends. */
  ReadyRing(int capacity, @Nullable ReadyRing before) {
    if (Integer.bitCount(capacity) != 1)
      throw new IllegalArgumentException("ReadyRing capacity " + capacity + " is no power of two");
    slots = new Task[capacity];
    mask = capacity - 1;
    if (before == null) return;
    int begin = before.tail;
    HEAD.set(this, begin);
    TAIL.set(this, begin);
  }

  @Nullable ReadyRing next() {
    return next;
  }

  /** It is empty for good; an old one must not keep those that came after it. Owner only. */
  void letGo() {
    next = this;
  }

  int capacity() {
    return slots.length;
  }

  boolean isEmpty() {
    return head == tail;
  }

  int size() {
    return sizeUpTo(this);
  }

  /** With all that lies behind it, up to the last. */
  int sizeUpTo(ReadyRing last) {
    return Math.max(0, last.tail - head);
  }

  /** Shows what it holds, where nobody changes it. */
  void forEach(Consumer<Task> looker) {
    for (int i = head; i != tail; i++) {
      Task task = slots[i & mask];
      if (task != null) looker.accept(task);
    }
  }

  /** Owner only. Returns false when full. Nothing is called after the task is in. */
  boolean push(Task task) {
    int t = tail;
    if (t - head >= slots.length) return false;
    slots[t & mask] = task;
    tail = t + 1;
    return true;
  }

  /**
   * The same for an owner that does not look for sleepers afterwards: without the fence. Who goes
   * to sleep meanwhile may not see the task; its owner is awake, and runs it.
   */
  boolean pushQuietly(Task task) {
    int t = tail;
    if (t - head >= slots.length) return false;
    slots[t & mask] = task;
    TAIL.setRelease(this, t + 1);
    return true;
  }

  /** Owner only. */
  @Nullable Task pop() {
    for (; ; ) {
      int h = head;
      if (h == tail) return null;
      Task task = slots[h & mask];
      // Not cleared: stale references, each gone after one round; see ReadyLine.tidy.
      if (HEAD.compareAndSet(this, h, h + 1)) return task;
    }
  }

  /**
   * Any worker but the owner: moves half of this ring to its own, or all if others wait behind it.
   * Returns how many.
   */
  int stealInto(ReadyRing thief) {
    for (; ; ) {
      int h = head;
      int available = tail - h;
      if (available <= 0) return 0;
      int room = thief.slots.length - (thief.tail - thief.head);
      int wanted = next == null ? (available + 1) / 2 : available;
      wanted = Math.min(Math.min(wanted, room), MOST_STOLEN);
      if (wanted <= 0) return 0;
      int into = thief.tail;
      for (int i = 0; i < wanted; i++) thief.slots[(into + i) & thief.mask] = slots[(h + i) & mask];
      if (HEAD.compareAndSet(this, h, h + wanted)) {
        thief.tail = into + wanted;
        return wanted;
      }
    }
  }
}
