package io.turnwise.internal.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The wheel of one worker: segments of tasks that have used up their credit, run when the wheel
 * reaches them. One full turn gives every busy task one quantum.
 *
 * <p>A task that used its whole quantum is put one full turn ahead; one that was woken without
 * credit, where its credit is whole again. The wheel moves on when its present segment is empty,
 * and turns freely when all are, so that credits come back while nobody is busy.
 *
 * <p>Touched about once per quantum and task, so a tiny lock guards it: the owner adds and polls, a
 * thief takes half. It is held for a few field writes and never across a call that could block.
 */
final class Wheel {
  static final int SEGMENTS = 16;
  private static final VarHandle LOCK;

  static {
    try {
      LOCK = MethodHandles.lookup().findVarHandle(Wheel.class, "locked", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final @Nullable Task[] first = new Task[SEGMENTS];
  private final @Nullable Task[] last = new Task[SEGMENTS];

  /** How many segments the wheel has moved in all. Written under the lock, read by anybody. */
  private volatile int position;

  private volatile int size;

  /** How many of them may run elsewhere. */
  private volatile int movable;

  /** How many of each share. Written under the lock, read by the owner and the ticking thread. */
  private final int[] shares = new int[Share.MOST];

  /** Where {@link #pollAnywhere} took from last. */
  private int anywhere;

  private volatile boolean locked;

  int position() {
    return position;
  }

  int size() {
    return size;
  }

  /** Shows what it holds, where nobody changes it; at most as many as there are said to be. */
  void forEach(Consumer<Task> looker) {
    int left = size;
    for (Task head : first)
      for (Task task = head; task != null && left-- > 0; task = task.queueNext) looker.accept(task);
  }

  /** How many of this share wait here. A look. */
  int count(Share share) {
    return shares[share.index];
  }

  /** How many a thief could take. */
  int movable() {
    return movable;
  }

  /** Puts a task where it is due: at least now, at most one full turn ahead. */
  void add(Task task, int dueAt) {
    int share = Share.of(task).index; // before: a call may fail for want of stack
    lock();
    try {
      int ahead = Math.max(0, Math.min(SEGMENTS, dueAt - position));
      // One full turn ahead is the segment just left: the last to be reached.
      int segment = (position + (ahead == SEGMENTS ? SEGMENTS - 1 : ahead)) & (SEGMENTS - 1);
      append(segment, task);
      shares[share]++;
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  /** The next due task, moving the wheel as far as needed; null when the wheel is empty. */
  @Nullable Task poll() {
    if (size == 0) {
      turnFreely();
      return null;
    }
    lock();
    try {
      for (int i = 0; i < SEGMENTS; i++) {
        Task task = first[position & (SEGMENTS - 1)];
        if (task != null) {
          int share = Share.of(task).index;
          unlink(position & (SEGMENTS - 1), task);
          shares[share]--;
          return task;
        }
        position = position + 1;
      }
      return null;
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  /**
   * A task of the next segment that has any, round and round, whatever is due: so that each is
   * reached soon, wherever it lies. The wheel does not move.
   */
  @Nullable Task pollAnywhere() {
    if (size == 0) return null;
    lock();
    try {
      for (int i = 0; i < SEGMENTS; i++) {
        anywhere = (anywhere + 1) & (SEGMENTS - 1);
        Task task = first[anywhere];
        if (task != null) {
          int share = Share.of(task).index;
          unlink(anywhere, task);
          shares[share]--;
          return task;
        }
      }
      return null;
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  /** A thief: takes half of what is there, one by one. */
  int stealInto(Wheel thief) {
    int wanted = (movable + 1) / 2;
    int taken = 0;
    while (taken < wanted) {
      Task task = takeFarthest();
      if (task == null) break;
      thief.add(task, thief.position());
      taken++;
    }
    return taken;
  }

  /** Any thread: takes this one out, if it is here. It is the caller's then. */
  boolean remove(Task wanted) {
    if (size == 0) return false;
    lock();
    try {
      for (int segment = 0; segment < SEGMENTS; segment++) {
        Task before = null;
        for (Task task = first[segment]; task != null; task = task.queueNext) {
          if (task == wanted) {
            int share = Share.of(task).index;
            if (before == null) {
              unlink(segment, task);
            } else {
              before.queueNext = task.queueNext;
              if (last[segment] == task) last[segment] = before;
              task.queueNext = null;
              size = size - 1;
              if (!task.pinned) movable = movable - 1;
            }
            shares[share]--;
            return true;
          }
          before = task;
        }
      }
      return false;
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  /** The one that would be reached last, of those that may run elsewhere. It is the caller's. */
  @Nullable Task takeFarthest() {
    lock();
    try {
      for (int i = SEGMENTS - 1; i >= 0; i--) {
        Task task = unlinkMovable((position + i) & (SEGMENTS - 1));
        if (task != null) {
          shares[Share.of(task).index]--;
          return task;
        }
      }
      return null;
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  private @Nullable Task unlinkMovable(int segment) {
    Task before = null;
    Task task = first[segment];
    while (task != null && task.pinned) {
      before = task;
      task = task.queueNext;
    }
    if (task == null) return null;
    if (before == null) {
      unlink(segment, task);
      return task;
    }
    before.queueNext = task.queueNext;
    if (last[segment] == task) last[segment] = before;
    task.queueNext = null;
    size = size - 1;
    movable = movable - 1;
    return task;
  }

  private void turnFreely() {
    lock();
    try {
      if (size == 0) position = position + SEGMENTS;
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  private void append(int segment, Task task) {
    task.queueNext = null;
    Task end = last[segment];
    if (end == null) first[segment] = task;
    else end.queueNext = task;
    last[segment] = task;
    size = size + 1;
    if (!task.pinned) movable = movable + 1;
  }

  private void unlink(int segment, Task task) {
    first[segment] = task.queueNext;
    if (task.queueNext == null) last[segment] = null;
    task.queueNext = null;
    size = size - 1;
    if (!task.pinned) movable = movable - 1;
  }

  private void lock() {
    while (!LOCK.compareAndSet(this, false, true)) Thread.onSpinWait();
  }
}
