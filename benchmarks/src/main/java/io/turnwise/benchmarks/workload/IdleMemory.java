package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** What a million living actors weigh, each of which has handled a message and waits. */
final class IdleMemory implements Workload {
  private static final int ACTORS = 1_000_000;
  private static final int FIRST_FEW = 1_000;
  private static final Duration SETTLE = Duration.ofMillis(200);

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    long pause = stage.scaled(SETTLE, Duration.ofMillis(2)).toMillis();
    populate(stage, new Object[FIRST_FEW]).stop(stage); // loads every class that is needed

    Object[] addresses = new Object[stage.scaled(ACTORS, 1_000)];
    Footprint before = Footprint.afterCollections(pause);
    long start = System.nanoTime();
    Population<A> population = populate(stage, addresses);
    double buildSeconds = (System.nanoTime() - start) / 1e9;
    Thread.sleep(5 * pause);
    Footprint after = Footprint.afterCollections(pause);

    population.stop(stage);
    double actors = addresses.length;
    return new Measurement(addresses.length, (after.heap() - before.heap()) / actors)
        .with("rss_per_actor", (after.resident() - before.resident()) / actors)
        .with("build_s", buildSeconds);
  }

  /** Returns when all have handled their message. */
  private static <A> Population<A> populate(Stage<A> stage, Object[] addresses) throws Exception {
    Finish finish = stage.finish(1);
    Idler<A> idler = new Idler<>(addresses.length, finish);
    A parent = stage.runtime().spawn(new Parent<>(idler, addresses));
    stage.runtime().send(parent, Cue.GO);
    finish.await();
    return new Population<>(parent, addresses);
  }

  private record Population<A>(A parent, Object[] addresses) {
    @SuppressWarnings("unchecked") // the parent put nothing else in
    void stop(Stage<A> stage) {
      for (Object address : addresses) {
        stage.runtime().stop((A) address);
      }
      stage.runtime().stop(parent);
    }
  }

  private static final class Parent<A> implements Behavior<A> {
    private final Idler<A> idler;
    private final Object[] addresses;

    Parent(Idler<A> idler, Object[] addresses) {
      this.idler = idler;
      this.addresses = addresses;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      for (int i = 0; i < addresses.length; i++) {
        A address = self.spawn(idler);
        addresses[i] = address;
        self.send(address, Cue.WORK);
      }
      return Next.CONTINUE;
    }
  }

  /** Shared by all of them, so that only what the runtime needs for an actor is weighed. */
  private static final class Idler<A> implements Behavior<A> {
    private final AtomicInteger left;
    private final Finish finish;

    Idler(int actors, Finish finish) {
      this.left = new AtomicInteger(actors);
      this.finish = finish;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      if (left.decrementAndGet() == 0) {
        finish.crossed();
      }
      return Next.CONTINUE;
    }
  }
}
