package io.turnwise.internal.scheduler;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The wheel of one worker: segments of tasks that have used up their credit, run when the wheel
 * reaches them.
 *
 * <p>A task that used its whole quantum is put one full turn ahead; one that was woken without
 * credit, where its credit is whole again. The wheel moves on when its present segment is empty,
 * and turns freely when all are, so that credits come back while nobody is busy.
 *
 * <p>It turns in rounds of {@link #ROUND} segments, in each of which every busy task has one
 * quantum: from a segment of one round, one full turn ahead is in the next one. A round ends when
 * nothing of it is left; when the next one begins is the owner's decision, as others may be behind
 * with theirs.
 *
 * <p>Touched about once per quantum and task, so a tiny lock guards it: the owner adds and polls, a
 * thief takes, and the ticking thread empties that of a worker that is being removed. It is held
 * for a few field writes and never across a call that could block. There may be no stack left for a
 * call: so a task's links are written last, after every call, and in one go. What fails before that
 * leaves the task where it was, and at worst a number in {@link Wheels} that is off by one.
 */
final class Wheel {
  static final int SEGMENTS = 16;

  /** One less, as the present segment cannot be one full turn ahead of itself. */
  private static final int ROUND = SEGMENTS - 1;

  /** So many rounds a worker may be behind others; what it is behind more is lost. */
  static final int MOST_BEHIND = 2;

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

  /** How many of each segment may run elsewhere. Written under the lock; thieves look. */
  private final int[] movableIn = new int[SEGMENTS];

  /** How many segments the wheel has moved in all. Written under the lock, read by anybody. */
  private volatile int position;

  private volatile int size;

  /** How many of them may run elsewhere. */
  private volatile int movable;

  /** The number of its present round, and the position at which that ends. As position. */
  private volatile int round;

  private int roundEnd = ROUND;

  /** There was nothing to run since the present round began. */
  private boolean idle;

  private final Wheels all;

  private volatile boolean locked;

  Wheel(Wheels all) {
    this.all = all;
  }

  int position() {
    return position;
  }

  int round() {
    return round;
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

  /** How many a thief could take. */
  int movable() {
    return movable;
  }

  /** Puts a task where it is due: at least now, at most one full turn ahead. */
  void add(Task task, int dueAt) {
    int share = Share.of(task).index;
    int newest = all.newestRound();
    lock();
    try {
      int ahead = Math.max(0, Math.min(SEGMENTS, dueAt - position));
      all.isBusy(share);
      // No call from here on.
      if (size == 0
          && idle) { // where the others are: it owes nobody those it had nothing to run in
        if (newest - round > 0) round = newest;
        idle = false;
      }
      // One full turn ahead is the segment just left: the last to be reached.
      int segment = (position + (ahead == SEGMENTS ? SEGMENTS - 1 : ahead)) & (SEGMENTS - 1);
      task.queueNext = null;
      Task end = last[segment];
      if (end == null) first[segment] = task;
      else end.queueNext = task;
      last[segment] = task;
      size = size + 1;
      if (!task.pinned) {
        movable = movable + 1;
        movableIn[segment]++;
      }
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  /** The next task, of whatever round; null when the wheel is empty. */
  @Nullable Task poll() {
    return poll(true, round);
  }

  /** The next task of the present round, moving the wheel as far as needed; null if none is. */
  @Nullable Task pollDue() {
    return poll(false, round);
  }

  /**
   * The next task, in the next round if nothing is left of the present one. Who is farther behind
   * the newest round than it may be leaves some out.
   */
  @Nullable Task pollNext() {
    return poll(true, all.newestRound());
  }

  private @Nullable Task poll(boolean beyond, int newest) {
    if (size == 0) {
      turnFreely();
      return null;
    }
    int begun = round;
    Task task = null;
    lock();
    try {
      for (int i = 0; i < SEGMENTS; i++) {
        int segment = position & (SEGMENTS - 1);
        task = first[segment];
        if (task != null) {
          all.isNotBusy(Share.of(task).index);
          unlink(segment, null, task);
          break;
        }
        if (position + 1 == roundEnd) {
          // Not past it: who is put one full turn ahead meanwhile is to be in the next round.
          if (!beyond) break;
          roundEnd += ROUND;
          int least = newest - MOST_BEHIND;
          round = least - round > 1 ? least : round + 1;
        }
        position = position + 1;
      }
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
    int now = round;
    if (now != begun) all.begun(now);
    return task;
  }

  /**
   * The round in which the first of those is due that wait here and may run elsewhere. Any thread;
   * a look, no more.
   */
  int firstRound() {
    int from = position;
    int left = roundEnd - from;
    for (int i = 0; i < ROUND && i < left; i++)
      if (movableIn[(from + i) & (SEGMENTS - 1)] > 0) return round;
    return round + 1;
  }

  /** A thief: takes the last to be reached of those that are due in this round. */
  @Nullable Task takeDueIn(int wanted) {
    lock();
    try {
      int left = roundEnd - position;
      if (wanted == round) return takeFarthest(0, left);
      return wanted == round + 1 ? takeFarthest(left, SEGMENTS) : null;
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
            all.isNotBusy(Share.of(task).index);
            unlink(segment, before, task);
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
      return takeFarthest(0, SEGMENTS);
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  /** Of those so many segments ahead, and not farther than that. Under the lock. */
  private @Nullable Task takeFarthest(int from, int to) {
    for (int i = to - 1; i >= from; i--) {
      int segment = (position + i) & (SEGMENTS - 1);
      if (movableIn[segment] == 0) continue;
      Task before = null;
      Task task = first[segment];
      while (task != null && task.pinned) {
        before = task;
        task = task.queueNext;
      }
      if (task == null) continue;
      all.isNotBusy(Share.of(task).index);
      unlink(segment, before, task);
      return task;
    }
    return null;
  }

  private void turnFreely() {
    lock();
    try {
      if (size == 0) {
        position = position + SEGMENTS;
        roundEnd = position + ROUND;
        idle = true;
      }
    } finally {
      locked = false; // no call: there may be no stack left for one
    }
  }

  /** Takes out the one behind that, or the first. Calls nothing. Under the lock. */
  private void unlink(int segment, @Nullable Task before, Task task) {
    Task next = task.queueNext;
    if (before == null) first[segment] = next;
    else before.queueNext = next;
    if (next == null) last[segment] = before;
    task.queueNext = null;
    size = size - 1;
    if (!task.pinned) {
      movable = movable - 1;
      movableIn[segment]--;
    }
  }

  private void lock() {
    while (!LOCK.compareAndSet(this, false, true)) Thread.onSpinWait();
  }
}
