package io.turnwise.testkit;

import io.turnwise.SystemConfig;
import io.turnwise.internal.cell.DrivenSystem;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A testkit whose system has no threads and whose clock stands still. Nothing happens between two
 * steps of the test: {@link #run} lets happen what can happen now, {@link #advance} lets time pass.
 * Every expectation runs the system first, and lets no time pass unless it is told to.
 *
 * {@snippet file="io/turnwise/testkit/ExamplesTest.java" region="time"}
 *
 * <p>A {@code call} that the test makes drives the system until the answer is there. If there is
 * none yet, the clock jumps from deadline to deadline, at last to the call's own timeout, which
 * fails it as it would on threads.
 *
 * <p>Time is the system's alone. {@code Thread.sleep} and other waits of the JDK in a handler last
 * as long as ever, and nobody here waits for them; threads and sockets are not driven either. Test
 * such code {@link Testkit#onThreads on threads}. Every actor runs on the test's thread, whatever
 * its {@code Backend}.
 */
public final class VirtualTestkit extends Testkit {
  /** The system's clock does not begin at zero: neither does that of any machine. */
  private static final long ORIGIN = Duration.ofDays(1).toNanos();

  private static final long LONGEST_WAIT = Duration.ofDays(1).toNanos();
  private static final long ENDLESS_SLICES = 20_000_000;

  private final DrivenSystem driven;
  private final VirtualClock clock;

  /** Held by who drives. A helper thread of the test that waits in the system may be one. */
  private final ReentrantLock driving = new ReentrantLock();

  private VirtualTestkit(DrivenSystem driven, VirtualClock clock) {
    super(driven.system());
    this.driven = driven;
    this.clock = clock;
    driven.driveBy(this::step);
  }

  static VirtualTestkit open(SystemConfig config) {
    var clock = new VirtualClock();
    var driven = DrivenSystem.open(SYSTEM, config, () -> ORIGIN + clock.nanoTime());
    return new VirtualTestkit(driven, clock);
  }

  /** The time inside the system; for the code under test as well. */
  public VirtualClock clock() {
    return clock;
  }

  /** Runs everything that can run at this moment, until every actor rests or waits for time. */
  public void run() {
    checkOutside();
    driving.lock();
    try {
      driven.runUntilIdle(this::lookRound);
    } finally {
      driving.unlock();
    }
  }

  /**
   * Lets time pass, and runs everything on the way: whatever is due happens at its own moment, in
   * order, and what follows from it happens before time goes on.
   */
  public void advance(Duration time) {
    pass(() -> false, nanos(time));
  }

  /** Whether the end was reached because it was over. */
  private boolean pass(BooleanSupplier over, long nanos) {
    checkOutside();
    driving.lock();
    try {
      long end = clock.nanoTime() + nanos;
      driven.runUntilIdle(this::lookRound);
      while (!over.getAsBoolean()) {
        long next = nextDeadline();
        if (next > end) break;
        clock.moveTo(next);
        driven.runUntilIdle(this::lookRound);
      }
      if (over.getAsBoolean()) return true;
      clock.moveTo(end);
      driven.runUntilIdle(this::lookRound);
      return over.getAsBoolean();
    } finally {
      driving.unlock();
    }
  }

  /** A test that hangs says nothing: better to fail. Another run goes on where this one ended. */
  private void lookRound(long slices) {
    if (slices < ENDLESS_SLICES) return;
    throw new AssertionError(
        "The system does not come to rest: it has had "
            + slices
            + " slices at one moment of the clock. [NO-REST]"
            + Words.underWay(system));
  }

  private void checkOutside() {
    if (driven.isInTurn())
      throw new IllegalStateException(
          "A handler tried to run the system that it runs in. [NOT-THE-DRIVER]\n"
              + "  next:  run it from the test; inside an actor, send a message instead");
  }

  /** What can run now; if nothing can, the next deadline. False when there is none. */
  private boolean step() {
    driving.lock();
    try {
      if (driven.runUntilIdle(this::lookRound)) return true;
      long next = nextDeadline();
      if (next == Long.MAX_VALUE) return false;
      clock.moveTo(next);
      return true;
    } finally {
      driving.unlock();
    }
  }

  /** On the clock of the testkit. */
  private long nextDeadline() {
    OptionalLong next = driven.nextDeadline();
    return next.isEmpty() ? Long.MAX_VALUE : next.getAsLong() - ORIGIN;
  }

  @Override
  boolean waitUntil(BooleanSupplier over, @Nullable Duration atMost) {
    if (atMost != null) return pass(over, nanos(atMost));
    run();
    return over.getAsBoolean();
  }

  /** Periodic timers make time pass for ever: so there is an end to patience. */
  @Override
  boolean waitUntilDone(BooleanSupplier over) {
    checkOutside();
    long end = clock.nanoTime() + LONGEST_WAIT;
    while (!over.getAsBoolean())
      if (clock.nanoTime() - end > 0 || !step()) return over.getAsBoolean();
    return true;
  }

  @Override
  List<String> callsUnderWay() {
    return driven.callsUnderWay();
  }

  /** How many timers of actors wait. */
  long timersOfActors() {
    driven.beat();
    return driven.actorTimers();
  }

  @Override
  String moment(@Nullable Duration atMost) {
    var text = new StringBuilder(Words.time(clock.elapsed())).append(" of virtual time");
    if (atMost != null) text.append(", ").append(Words.time(atMost)).append(" of them waited");
    long next = nextDeadline();
    if (next == Long.MAX_VALUE) return text.append("; nothing is left that could run").toString();
    return text.append("; nothing can run for the next ")
        .append(Words.time(Duration.ofNanos(next - clock.nanoTime())))
        .append(" or longer, unless the test advances the clock")
        .toString();
  }
}
