package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One message that takes long to handle, and another actor that gets a ping every millisecond. On a
 * single worker: is the other one served meanwhile, or only afterwards?
 */
final class LongRun implements Workload {
  private static final Duration PERIOD = Duration.ofMillis(1);

  private final Computation computation;

  LongRun(Computation computation) {
    this.computation = computation;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int size = stage.scaled(computation.size, 1_000);
    long expected = computation.expected(size);
    Ticks<A> pings = new Ticks<>(stage, 1);
    CountDownLatch begun = new CountDownLatch(1);
    Finish finish = stage.finish(1);
    AtomicLong handledMeanwhile = new AtomicLong();
    A runner =
        stage
            .runtime()
            .spawn(
                (message, self) -> {
                  begun.countDown();
                  long result = computation.compute(size);
                  handledMeanwhile.set(pings.handled()); // here: nobody can run in between
                  finish.crossed();
                  WrongResultException.unlessEqual("the computation's result", expected, result);
                  return Next.STOP;
                });

    stage.runtime().send(runner, Cue.GO);
    if (!begun.await(Finish.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new WrongResultException("the computation never began");
    }
    long start = System.nanoTime();
    pings.measureWhile(() -> !finish.isCrossed(), PERIOD);
    double millis = (System.nanoTime() - start) / 1e6;
    finish.await();

    Measurement result = pings.result(Ticks.PATIENCE);
    pings.stop();
    return result.with("handled_meanwhile", handledMeanwhile.get()).with("run_ms", millis);
  }

  /** Plain code: nothing in it knows that it may be stopped. */
  enum Computation {
    /** A loop of a billion rounds. */
    LOOP(1_000_000_000) {
      @Override
      long compute(int rounds) {
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
          sum += i & 7;
        }
        return sum;
      }

      @Override
      long expected(int rounds) {
        long rest = rounds % 8;
        return rounds / 8 * 28L + rest * (rest - 1) / 2;
      }
    },
    /** The primes below a million, by division. */
    PRIMES(1_000_000) {
      @Override
      long compute(int limit) {
        int primes = 0;
        for (int candidate = 2; candidate < limit; candidate++) {
          if (isPrime(candidate)) {
            primes++;
          }
        }
        return primes;
      }

      private static boolean isPrime(int candidate) {
        for (int divisor = 2; divisor * divisor <= candidate; divisor++) {
          if (candidate % divisor == 0) {
            return false;
          }
        }
        return true;
      }

      @Override
      long expected(int limit) {
        boolean[] composite = new boolean[limit];
        long primes = 0;
        for (int candidate = 2; candidate < limit; candidate++) {
          if (!composite[candidate]) {
            primes++;
            for (long multiple = (long) candidate * candidate;
                multiple < limit;
                multiple += candidate) {
              composite[(int) multiple] = true;
            }
          }
        }
        return primes;
      }
    };

    private final int size;

    Computation(int size) {
      this.size = size;
    }

    abstract long compute(int size);

    /** The same by another way. */
    abstract long expected(int size);
  }
}
