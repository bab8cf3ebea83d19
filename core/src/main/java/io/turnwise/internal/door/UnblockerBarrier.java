package io.turnwise.internal.door;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Tells when the JVM has woken everybody for whom a monitor was given up.
 *
 * <p>Which virtual thread gets a monitor next is decided by the thread that gives it up, at that
 * moment: it puts the one it has chosen on a list. A thread of the JVM, the unblocker, takes the
 * whole list, submits one after the other to their schedulers, and comes back for the next list.
 * Nothing says when it has done so. It is found out by standing in that list ourselves:
 *
 * <pre>
 * Two virtual threads of ours hand a monitor to each other, run by who asks.
 *   1. One gives it up: the other is on the list, with whoever was put there before.
 *   2. The other is submitted. Those who came before it may be behind it in the same list.
 *   3. Once more, with the parts exchanged. This one is on a later list: it is taken when the one
 *      before is done. So whoever was on the list at the begin was submitted by now.
 * </pre>
 *
 * No time is measured, and none is guessed. One thread at a time, a platform thread.
 */
public final class UnblockerBarrier implements AutoCloseable {
  private static final int SPINS = 100;

  private final Object monitor = new Object();
  private Side holds = new Side();
  private Side waits = new Side();
  private boolean over;

  public UnblockerBarrier() {
    holds.runUntil(Place.INSIDE);
    waits.runUntil(Place.BEFORE);
  }

  /** Returns when everybody was submitted for whom a monitor was given up before. */
  public void await() {
    handOver();
    handOver();
  }

  private void handOver() {
    holds.runUntil(Place.AFTER);
    waits.runUntil(Place.INSIDE); // which is when the unblocker has come to it
    holds.runUntil(Place.BEFORE);
    Side before = holds;
    holds = waits;
    waits = before;
  }

  /** Ends its threads. */
  @Override
  public void close() {
    over = true;
    holds.runUntil(Place.ENDED);
    waits.runUntil(Place.ENDED);
  }

  private enum Place {
    BEFORE,
    INSIDE,
    AFTER,
    ENDED
  }

  /** One of the two threads, and what schedules it. */
  private final class Side implements Executor {
    private final Thread thread;

    /** Written by who submits it, the unblocker among these; taken by who runs it. */
    private volatile @Nullable Runnable submitted;

    /** Written by the thread, read by who runs it: the same platform thread. */
    private Place place = Place.AFTER;

    Side() {
      thread = JdkDoor.newFiberThread(this, "turnwise-unblocker-barrier", this::handOn);
      thread.start();
    }

    @Override
    public void execute(Runnable continuation) {
      submitted = continuation;
    }

    private void handOn() {
      while (!over) {
        place = Place.BEFORE;
        synchronized (monitor) {
          place = Place.INSIDE;
          Thread.yield();
        }
        place = Place.AFTER;
        Thread.yield();
      }
      place = Place.ENDED;
    }

    /** At least one slice. */
    void runUntil(Place there) {
      do {
        Runnable continuation;
        for (int spins = 0; (continuation = submitted) == null; spins++)
          if (spins < SPINS) Thread.onSpinWait();
          else Thread.yield();
        submitted = null;
        continuation.run();
      } while (place != there);
    }
  }
}
