package io.turnwise.woven.simulated;

import io.turnwise.internal.weaving.World;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A world of some threads in which time goes on by a step whenever somebody looks at a clock. */
final class SteppedWorld implements World.Finder, World.Source {
  private final Random random;
  private final long step;
  private final List<Thread> inside = new CopyOnWriteArrayList<>(List.of(Thread.currentThread()));
  private final AtomicInteger reads = new AtomicInteger();
  private final List<Long> slept = new ArrayList<>();
  private final List<String> leaks = new ArrayList<>();
  private volatile long nanos;

  SteppedWorld(long seed, Duration step) {
    random = new Random(seed);
    this.step = step.toNanos();
  }

  SteppedWorld with(Thread thread) {
    inside.add(thread);
    return this;
  }

  /**
   * Runs the code in this world. When it returns, all threads are in the real one: JUnit reads
   * clocks, too, on this thread and on others.
   */
  <T> T run(Callable<T> code) throws Exception {
    World.findBy(this);
    try {
      return code.call();
    } finally {
      World.findBy(null);
    }
  }

  @Override
  public World.Source ofThisThread() {
    return inside.contains(Thread.currentThread()) ? this : null;
  }

  int reads() {
    return reads.get();
  }

  List<Long> slept() {
    return slept;
  }

  List<String> leaks() {
    return leaks;
  }

  void advance(Duration time) {
    nanos += time.toNanos();
  }

  @Override
  public long nanoTime() {
    reads.incrementAndGet();
    return nanos += step;
  }

  @Override
  public long currentTimeMillis() {
    return nanoTime() / 1_000_000;
  }

  @Override
  public void sleep(long time) throws InterruptedException {
    if (Thread.interrupted()) throw new InterruptedException();
    slept.add(time);
    nanos += time;
  }

  @Override
  public long nextRandomLong() {
    return random.nextLong();
  }

  @Override
  public void leaked(String what, StackTraceElement where) {
    leaks.add(what + " in " + where.getMethodName());
  }
}
