package io.turnwise.faults.error;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.StopReason;
import io.turnwise.faults.trial.Broken;
import io.turnwise.observation.ActorSnapshot;
import io.turnwise.observation.ActorState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The heap runs full while turns are suspended and go on again, for each of the reasons that there
 * are: to suspend one takes memory. Afterwards each of them has either ended or goes on.
 */
final class FullHeapWhileTheyWait {
  private static final int OF_EACH = 2;

  private final ActorSystem system;
  private final ReentrantLock lock = new ReentrantLock();
  private final Object monitor = new Object();
  private final Semaphore gone = new Semaphore(0);
  private final List<ActorRef<Message>> besides = new ArrayList<>();
  private volatile boolean begun;
  private volatile boolean over;

  private FullHeapWhileTheyWait(ActorSystem system) {
    this.system = system;
  }

  private sealed interface Message {}

  private record Again() implements Message {}

  private record Are() implements Message, Call<Message, Boolean> {}

  /** Returns how many got through. */
  static int run(int workers) throws InterruptedException {
    ActorSystem system =
        ActorSystem.open(
            "waiting", c -> c.withWorkers(workers).withCloseDeadline(Duration.ofSeconds(120)));
    try (system) {
      return new FullHeapWhileTheyWait(system).fillAndLook();
    }
  }

  private int fillAndLook() throws InterruptedException {
    ActorRef<Message> echo = system.spawn(Echo::new);
    for (int i = 0; i < OF_EACH; i++)
      for (Way way : Way.values()) besides.add(system.spawn(() -> new Waiting(this, way, echo)));
    for (ActorRef<Message> each : besides) each.cast(new Again());
    List<ActorRef<Message>> hoarders = new ArrayList<>();
    for (int i = 0; i < 2; i++) hoarders.add(system.spawn(() -> new Hoarder(this)));
    for (ActorRef<Message> each : hoarders) each.cast(new Again());
    begun = true; // from here on this thread needs no memory until they are gone
    if (!gone.tryAcquire(2, 60, TimeUnit.SECONDS))
      throw new Broken("hoarders do not end: " + system.dump());
    over = true;
    int alive = 0;
    for (ActorRef<Message> each : besides) if (goesOn(each)) alive++;
    if (alive == 0) throw new Broken("nobody lives who could have been lost: " + system.dump());
    return alive;
  }

  /** Whether it lives: then it has come to its next turn. */
  private boolean goesOn(ActorRef<Message> one) {
    try {
      return one.call(new Are(), Duration.ofSeconds(30));
    } catch (RuntimeException e) {
      ActorSnapshot now = one.snapshot();
      if (now.state() == ActorState.HALTED) return false;
      throw new Broken(
          one.path() + " has neither ended nor goes on: " + e + "\n" + now + "\n" + system.dump());
    }
  }

  /** Why a turn is suspended. */
  private enum Way {
    STOPPED,
    LOCK,
    MONITOR,
    NAP,
    CALL
  }

  private static final class Echo implements Actor<Message> {
    @Override
    public void receive(Message message, Context<Message> context) {
      if (message instanceof Are call) context.reply(call, true);
    }
  }

  private static final class Waiting implements Actor<Message> {
    private final FullHeapWhileTheyWait all;
    private final Way way;
    private final ActorRef<Message> echo;

    Waiting(FullHeapWhileTheyWait all, Way way, ActorRef<Message> echo) {
      this.all = all;
      this.way = way;
      this.echo = echo;
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      if (message instanceof Are call) {
        context.reply(call, true);
        return;
      }
      switch (way) {
        case STOPPED -> spin(3_000_000);
        case LOCK -> {
          all.lock.lock();
          try {
            spin(300_000);
          } finally {
            all.lock.unlock();
          }
        }
        case MONITOR -> {
          synchronized (all.monitor) {
            spin(300_000);
          }
        }
        case NAP -> LockSupport.parkNanos(100_000);
        case CALL -> echo.call(new Are());
      }
      if (!all.over) context.self().cast(message);
    }

    private static void spin(long nanos) {
      long began = System.nanoTime();
      while (System.nanoTime() - began < nanos) Thread.onSpinWait();
    }
  }

  private static final class Hoarder implements Actor<Message> {
    private final FullHeapWhileTheyWait all;
    private final List<byte[]> hoard = new ArrayList<>();
    private @Nullable Crumb crumbs;

    private record Crumb(@Nullable Crumb others, byte[] bytes) {}

    Hoarder(FullHeapWhileTheyWait all) {
      this.all = all;
    }

    @Override
    public void receive(Message message, Context<Message> context) {
      if (!all.begun) {
        context.self().cast(message);
        return;
      }
      try {
        for (; ; ) hoard.add(new byte[1_000]);
      } catch (OutOfMemoryError e) {
        keepFull();
        throw e;
      }
    }

    /** Others are to meet a heap that is full to the last bytes. */
    private void keepFull() {
      for (int size = 512; size >= 8; size /= 2) {
        try {
          for (; ; ) crumbs = new Crumb(crumbs, new byte[size]);
        } catch (OutOfMemoryError e) {
          // smaller ones may fit
        }
      }
      Waiting.spin(30_000_000);
    }

    @Override
    public void teardown(StopReason reason, Context<Message> context) {
      hoard.clear();
      crumbs = null;
      all.gone.release();
    }
  }
}
