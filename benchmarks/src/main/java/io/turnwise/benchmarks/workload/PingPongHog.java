package io.turnwise.benchmarks.workload;

import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Next;
import io.turnwise.benchmarks.peer.Self;
import io.turnwise.benchmarks.result.Measurement;
import java.time.Duration;

/**
 * From Go's own tests, on one worker: two hogs that pass a ball and count to a million at every
 * turn, and two light ones that count to a thousand. How far are their totals apart? Turn for turn,
 * it would be a thousand times.
 */
final class PingPongHog implements Workload {
  private static final int HOG_COUNTS_TO = 1_000_000;
  private static final int LIGHT_COUNTS_TO = 1_000;
  private static final Duration WARM_UP = Duration.ofMillis(500);
  private static final Duration TIME = Duration.ofSeconds(1);

  @Override
  public <A> Measurement run(Stage<A> stage) throws Exception {
    Pair<A> hogs = new Pair<>(stage, HOG_COUNTS_TO);
    Pair<A> lights = new Pair<>(stage, LIGHT_COUNTS_TO);
    // From inside: some pools never look at what comes from outside while they have work.
    A starter =
        stage
            .runtime()
            .spawn(
                (message, self) -> {
                  hogs.begin(self);
                  lights.begin(self);
                  return Next.STOP;
                });
    stage.runtime().send(starter, Cue.GO);
    Thread.sleep(stage.scaled(WARM_UP, Hogs.SHORTEST));
    double hogsBefore = hogs.total();
    double lightsBefore = lights.total();
    Thread.sleep(stage.scaled(TIME, Hogs.SHORTEST));
    double ofHogs = Math.max(1, hogs.total() - hogsBefore);
    double ofLights = Math.max(1, lights.total() - lightsBefore);
    hogs.end();
    lights.end();
    stage.failures().throwIfAny();
    return new Measurement(
            (long) (ofHogs + ofLights), Math.max(ofHogs, ofLights) / Math.min(ofHogs, ofLights))
        .with("hogs_counted", ofHogs)
        .with("lights_counted", ofLights);
  }

  /** Two actors and one ball. */
  private static final class Pair<A> {
    private final Stage<A> stage;
    private final Player<A> one;
    private final Player<A> other;
    private final A first;
    private final A second;

    Pair(Stage<A> stage, int countsTo) {
      this.stage = stage;
      one = new Player<>(countsTo);
      other = new Player<>(countsTo);
      first = stage.runtime().spawn(one);
      second = stage.runtime().spawn(other);
    }

    void begin(Self<A> starter) {
      one.partner = second;
      other.partner = first;
      starter.send(first, Cue.WORK);
    }

    double total() {
      return (double) one.total + other.total;
    }

    void end() {
      one.over = true;
      other.over = true;
      stage.runtime().stop(first);
      stage.runtime().stop(second);
    }
  }

  private static final class Player<A> implements Behavior<A> {
    private final int countsTo;
    private volatile long total;
    private volatile boolean over;

    @SuppressWarnings("NullAway.Init") // set before the first message, which publishes it
    A partner;

    Player(int countsTo) {
      this.countsTo = countsTo;
    }

    @Override
    public Next receive(Object message, Self<A> self) {
      long counted = total;
      for (int i = 0; i < countsTo; i++) {
        total = ++counted; // a store each time, or the compiler would count for us
      }
      if (!over) {
        self.send(partner, Cue.WORK);
      }
      return Next.CONTINUE;
    }
  }
}
