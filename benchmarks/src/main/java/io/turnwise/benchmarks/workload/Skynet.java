package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;

/** A tree of actors, ten children each; a million leaves send their number up, sums meet. */
final class Skynet implements Workload {
  private static final int LEAVES = 1_000_000;
  private static final int CHILDREN = 10;

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int leaves = wholeTree(stage.scaled(LEAVES, 100));
    Finish finish = stage.finish(1);
    Top<A> top = new Top<>(leaves, finish);
    A topAddress = stage.runtime().spawn(top);

    long start = System.nanoTime();
    stage.runtime().send(topAddress, Cue.GO);
    finish.await();
    double millis = (System.nanoTime() - start) / 1e6;

    WrongResultException.unlessEqual("sum", leaves * (leaves - 1L) / 2, top.sum);
    return new Measurement(leaves, millis);
  }

  /** The largest power of ten that is not larger: only those make whole trees. */
  private static int wholeTree(int leaves) {
    int whole = 1;
    while (whole <= leaves / CHILDREN) {
      whole *= CHILDREN;
    }
    return whole;
  }

  private record Grow(long firstNumber, int leaves) {}

  private static final class Top<A> implements Behavior<A> {
    private final int leaves;
    private final Finish finish;
    private long sum = -1;

    Top(int leaves, Finish finish) {
      this.leaves = leaves;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (message == Cue.GO) {
        A root = self.spawn(new Branch<>(self.address()));
        self.send(root, new Grow(0, leaves));
        return Next.CONTINUE;
      }
      sum = (Long) message;
      finish.crossed();
      return Next.STOP;
    }
  }

  private static final class Branch<A> implements Behavior<A> {
    private final A parent;
    private long sum;
    private int missing = CHILDREN;

    Branch(A parent) {
      this.parent = parent;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      return message instanceof Grow grow ? grow(grow, self) : add((Long) message, self);
    }

    private Next grow(Grow grow, Self<A> self) {
      if (grow.leaves == 1) {
        self.send(parent, grow.firstNumber);
        return Next.STOP;
      }
      int share = grow.leaves / CHILDREN;
      for (int i = 0; i < CHILDREN; i++) {
        A child = self.spawn(new Branch<>(self.address()));
        self.send(child, new Grow(grow.firstNumber + (long) i * share, share));
      }
      return Next.CONTINUE;
    }

    private Next add(long childSum, Self<A> self) {
      sum += childSum;
      if (--missing > 0) {
        return Next.CONTINUE;
      }
      self.send(parent, sum);
      return Next.STOP;
    }
  }
}
