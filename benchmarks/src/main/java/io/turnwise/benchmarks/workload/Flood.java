package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Some actors have more messages waiting than they can handle; do light actors still get their
 * turn? No message takes long and no handler loops: only the mailboxes are deep.
 */
final class Flood implements Workload {
  private static final int LIGHT_ACTORS = 7;
  private static final Duration PERIOD = Duration.ofMillis(10);
  private static final Duration TIME = Duration.ofSeconds(5);
  private static final Duration WARM_UP = Duration.ofSeconds(1);
  private static final int WARM_UP_MESSAGES = 20_000;
  private static final Duration SETTLE = Duration.ofMillis(300);
  private static final long MESSAGE_NANOS = 5_000;
  private static final double MORE_THAN_ENOUGH = 1.2;

  private final int floodedActors;

  Flood(int floodedActors) {
    this.floodedActors = floodedActors;
  }

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    Duration time = stage.scaled(TIME, PERIOD.multipliedBy(20));
    Ticks<A> ticks = new Ticks<>(stage, LIGHT_ACTORS);
    ticks.warmUp(stage.scaled(WARM_UP, PERIOD), PERIOD);
    Flooded<A> behavior = new Flooded<>();
    List<A> flooded = new ArrayList<>();
    for (int i = 0; i < floodedActors; i++) {
      flooded.add(stage.runtime().spawn(behavior));
    }
    fill(stage, flooded, stage.scaled(WARM_UP_MESSAGES, floodedActors) / floodedActors);
    Thread.sleep(stage.scaled(SETTLE, Duration.ofMillis(1)));
    fill(stage, flooded, messagesEach(stage, time));

    long workedBefore = behavior.worked.sum();
    long start = System.nanoTime();
    ticks.measure(time, PERIOD);
    double seconds = (System.nanoTime() - start) / 1e9;
    long worked = behavior.worked.sum() - workedBefore;
    behavior.over = true;

    Measurement result = ticks.result(Ticks.PATIENCE);
    ticks.stop();
    flooded.forEach(stage.runtime()::stop);
    if (worked == 0) {
      throw new WrongResultException("the flooded actors did nothing at all");
    }
    return result.with("busy", floodedActors).with("flood_msgs_per_s", worked / seconds);
  }

  /** A little more than all cores, or one core for each, can handle in the time. */
  private int messagesEach(Stage<?> stage, Duration time) {
    double coresEach = Math.min(stage.cores(), floodedActors) / (double) floodedActors;
    return (int) (MORE_THAN_ENOUGH * time.toNanos() * coresEach / MESSAGE_NANOS);
  }

  private static <A> void fill(Stage<A> stage, List<A> flooded, int messagesEach) {
    for (int i = 0; i < messagesEach; i++) {
      for (A actor : flooded) {
        stage.runtime().send(actor, Cue.WORK);
      }
    }
  }

  private static final class Flooded<A> implements Behavior<A> {
    private final LongAdder worked = new LongAdder();
    private volatile boolean over;

    @Override
    public Next receive(Object message, Self<A> self) {
      if (!over) {
        long end = System.nanoTime() + MESSAGE_NANOS;
        while (System.nanoTime() - end < 0) {
          Thread.onSpinWait();
        }
        worked.increment();
      }
      return Next.CONTINUE;
    }
  }
}
