package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Handlers of one shape that would not end are killed, one after the other, each somewhere in the
 * middle. How long until it is gone? First where nobody else wants to run, then beside endless
 * loops.
 */
final class KillOf implements Workload {
  /** In nanoseconds, as the value. */
  static final String BESIDE_LOOPS_P99 = "beside_loops_p99";

  private static final int KILLS = 200;
  private static final long LIMIT_SECONDS = 30;
  private static final int LONGEST_RUN_NANOS = 3_000_000;

  private final Shape shape;

  KillOf(Shape shape) {
    this.shape = shape;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int kills = stage.scaled(KILLS, 1);
    Histogram alone = killAll(stage, kills);
    Herd<A> herd = new Herd<>(stage, 2 * stage.workersInUse());
    herd.begin();
    Histogram beside;
    try {
      beside = killAll(stage, kills);
    } finally {
      herd.end();
    }
    return new Measurement(2L * kills, alone.getValueAtPercentile(99))
        .withLatencies(alone)
        .with(BESIDE_LOOPS_P99, beside.getValueAtPercentile(99))
        .with("beside_loops_max", beside.getMaxValue());
  }

  private <A> Histogram killAll(Stage<A> stage, int kills) throws Exception {
    Random random = new Random(kills);
    Histogram nanos = new Histogram(3);
    for (int i = 0; i < kills; i++) {
      Victim<A> victim = new Victim<>(shape, stage.scaled(Victim.TEXT_WITHOUT_END, 24));
      victim.lock.lock(); // so that nobody gets it
      A actor = stage.runtime().spawn(victim);
      stage.runtime().send(actor, Cue.GO);
      if (!victim.begun.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        throw new WrongResultException("it never began");
      }
      LockSupport.parkNanos(1 + random.nextInt(LONGEST_RUN_NANOS));
      long start = System.nanoTime();
      Future<?> kill = stage.runtime().kill(actor);
      kill.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      nanos.recordValue(System.nanoTime() - start);
      victim.over = true; // for one that was left behind
      victim.lock.unlock();
    }
    return nanos;
  }

  /** What a handler is at when it is killed. */
  enum Shape {
    LOOP("loop", "a plain loop") {
      @Override
      void run(Victim<?> victim) {
        while (!victim.over) {
          victim.sink++;
        }
      }
    },
    VECTORS("vectors", "nested loops that the compiler makes vector code of") {
      @Override
      void run(Victim<?> victim) {
        double[] numbers = new double[1_000];
        for (int i = 0; !victim.over; i++) {
          for (int j = 0; j < 1_000; j++) {
            for (int k = 0; k < numbers.length; k++) {
              numbers[k] = numbers[k] * 0.5 + i * j;
            }
          }
        }
        victim.sink = (long) numbers[7];
      }
    },
    RECURSION("recursion", "a recursion a thousand calls deep") {
      @Override
      void run(Victim<?> victim) {
        victim.sink = victim.descend(1_000);
      }
    },
    CATCH("catch", "a loop that catches every Throwable") {
      @Override
      void run(Victim<?> victim) {
        while (!victim.over) {
          try {
            victim.sink = Hog.compute(victim.sink, 1);
          } catch (Throwable swallowed) {
            victim.sink++;
          }
        }
      }
    },
    MONITOR("synchronized", "a loop inside synchronized") {
      @Override
      void run(Victim<?> victim) {
        synchronized (victim) {
          while (!victim.over) {
            victim.sink++;
          }
        }
      }
    },
    STREAM("stream", "a stream without an end") {
      @Override
      void run(Victim<?> victim) {
        victim.sink =
            IntStream.iterate(0, i -> i ^ 1)
                .filter(i -> i > 1 || victim.over)
                .findFirst()
                .orElse(0);
      }
    },
    REGEX("regex", "a regular expression that tries without end") {
      @Override
      void run(Victim<?> victim) {
        // The reference to a group keeps the JDK from remembering what did not match.
        victim.sink = Pattern.matches("(x+x+)+y\\1", "x".repeat(victim.textLength)) ? 1 : 2;
      }
    },
    SLEEP("sleep", "a handler that sleeps") {
      @Override
      void run(Victim<?> victim) throws InterruptedException {
        Thread.sleep(TimeUnit.HOURS.toMillis(1));
      }
    },
    LOCK("lock", "a handler that waits for a lock") {
      @Override
      void run(Victim<?> victim) {
        victim.lock.lock();
        victim.lock.unlock();
      }
    };

    private final String label;
    private final String sentence;

    Shape(String label, String sentence) {
      this.label = label;
      this.sentence = sentence;
    }

    /** What follows {@code kill-} in the workload's name. */
    String label() {
      return label;
    }

    String sentence() {
      return sentence;
    }

    abstract void run(Victim<?> victim) throws InterruptedException;
  }

  private static final class Victim<A> implements Behavior<A> {
    /** So long that the expression would be tried for years. */
    private static final int TEXT_WITHOUT_END = 60;

    private final Shape shape;
    private final int textLength;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean over;
    private long sink;

    Victim(Shape shape, int textLength) {
      this.shape = shape;
      this.textLength = textLength;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      begun.countDown();
      try {
        shape.run(this);
      } catch (InterruptedException killed) {
        // How a sleeper hears of it; the actor ends either way.
      }
      return Next.STOP;
    }

    private long descend(int depth) {
      if (depth == 0 || over) {
        return depth;
      }
      return descend(depth - 1) * 31 + descend(depth - 1);
    }
  }
}
