package io.turnwise.faults.trial;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.Context;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Innocent bystanders: pairs of actors that throw a ball, booked, until all throws are used up. */
public final class Traffic {
  private record Ball(ActorRef<Ball> from, long number) {}

  private final Books books;
  private final int pairs;
  private final AtomicLong left;
  private final Semaphore done = new Semaphore(0);
  private final ActorSystem system;

  public Traffic(ActorSystem system, Books books, int pairs, long messages) {
    this.system = system;
    this.books = books;
    this.pairs = pairs;
    this.left = new AtomicLong(messages);
    for (int i = 0; i < pairs; i++) {
      ActorRef<Ball> near = system.spawn(() -> new Player());
      ActorRef<Ball> far = system.spawn(() -> new Player());
      books.offered.increment();
      near.cast(new Ball(far, 0));
    }
  }

  private final class Player implements Actor<Ball> {
    private long next = -1;

    @Override
    public void receive(Ball ball, Context<Ball> context) {
      if (next >= 0 && ball.number != next)
        books.violation("ball " + ball.number + " came for " + next);
      next = ball.number + 2;
      if (left.decrementAndGet() > 0) {
        books.offered.increment();
        ball.from.cast(new Ball(context.self(), ball.number + 1));
      } else {
        done.release();
      }
      books.handled.increment();
    }
  }

  /** How many throws are left. */
  public long left() {
    return Math.max(0, left.get());
  }

  /** Lets it end early. */
  public void end() {
    left.set(0);
  }

  public void awaitDone(int seconds) throws InterruptedException {
    if (!done.tryAcquire(pairs, seconds, TimeUnit.SECONDS))
      throw new Broken("the traffic beside stands still: " + books + "\n" + system.dump());
  }
}
