package io.turnwise.internal.cell;

import io.turnwise.internal.scheduler.ParkReason;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Threads for code that must not run where it is asked for: on the ticking thread, or inside a
 * turn. Whoever brings such code queues it, and starts a thread only while there are few.
 * Strangers' code may block: so where the queue is not emptied for a while, others are added, one
 * after the other and up to a bound, by whoever is told to at a beat.
 *
 * <pre>
 * Why nothing is left in the queue:
 *   who brings                              a thread that goes
 *   1. put it in                            1. threads, by one less (CAS)
 *   2. read threads; if few, start one      2. is the queue empty? else start one
 * </pre>
 *
 * <p>No lock is taken: the ticking thread comes here, and must not stand in line behind a fiber.
 * Refused: a thread for each, for a burst of deadlines would start thousands; and workers, for what
 * strangers block in may be native.
 */
final class CallbackThreads implements Executor {
  private static final Runnable NOTHING = () -> {};
  private static final long IDLE_SECONDS = 5;
  private static final long BEAT_NANOS = 1_000_000;

  /** For so many beats something has waited: then one more thread is wanted. */
  static final int PATIENT_BEATS = 10;

  private final LinkedTransferQueue<Runnable> waiting = new LinkedTransferQueue<>();
  private final AtomicInteger threads = new AtomicInteger();

  /** What was brought and has not ended. */
  private final AtomicInteger underWay = new AtomicInteger();

  private final int few;
  private final int most;
  private final ThreadFactory factory;
  private volatile boolean closed;

  /** After the close: set while a thread beats here. */
  private final AtomicBoolean beating = new AtomicBoolean();

  /** Of whoever beats: the ticking thread, and once that has ended, one after the other. */
  private int beatsBehind;

  /**
   * @param few so many threads are started by those who bring something
   * @param most so many there are, however long others wait
   */
  CallbackThreads(String name, int few, int most) {
    this(
        few,
        most,
        Thread.ofPlatform().name(name, 0).daemon().inheritInheritableThreadLocals(false).factory());
  }

  CallbackThreads(int few, int most, ThreadFactory factory) {
    this.few = few;
    this.most = most;
    this.factory = factory;
  }

  /** Any thread. Never runs it on the spot, and waits for nobody. */
  @Override
  public void execute(Runnable code) {
    underWay.incrementAndGet();
    try {
      if (waiting.tryTransfer(code)) return;
      waiting.put(code);
    } catch (Throwable noMemory) {
      underWay.decrementAndGet();
      throw noMemory;
    }
    addOne(few);
    if (closed) beatBehind();
  }

  /** Whether something waits, and beats are wanted. */
  boolean isBehind() {
    return !waiting.isEmpty();
  }

  /** Whether anything is under way. */
  boolean isBusy() {
    return underWay.get() > 0;
  }

  /**
   * The ticking thread, at each beat.
   *
   * @param elsewhere where a thread is started if one is wanted, which may take a while
   */
  void beat(Executor elsewhere) {
    if (!isBehind()) {
      beatsBehind = 0;
    } else if (threads.get() == 0) {
      addOne(few); // none could be had
    } else if (++beatsBehind >= PATIENT_BEATS) {
      beatsBehind = 0;
      if (threads.get() < most) elsewhere.execute(() -> addOne(most));
    }
  }

  /** The last beat was. What was brought is run all the same, and what is brought from now on. */
  void close() {
    closed = true;
    while (waiting.hasWaitingConsumer() && waiting.tryTransfer(NOTHING)) {
      // it looks up, and goes
    }
    beatBehind();
  }

  /** After the last beat: while something waits, a thread of its own sees to it. */
  private void beatBehind() {
    if (!isBehind() || !beating.compareAndSet(false, true)) return;
    try {
      factory.newThread(this::beatWhileBehind).start();
    } catch (Throwable noThread) {
      beating.set(false);
      if (threads.get() == 0) runHere();
    }
  }

  private void beatWhileBehind() {
    do {
      while (isBehind()) {
        LockSupport.parkNanos(ParkReason.WAITING_FOR_NEXT_DEADLINE, BEAT_NANOS);
        beat(Runnable::run);
      }
      beating.set(false);
      // Who came before that step saw it beat: look once more.
    } while (isBehind() && beating.compareAndSet(false, true));
  }

  /** Starts a thread if there are fewer. Returns false if not, or if none could be had. */
  private boolean addOne(int bound) {
    int now;
    do {
      now = threads.get();
      if (now >= bound) return false;
    } while (!threads.compareAndSet(now, now + 1));
    try {
      factory.newThread(this::run).start();
      return true;
    } catch (Throwable noThread) { // others take it, or the next beat tries again
      threads.decrementAndGet();
      return false;
    }
  }

  private void run() {
    try {
      Runnable code;
      while ((code = next()) != null) if (code != NOTHING) run(code);
    } finally {
      threads.decrementAndGet();
      if (isBehind()) addOne(few);
    }
  }

  private void run(Runnable code) {
    try {
      code.run();
    } finally {
      underWay.decrementAndGet();
      Thread.interrupted(); // was for that code
    }
  }

  private @Nullable Runnable next() {
    while (!closed) {
      try {
        return waiting.poll(IDLE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        // by a stranger who kept the thread; it is for nobody
      }
    }
    return waiting.poll();
  }

  /** No thread can be had, and nobody beats any more: who waits for it must hear of it. */
  private void runHere() {
    Runnable code;
    while ((code = waiting.poll()) != null) run(code);
  }
}
