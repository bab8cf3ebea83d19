package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.math.BigInteger;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Numbers through a chain of filters, one actor for each prime. */
final class Sieve implements Workload {
  private static final int NUMBERS = 20_000;
  private static final int BURST = 100;

  /** Goes through the whole chain behind the last number. */
  private enum Mark {
    END
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int numbers = stage.scaled(NUMBERS, 200);
    Finish finish = stage.finish(1);
    AtomicInteger primes = new AtomicInteger();
    A first = stage.runtime().spawn(new Filter<>(primes, finish));
    A source = stage.runtime().spawn(new Source<>(first, numbers));

    long start = System.nanoTime();
    stage.runtime().send(source, Cue.GO);
    finish.await();
    double millis = (System.nanoTime() - start) / 1e6;

    stage.runtime().send(first, Cue.STOP);
    WrongResultException.unlessEqual("primes", countPrimes(numbers), primes.get());
    return new Measurement(numbers, millis).with("primes", primes.get());
  }

  private static long countPrimes(int upTo) {
    return IntStream.rangeClosed(2, upTo)
        .filter(number -> BigInteger.valueOf(number).isProbablePrime(30))
        .count();
  }

  private static final class Source<A> implements Behavior<A> {
    private final A first;
    private final int last;
    private int number = 2;

    Source(A first, int last) {
      this.first = first;
      this.last = last;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      for (int i = 0; i < BURST && number <= last; i++) {
        self.send(first, number++);
      }
      if (number <= last) {
        self.send(self.address(), Cue.GO);
        return Next.CONTINUE;
      }
      self.send(first, Mark.END);
      return Next.STOP;
    }
  }

  private static final class Filter<A> implements Behavior<A> {
    private final AtomicInteger primes;
    private final Finish finish;
    private int prime;
    private @Nullable A next;

    Filter(AtomicInteger primes, Finish finish) {
      this.primes = primes;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (message instanceof Integer number) {
        sift(number, self);
        return Next.CONTINUE;
      }
      if (next != null) {
        self.send(next, message);
      } else if (message == Mark.END) {
        finish.crossed();
      }
      return message == Cue.STOP ? Next.STOP : Next.CONTINUE;
    }

    private void sift(Integer number, Self<A> self) {
      if (prime == 0) {
        prime = number;
        primes.incrementAndGet();
      } else if (number % prime != 0) {
        if (next == null) {
          next = self.spawn(new Filter<>(primes, finish));
        }
        self.send(next, number);
      }
    }
  }
}
