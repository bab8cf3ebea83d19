package io.turnwise.internal.timer;

import io.turnwise.time.TimerHandle;
import io.turnwise.time.TimerMetrics;
import io.turnwise.time.TimerService;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Callbacks on the ticker's wheel. The ticking thread only hands them to a dispatcher.
 *
 * <p>To schedule costs one object, one look at the clock and one push; to cancel, one
 * compare-and-set, and a push if the wheel has it already. So nothing is counted there: the wheel
 * counts what arrives and what it forgets, and who asks for a sum empties its inbox first.
 */
public final class WheelTimers implements TimerService {
  private static final long LONGEST_NANOS = Long.MAX_VALUE / 4;

  final Ticker ticker;

  /** Where callbacks run: must not block, nor call back on the spot. */
  final Executor dispatcher;

  private final BiConsumer<TimerHandle, Throwable> onFailure;
  private final int maxPending;
  private final String owner;
  private final Instant openedAt;
  private final long openedAtNanos;

  /** Pending ones that have a name. */
  private final Map<String, TimerTask> named = new ConcurrentHashMap<>();

  private final AtomicLong names = new AtomicLong();
  private volatile boolean closed;

  // Under the wheel's lock.
  long arrived;
  long forgotten;

  /** Handed to the dispatcher. Written under the wheel's lock; a look from elsewhere is a guess. */
  long fired;

  /** Come back from the dispatcher, to run or not. */
  final LongAdder begun = new LongAdder();

  /** Cancelled when they had left the wheel. */
  final LongAdder cancelledLate = new LongAdder();

  final LongAdder missed = new LongAdder();
  private final LongAdder executed = new LongAdder();
  private final LongAdder executedOnce = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder delays = new LongAdder();
  private final LongAccumulator longestDelay = new LongAccumulator(Math::max, 0);
  private final LatenessHistogram lateness = new LatenessHistogram();

  /**
   * @param owner for people: whose timers these are
   * @param openedAt what a calendar shows now
   */
  public WheelTimers(
      Ticker ticker,
      Executor dispatcher,
      BiConsumer<TimerHandle, Throwable> onFailure,
      int maxPending,
      String owner,
      Instant openedAt) {
    this.ticker = ticker;
    this.dispatcher = dispatcher;
    this.onFailure = onFailure;
    this.maxPending = maxPending;
    this.owner = owner;
    this.openedAt = openedAt;
    this.openedAtNanos = ticker.now();
  }

  // ---- scheduling ------------------------------------------------------------------------------

  @Override
  public TimerHandle scheduleDelayed(Runnable callback, Duration delay) {
    check(callback, "scheduleDelayed");
    long nanos = delayNanos("scheduleDelayed", delay);
    if (!ticker.mayStamp(nanos))
      return start(new TimerTask(this, callback, null, ticker.now(), nanos));
    var task = new TimerTask(this, callback, nanos);
    ticker.scheduleFar(task);
    return checkOpen(task);
  }

  @Override
  public TimerHandle scheduleDelayed(Runnable callback, Duration delay, String id) {
    check(callback, "scheduleDelayed");
    long nanos = delayNanos("scheduleDelayed", delay);
    return startNamed(new TimerTask(this, callback, checked(id), ticker.now(), nanos), id);
  }

  @Override
  public TimerHandle scheduleAtFixedRate(
      Runnable callback, Duration initialDelay, Duration period) {
    return start(periodic(callback, null, initialDelay, period, true));
  }

  @Override
  public TimerHandle scheduleAtFixedRate(
      Runnable callback, Duration initialDelay, Duration period, String id) {
    return startNamed(periodic(callback, checked(id), initialDelay, period, true), id);
  }

  @Override
  public TimerHandle scheduleWithFixedDelay(
      Runnable callback, Duration initialDelay, Duration delay) {
    return start(periodic(callback, null, initialDelay, delay, false));
  }

  @Override
  public TimerHandle scheduleWithFixedDelay(
      Runnable callback, Duration initialDelay, Duration delay, String id) {
    return startNamed(periodic(callback, checked(id), initialDelay, delay, false), id);
  }

  private PeriodicTask periodic(
      Runnable callback,
      @Nullable String id,
      Duration initialDelay,
      Duration step,
      boolean atRate) {
    String method = atRate ? "scheduleAtFixedRate" : "scheduleWithFixedDelay";
    check(callback, method);
    long first = delayNanos(method, initialDelay);
    if (step == null || step.isZero() || step.isNegative())
      throw new IllegalArgumentException(
          "TimerService."
              + method
              + ": the "
              + (atRate ? "period" : "delay between two runs")
              + " is "
              + step
              + "; use a positive duration");
    return new PeriodicTask(this, callback, id, ticker.now(), first, nanos(step), atRate);
  }

  private void check(Runnable callback, String method) {
    if (callback == null)
      throw new NullPointerException(
          "TimerService." + method + ": the callback is null; say what is to be done");
    if (closed) throw closed();
    if (ticker.wheel().bound() + fired - begun.sum() >= maxPending) checkExactly();
  }

  private IllegalStateException closed() {
    return new IllegalStateException(
        owner + " is closed and takes no more timers. [TIMERS-CLOSED]\n  next:  open another one");
  }

  /** The bound says that there may be too many: it counts calls, and what was cancelled lately. */
  private void checkExactly() {
    long pending = pendingNow();
    if (pending >= maxPending)
      throw new IllegalStateException(
          owner
              + " has "
              + pending
              + " pending timers and takes no more than "
              + maxPending
              + ". [TOO-MANY-TIMERS]\n"
              + "  next:  cancel those that are not needed, or raise SystemConfig.maxPendingTimers");
  }

