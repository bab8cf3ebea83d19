package io.turnwise.internal.scheduler;

import io.turnwise.observation.Usage;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something that workers run in slices: an actor's cell, seen from below.
 *
 * <p>A task is at any moment in exactly one of four hands, and only that hand may write its fields:
 * nobody's (idle: whoever makes it runnable takes it), one queue's, one worker's, or the suspended
 * fiber's that holds its turn in the middle. Each hand-over is a release followed by an acquire:
 * the mailbox's tail, a queue's tail, or the fiber's state.
 */
public abstract class Task {
  private static final System.Logger LOG = System.getLogger("io.turnwise");
  private static final VarHandle ACCOUNT;

  static {
    try {
      ACCOUNT = MethodHandles.lookup().findVarHandle(Task.class, "account", Account.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Link of the one queue that holds it: injector, inbox, wheel or the stranded. */
  protected @Nullable Task queueNext;

  /** The fiber that holds a turn of it in the middle. Set by the worker that saw it suspend. */
  @Nullable Fiber suspended;

  /** What it has used; made when that is worth writing down, so that small actors stay small. */
  private volatile @Nullable Account account;

  /** What is left of its quantum, in ns. Meaningless until the first slice that was measured. */
  int credit = Integer.MAX_VALUE;

  /** The position of its home worker's wheel at which its credit is whole again; 0 at first. */
  int refillAt;

  /** The tick at which the present phase began: for people, not for decisions. */
  int sinceTick;

  /**
   * Ticks for which it waited before it had an account, up to what there is room for. By whose hand
   * it is in. Not larger: with these fields a cell has no byte left.
   */
  private short waitedTicks;

  /** The worker that ran it last, or the one it is pinned to. */
  short home;

  /** One of {@link Phase}'s constants. Written by whose hand it is in; read by observers. */
  byte phase;

  /**
   * Its last slice ended within microseconds. Such a task lets others run all the time; having used
   * its quantum in crumbs does not send it to the wheel, where those wait that hold a worker.
   */
  boolean brief;

  /** Its last slice did little but send, and there was more to do. */
  boolean streams;

  /** Its turn was stopped in the middle by a poll, and waits to go on. */
  boolean preempted;

  /** Pinned tasks stay on their home worker. */
  boolean pinned;

  /**
   * Runs turns until there is nothing to do or the slice is over. Never throws.
   *
   * @return true when there is more to do and the caller must queue the task again; false when it
   *     went idle, in which case it is already out of the caller's hands
   */
  protected abstract boolean runSlice(Seat seat);

  /**
   * The same, and should it throw after all, a defect of ours or no memory, says so and lets the
   * task go on: neither it nor who runs it may be lost.
   */
  final boolean runSliceSafely(Seat seat) {
    try {
      return runSlice(seat);
    } catch (Abandonment over) {
      throw over;
    } catch (Throwable broken) {
      try {
        LOG.log(System.Logger.Level.ERROR, "A slice broke its promise not to throw", broken);
      } catch (Throwable unsaid) {
        // No memory or no stack to say it with: the task must go on all the same.
      }
      return true;
    }
  }

  /** Whether its turn is to end now. On its own thread, in a poll or after a wake-up. */
  protected boolean isCancelDue(Seat seat) {
    return false;
  }

  /** Ends its turn by an error, or lets go of it. On its own thread, where that may happen. */
  protected void cancel(Seat seat) {}

  /**
   * In a poll where no error may be thrown: lets go of its turn if that lasts too long, and the
   * code of that run on. On its own thread, which is none of a worker's.
   */
  protected void outlast(Seat seat) {}

  /** A masked section of its turn has lasted longer than its limit. On its own thread. */
  protected void maskOverran(long nanos, long limitNanos) {}

  /** Where it is queued when it wakes. */
  protected abstract Runner runner();

  /** The quantum in force, in ns. */
  protected abstract int quantum();

  /** With whom it shares its time, or null: with all others that say nothing. */
  protected @Nullable Share share() {
    return null;
  }

  /** Whether it runs or waits to be run. A look from outside. */
  protected boolean isBusy() {
    return phase == Phase.QUEUED_CODE || phase == Phase.RUNNING_CODE;
  }

  /** Whether its turns may be stopped in the middle. */
  protected boolean isPreemptible() {
    return true;
  }

  /** Made by whoever writes first: whose hand it is in, or the ticking thread. */
  final Account account() {
    Account now = account;
    if (now != null) return now;
    var fresh = new Account();
    Account before = (Account) ACCOUNT.compareAndExchange(this, null, fresh);
    return before == null ? fresh : before;
  }

  /**
   * The same for who has a task in hand that must not be lost: null where there is no memory for
   * it, and what was used is not written down.
   */
  final @Nullable Account accountIfPossible() {
    try {
      return account();
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /** Among how many its quantum is divided: itself, and its threads that want to run. */
  int sharers() {
    Account now = account;
    ForeignThreads threads = now == null ? null : now.threads();
    return threads == null ? 1 : 1 + threads.runnable();
  }

  /** What its threads have used, and it is to pay for. By whose hand it is in. */
  final int takeOwed(int tick) {
    Account now = account;
    ForeignThreads threads = now == null ? null : now.threads();
    return threads == null ? 0 : threads.takeOwed(tick);
  }

  final @Nullable Account accountIfAny() {
    return account;
  }

  /** Whether its turn, which is suspended, is to end: it goes before those that wait. */
  final boolean isUrgent() {
    Fiber holds = suspended;
    return holds != null && holds.isUrgent;
  }

  /** It has been put before them. */
  final void endUrgency() {
    Fiber holds = suspended;
    if (holds != null) holds.isUrgent = false;
  }

  /** So many ticks in a queue. By whose hand it is in. */
  final void waited(int ticks) {
    Account now = account;
    int sum = waitedTicks + ticks;
    if (now == null && sum <= Short.MAX_VALUE) {
      waitedTicks = (short) sum; // most wait now and then, and few are worth an account
      return;
    }
    now = accountIfPossible();
    if (now != null) now.waitedTicks += ticks;
  }

  /** What it has used so far, for observers. */
  public final Usage usage(Tick tick) {
    Account now = account;
    int before = waitedTicks;
    if (now != null) return now.usage(tick, before);
    return before == 0
        ? Usage.NONE
        : new Usage(Duration.ZERO, Duration.ZERO, 0, tick.times(before), 0);
  }

  /** It goes on without the thread that has its turn in hand. By whose hand it is in. */
  protected final void leaveThread(Tick tick) {
    Account now = account;
    if (now != null) now.leaveThread(tick);
  }

  /** Into a queue. By whose hand it is in. */
  final void queuedAt(int tick) {
    phase = Phase.QUEUED_CODE;
    sinceTick = tick;
  }

  /** Where it stands, for observers. */
  public final Phase phase() {
    return Phase.at(phase);
  }

  /** The tick at which its phase began. */
  public final int sinceTick() {
    return sinceTick;
  }

  /** Whether its turn was stopped in the middle and waits to go on, for observers. */
  public final boolean isPreempted() {
    return preempted && suspended != null;
  }

  /** The fiber of a suspended turn, for observers. */
  public final @Nullable Fiber suspendedFiber() {
    return suspended;
  }

  /** Pins the task. Before it is first scheduled. */
  public final void pinTo(int worker) {
    home = (short) worker;
    pinned = true;
  }

  /** Where a task stands with the scheduler. */
  public enum Phase {
    /** In no queue, in nobody's hands. */
    IDLE,
    /** In exactly one queue. */
    QUEUED,
    /** On a worker. */
    RUNNING,
    /** A turn is suspended in the middle; its fiber holds the task. */
    SUSPENDED;

    private static final Phase[] ALL = values();
    static final byte IDLE_CODE = 0;
    static final byte QUEUED_CODE = 1;
    static final byte RUNNING_CODE = 2;
    static final byte SUSPENDED_CODE = 3;

    static Phase at(byte code) {
      return ALL[code];
    }
  }
}
