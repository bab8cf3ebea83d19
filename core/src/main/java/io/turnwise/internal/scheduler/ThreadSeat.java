package io.turnwise.internal.scheduler;

import io.turnwise.internal.door.ThreadMeter;
import org.jspecify.annotations.Nullable;

/** On a platform thread of another backend: every slice is measured. */
class ThreadSeat extends Seat {
  final Thread thread;

  /** What the thread had used when it last looked: what it uses next is for the next slice. */
  long cpuNanos;

  long allocatedBytes;

  private final Tick tick;

  ThreadSeat(Thread thread, Tick tick) {
    super(new Counters(), tick);
    this.thread = thread;
    this.tick = tick;
  }

  /** Runs a slice. Returns whether there is more to do; if not, the task is out of our hands. */
  final boolean run(Task task) {
    task.phase = Task.Phase.RUNNING_CODE;
    beginMeasured(task);
    goesOn(task);
    if (!task.runSliceSafely(this)) return false;
    book(task, 0); // where the slice ended without a charge
    task.sinceTick = tick.fresh(); // goes on at once: it does not wait
    return true;
  }

  /**
   * Nothing that is left of the turn is to be taken for the task's, which may be in its next life
   * on another thread: no kill of that is to look here, and no context is to let it in.
   */
  @Override
  public final boolean claimHere() {
    if (!super.claimHere()) return false;
    task = null;
    return true;
  }

  @Override
  public final void goesOn(Task task) {
    ThreadUse use = useOf(task);
    if (use != null) use.begin(this, tick.nanoTime());
  }

  @Override
  protected final void book(Task task, int used) {
    lookAtMeters();
    ThreadUse use = useOf(task);
    if (use != null) use.end(this, tick.nanoTime());
  }

  /** On its own thread. */
  final void lookAtMeters() {
    cpuNanos = ThreadMeter.cpuNanosHere();
    allocatedBytes = ThreadMeter.allocatedBytesHere();
  }

  /** Or null, without memory for it: a task that is in hand must be run. */
  private static @Nullable ThreadUse useOf(Task task) {
    try {
      return task.account().onThreads();
    } catch (OutOfMemoryError e) {
      return null;
    }
  }
}