  private static long delayNanos(String method, Duration delay) {
    if (delay == null || delay.isNegative())
      throw new IllegalArgumentException(
          "TimerService."
              + method
              + ": the delay is "
              + delay
              + "; use Duration.ZERO or a positive duration");
    return nanos(delay);
  }

  /** Longer than a life is as good as for ever. */
  private static long nanos(Duration duration) {
    return duration.getSeconds() >= LONGEST_NANOS / 1_000_000_000
        ? LONGEST_NANOS
        : duration.toNanos();
  }

  private static String checked(String id) {
    Objects.requireNonNull(id, "TimerService: the id is null; leave it out, or name the timer");
    if (id.isBlank())
      throw new IllegalArgumentException("TimerService: the id is blank; give it a name");
    return id;
  }

  private TimerTask startNamed(TimerTask task, String id) {
    for (; ; ) {
      TimerTask before = named.putIfAbsent(id, task);
      if (before == null) break;
      if (!before.isOver())
        throw new IllegalArgumentException(
            "A timer '"
                + id
                + "' is pending in "
                + owner
                + " already. [TIMER-ID-TAKEN]\n"
                + "  next:  cancel it first, or choose another id");
      named.remove(id, before);
    }
    return start(task);
  }

  /**
   * Who closes sets {@code closed}, then empties the inbox; who schedules pushes, then looks at
   * {@code closed}: one of them sees the other.
   */
  private TimerTask start(TimerTask task) {
    ticker.schedule(task);
    return checkOpen(task);
  }

  private TimerTask checkOpen(TimerTask task) {
    if (closed && task.cancel()) throw closed();
    return task;
  }

  // ---- names -----------------------------------------------------------------------------------

  /** A name that nobody has, for this one. */
  String newName(TimerTask task) {
    for (; ; ) {
      String name = "task-" + names.incrementAndGet();
      if (named.putIfAbsent(name, task) == null) return name;
    }
  }

  void forgetName(String name, TimerTask task) {
    named.remove(name, task);
  }

  @Override
  public boolean cancel(String id) {
    Objects.requireNonNull(id, "TimerService.cancel: the id is null; name the timer");
    TimerTask task = named.get(id);
    return task != null && task.cancel();
  }

  // ---- running ---------------------------------------------------------------------------------

  void begins(TimerTask task) {
    lateness.add(ticker.now() - task.deadline);
    executed.increment();
    if (!task.isPeriodic()) executedOnce.increment();
    long asked = task.askedNanos();
    delays.add(asked);
    longestDelay.accumulate(asked);
  }

  void failed(TimerTask task, Throwable cause) {
    failed.increment();
    onFailure.accept(task, cause);
  }

  /** Ticks of actors' timers that were left out. Any thread. */
  public void addMissed(long ticks) {
    missed.add(ticks);
  }

  boolean isClosed() {
    return closed;
  }

  /** Cancels everything that is pending, and takes nothing more. */
  public void close() {
    closed = true;
    for (TimerHandle task : pending()) task.cancel();
  }

  // ---- looking ---------------------------------------------------------------------------------

  /** A time of a task that the wheel may have to make first. */
  Instant instantOf(LongSupplier nanos) {
    Instant[] seen = new Instant[1];
    ticker
        .wheel()
        .settled(
            ticker::now, () -> seen[0] = openedAt.plusNanos(nanos.getAsLong() - openedAtNanos));
    return seen[0];
  }

  private long pendingNow() {
    long[] count = new long[1];
    ticker
        .wheel()
        .settled(
            ticker::now,
            () -> count[0] = arrived - forgotten - executedOnce.sum() - cancelledLate.sum());
    return count[0];
  }

  @Override
  public List<TimerHandle> pending() {
    ticker.wheel().settled(ticker::now, () -> {});
    List<TimerTask> all = new ArrayList<>();
    ticker.forEach(
        entry -> {
          if (entry instanceof TimerTask task) all.add(task);
        });
    all.removeIf(TimerTask::isOver);
    all.sort(Comparator.comparingLong(task -> task.deadline - openedAtNanos));
    return List.copyOf(all);
  }

  @Override
  public TimerMetrics metrics() {
    long now = ticker.now();
    long[] sums = new long[2];
    ticker
        .wheel()
        .settled(
            ticker::now,
            () -> {
              sums[0] = arrived;
              sums[1] = forgotten + cancelledLate.sum();
            });
    long[] oldest = {Long.MIN_VALUE};
    ticker.forEach(
        entry -> {
          if (entry instanceof TimerTask task)
            oldest[0] = Math.max(oldest[0], now - task.createdAtNanos());
        });
    long runs = executed.sum();
    long pending = Math.max(0, sums[0] - sums[1] - executedOnce.sum());
    long cancelledByClose = closed ? pending : 0; // those on their way to a worker: TimerTask
    return new TimerMetrics(
        pending - cancelledByClose,
        runs,
        sums[1] + cancelledByClose,
        failed.sum(),
        Duration.ofNanos(runs == 0 ? 0 : delays.sum() / runs),
        Duration.ofNanos(longestDelay.get()),
        oldest[0] == Long.MIN_VALUE
            ? Optional.empty()
            : Optional.of(Duration.ofNanos(Math.max(0, oldest[0]))),
        missed.sum(),
        lateness.read());
  }
}
