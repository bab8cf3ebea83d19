package io.turnwise.internal.cell;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Once in each JVM a few actors live through what befalls others when memory runs out: they wait,
 * for a time, a lock, a monitor and an answer, go on, and crash. What is done for the first time
 * takes memory: a class is initialised, a call is linked. A class of the JDK whose initialiser
 * finds none is useless for as long as the JVM lives, and one of them has the timers of virtual
 * threads. So the first time is here. Beside the start of the first system, on its internal worker;
 * what becomes of it matters to nobody.
 */
final class Rehearsal implements Actor<Rehearsal.Part> {
  private static final AtomicBoolean DONE = new AtomicBoolean();
  private static final long WHILE_NANOS = 200_000;

  sealed interface Part {}

  private enum Scene implements Part {
    HOLD,
    LOCK,
    ENTER,
    ASK,
    CRASH
  }

  private record Question() implements Part, Call<Part, Boolean> {}

  /** How each of them ends. It says nothing, and does not find out where it was thrown. */
  private static final class Over extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Over() {
      super(null, null, false, false);
    }
  }

  private final Lock lock;
  private final Object monitor;
  private final ActorRef<Part> other;

  private Rehearsal(Lock lock, Object monitor, ActorRef<Part> other) {
    this.lock = lock;
    this.monitor = monitor;
    this.other = other;
  }

  static void begin(LocalActorSystem system) {
    if (!DONE.compareAndSet(false, true)) return;
    Lock lock = new ReentrantLock();
    Object monitor = new Object();
    ActorRef<Part> answers = system.spawnInternal("rehearsal", Answers::new);
    for (Scene scene : Scene.values()) {
      ActorRef<Part> one =
          system.spawnInternal(
              "rehearsal-" + scene.ordinal(), () -> new Rehearsal(lock, monitor, answers));
      one.cast(scene);
      if (scene != Scene.CRASH) one.cast(Scene.CRASH);
    }
  }

  @Override
  public void receive(Part part, Context<Part> context) {
    switch (part) {
      case Scene.HOLD -> {
        lock.lock();
        try {
          synchronized (monitor) {
            LockSupport.parkNanos(WHILE_NANOS); // the others meet both taken
          }
        } finally {
          lock.unlock();
        }
      }
      case Scene.LOCK -> {
        lock.lock();
        lock.unlock();
      }
      case Scene.ENTER -> {
        synchronized (monitor) {
          Thread.yield();
        }
      }
      case Scene.ASK -> other.call(new Question());
      case Scene.CRASH -> throw new Over();
      case Question call -> context.reply(call, false);
    }
  }

  /** Ends with the one that asks it. */
  private static final class Answers implements Actor<Part> {
    @Override
    public void receive(Part part, Context<Part> context) {
      if (part instanceof Question call) context.reply(call, true);
      context.stop();
    }
  }
}
