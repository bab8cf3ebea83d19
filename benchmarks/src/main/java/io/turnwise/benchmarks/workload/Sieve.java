package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.math.BigInteger;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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
    Queue<A> chain = new ConcurrentLinkedQueue<>();
    A first = stage.runtime().spawn(new Filter<>(chain, finish));
    A source = stage.runtime().spawn(new Source<>(first, numbers));

    long start = System.nanoTime();
    stage.runtime().send(source, Cue.GO);
    finish.await();
    double millis = (System.nanoTime() - start) / 1e6;

    int primes = chain.size();
    chain.forEach(stage.runtime()::stop);
    WrongResultException.unlessEqual("primes", countPrimes(numbers), primes);
    return new Measurement(numbers, millis).with("primes", primes);
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
    private final Queue<A> chain;
    private final Finish finish;
    private int prime;
    private @Nullable A next;

    /** Each filter joins the chain with its prime. */
    Filter(Queue<A> chain, Finish finish) {
      this.chain = chain;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (message instanceof Integer number) {
        sift(number, self);
      } else if (next == null) {
        finish.crossed();
      } else {
        self.send(next, Mark.END);
      }
      return Next.CONTINUE;
    }

    private void sift(Integer number, Self<A> self) {
      if (prime == 0) {
        prime = number;
        chain.add(self.address());
      } else if (number % prime != 0) {
        if (next == null) {
          next = self.spawn(new Filter<>(chain, finish));
        }
        self.send(next, number);
      }
    }
  }
}
