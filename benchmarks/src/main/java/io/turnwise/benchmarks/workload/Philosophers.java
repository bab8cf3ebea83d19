package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.util.ArrayList;
import java.util.List;

/**
 * Philosophers around a table and an arbiter who owns the forks; a denied one asks again at once.
 */
final class Philosophers implements Workload {
  private static final int PHILOSOPHERS = 20;
  private static final int MEALS_EACH = 10_000;

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    int mealsEach = stage.scaled(MEALS_EACH, 10);
    int meals = PHILOSOPHERS * mealsEach;
    Finish finish = stage.finish(1);
    List<A> seats = new ArrayList<>();
    Arbiter<A> arbiter = new Arbiter<>(seats, meals, finish);
    A arbiterAddress = stage.runtime().spawn(arbiter);
    for (int seat = 0; seat < PHILOSOPHERS; seat++) {
      seats.add(stage.runtime().spawn(new Philosopher<>(arbiterAddress, seat, mealsEach)));
    }

    long start = System.nanoTime();
    seats.forEach(seat -> stage.runtime().send(seat, Cue.GO));
    finish.await();
    return Measurement.perSecond(meals, meals, System.nanoTime() - start)
        .with("denied", arbiter.denied);
  }

  private record Hungry(int seat) {}

  private record Fed(int seat) {}

  private enum Verdict {
    EAT,
    DENIED
  }

  private static final class Arbiter<A> implements Behavior<A> {
    private final List<A> seats;
    private final Finish finish;
    private final boolean[] taken = new boolean[PHILOSOPHERS];
    private int mealsLeft;
    private long denied;

    Arbiter(List<A> seats, int meals, Finish finish) {
      this.seats = seats;
      this.mealsLeft = meals;
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      switch (message) {
        case Hungry(int seat) -> self.send(seats.get(seat), judge(seat));
        case Fed(int seat) -> {
          putBack(seat);
          if (--mealsLeft == 0) {
            finish.crossed();
            return Next.STOP;
          }
        }
        default -> throw new IllegalArgumentException("not for an arbiter: " + message);
      }
      return Next.CONTINUE;
    }

    private Verdict judge(int seat) {
      int right = (seat + 1) % PHILOSOPHERS;
      if (taken[seat] || taken[right]) {
        denied++;
        return Verdict.DENIED;
      }
      taken[seat] = true;
      taken[right] = true;
      return Verdict.EAT;
    }

    private void putBack(int seat) {
      int right = (seat + 1) % PHILOSOPHERS;
      if (!taken[seat] || !taken[right]) {
        throw new WrongResultException("philosopher " + seat + " ate without forks");
      }
      taken[seat] = false;
      taken[right] = false;
    }
  }

  private static final class Philosopher<A> implements Behavior<A> {
    private final A arbiter;
    private final Hungry hungry;
    private final Fed fed;
    private int mealsLeft;

    Philosopher(A arbiter, int seat, int meals) {
      this.arbiter = arbiter;
      this.hungry = new Hungry(seat);
      this.fed = new Fed(seat);
      this.mealsLeft = meals;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (message == Verdict.EAT) {
        self.send(arbiter, fed);
        if (--mealsLeft == 0) {
          return Next.STOP;
        }
      }
      self.send(arbiter, hungry);
      return Next.CONTINUE;
    }
  }
}
