package io.turnwise.internal.timer;

import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerState;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A callback that waits for its time.
 *
 * <pre>
 *   NEW ──► WAITING ──► FIRED ──► RUNNING ──► DONE | FAILED
 *    ▲                               │
 *    └───────────────────────────────┘  periodic: once more
 * </pre>
 *
 * Whoever cancels moves it from NEW, WAITING, FIRED or (a periodic one) RUNNING; whoever runs it,
 * from FIRED to RUNNING. Each is one compare-and-set of the same word, so one of them wins, and the
 * other knows. Everything plain belongs to who schedules it, then to who runs it.
 */
public sealed class TimerTask extends TimerEntry implements TimerHandle, Runnable
    permits PeriodicTask {
  private static final VarHandle ID;

  static {
    try {
      ID = MethodHandles.lookup().findVarHandle(TimerTask.class, "id", String.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  final WheelTimers service;
  final Runnable callback;
  private final long delay;

  /** Given, or made when somebody asks. */
  private volatile @Nullable String id;

  TimerTask(
      WheelTimers service, Runnable callback, @Nullable String id, long createdAt, long delay) {
    super(createdAt + delay);
    this.service = service;
    this.callback = callback;
    this.delay = delay;
    if (id != null) ID.set(this, id);
  }

  /** Far ahead: the wheel gives it its time. */
  TimerTask(WheelTimers service, Runnable callback, long delay) {
    super(delay, true);
    this.service = service;
    this.callback = callback;
    this.delay = delay;
  }

  // ---- the handle: any thread ------------------------------------------------------------------

  @Override
  public String id() {
    String own = id;
    if (own != null) return own;
    String made = service.newName(this);
    if (ID.compareAndSet(this, null, made)) {
      if (isOver()) service.forgetName(made, this); // who ended it may not have seen the name
      return made;
    }
    service.forgetName(made, this);
    own = id;
    assert own != null : "another thread has just named it";
    return own;
  }

  @Nullable String idIfAny() {
    return id;
  }

  long createdAtNanos() {
    return deadline - delay;
  }

  @Override
  public Instant createdAt() {
    return service.instantOf(this::createdAtNanos);
  }

  @Override
  public Instant executeAt() {
    return service.instantOf(() -> deadline);
  }

  @Override
  public Duration delay() {
    return Duration.ofNanos(delay);
  }

  /** What was asked for before the run that begins. Who runs it. */
  long askedNanos() {
    return delay;
  }

  @Override
  public TimerState state() {
    endWithSystem();
    return switch (stateNow()) {
      case NEW, WAITING, FIRED -> TimerState.PENDING;
      case RUNNING -> TimerState.RUNNING;
      case DONE -> TimerState.DONE;
      case FAILED -> TimerState.FAILED;
      default -> TimerState.CANCELLED;
    };
  }

  boolean isOver() {
    return switch (state()) {
      case PENDING -> false;
      case RUNNING -> !isPeriodic();
      case DONE, FAILED, CANCELLED -> true;
    };
  }

  boolean isPeriodic() {
    return false;
  }

  @Override
  public boolean cancel() {
    return !endWithSystem() && takeBack();
  }

  /**
   * One that was on its way to a worker when the system closed: it never runs, and is cancelled by
   * whoever looks at it first, since nobody else may ever come to it. Returns whether that was now.
   */
  private boolean endWithSystem() {
    return stateNow() == FIRED && service.isClosed() && takeBack();
  }

  private boolean takeBack() {
    if (!service.ticker.cancel(this) && !cancelLate()) return false;
    String name = id;
    if (name != null) service.forgetName(name, this);
    return true;
  }

  /** It has left the wheel. */
  private boolean cancelLate() {
    // A periodic one may be on its way back meanwhile: it is looked for where it may be by then.
    for (; ; ) {
      switch (stateNow()) {
        case FIRED -> {
          if (!move(FIRED, CANCELLED)) continue;
        }
        case RUNNING -> {
          if (!isPeriodic()) return false;
          if (!move(RUNNING, CANCELLED)) continue;
        }
        case NEW, WAITING -> {
          if (!service.ticker.cancel(this)) continue;
          return true; // the wheel counts it
        }
        default -> {
          return false;
        }
      }
      service.cancelledLate.increment();
      return true;
    }
  }

  // ---- under the wheel's lock ------------------------------------------------------------------

  @Override
  protected void arrived() {
    service.arrived++;
  }

  @Override
  protected void forgotten() {
    service.forgotten++;
  }

  @Override
  protected final void fire() {
    service.fired++;
    try {
      service.dispatcher.execute(this);
    } catch (Throwable untold) {
      service.fired--;
      throw untold;
    }
  }

  /** The dispatcher does not block. */
  @Override
  protected final boolean mayWait() {
    return false;
  }

  /** The ticker ends: so does this, as if it had been cancelled. */
  @Override
  protected final void abandon() {
    if (move(FIRED, CANCELLED)) {
      service.forgotten++;
      String name = id;
      if (name != null) service.forgetName(name, this);
    }
  }

  // ---- its run: on a dispatcher ----------------------------------------------------------------

  @Override
  public final void run() {
    service.begun.increment();
    if (service.isClosed()) cancel();
    if (!move(FIRED, RUNNING)) return; // cancelled on the way
    service.begins(this);
    Throwable thrown = null;
    try {
      callback.run();
    } catch (Throwable e) {
      thrown = e;
    }
    // Settled before anything is said: what is thrown next must not leave it running for ever.
    ended(thrown != null);
    if (thrown != null) service.failed(this, thrown);
  }

  void ended(boolean failed) {
    move(RUNNING, failed ? FAILED : DONE);
    String name = id;
    if (name != null) service.forgetName(name, this);
  }

  @Override
  public String toString() {
    return "timer " + id() + ", " + state();
  }
}
