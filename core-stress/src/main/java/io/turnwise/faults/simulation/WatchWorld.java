package io.turnwise.faults.simulation;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Context;
import io.turnwise.Signal;
import io.turnwise.testkit.simulation.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * F7 from seeds: several watch the same one, take it back, and watch it again while it ends. Each
 * watch that stands brings one notice, none comes after unwatch has returned, and when it comes the
 * name is free.
 */
final class WatchWorld {
  private static final int WATCHERS = 3;
  private static final int STEPS = 6;

  private WatchWorld() {}

  static void live(Simulation simulation) throws Exception {
    var random = new SplittableRandom(simulation.seed());
    ActorRef<String> mortal = simulation.spawn("mortal", () -> WatchWorld::die);
    if (random.nextInt(3) == 0) simulation.mayBeKilled(mortal);
    List<Watcher> watchers = new ArrayList<>();
    for (int i = 0; i < WATCHERS; i++) {
      var watcher = new Watcher(mortal, random.split());
      watchers.add(watcher);
      simulation.<Integer>spawn("watcher" + i, () -> watcher).cast(STEPS);
    }
    simulation
        .<String>spawn("end", () -> (_, _) -> end(mortal, random))
        .cast("some time, in some way");
    simulation.sleep(Duration.ofSeconds(1));
    watchers.forEach(Watcher::check);
  }

  private static void die(String how, Context<String> context) {
    LockSupport.parkNanos(how.length() * 100_000L);
    if (how.equals("crash")) throw new IllegalStateException("on purpose");
    context.stop();
  }

  private static void end(ActorRef<String> mortal, SplittableRandom random) {
    LockSupport.parkNanos(random.nextInt(4) * 1_000_000L);
    switch (random.nextInt(5)) {
      case 0 -> mortal.stop();
      case 1 -> mortal.stopAfterDrain();
      case 2 -> mortal.cast("crash");
      case 3 -> mortal.kill();
      default -> mortal.cast("stop");
    }
  }

  private static final class Watcher implements Actor<Integer> {
    private final ActorRef<String> mortal;
    private final SplittableRandom random;
    private boolean watches;
    private final List<String> wrong = new ArrayList<>();
    private int told;

    Watcher(ActorRef<String> mortal, SplittableRandom random) {
      this.mortal = mortal;
      this.random = random;
    }

    @Override
    public void receive(Integer left, Context<Integer> context) {
      if (left == 0) {
        if (!watches) watch(context); // the last word: it must be told of the end
        return;
      }
      if (watches && random.nextBoolean()) {
        // The notice may come while this turn waits, and must not be handled after it.
        if (random.nextBoolean()) LockSupport.parkNanos(1_000_000);
        context.unwatch(mortal);
        watches = false;
      } else if (!watches) {
        watch(context);
      }
      if (random.nextInt(3) == 0) LockSupport.parkNanos(1_000_000);
      context.self().cast(left - 1);
    }

    private void watch(Context<Integer> context) {
      context.watch(mortal);
      watches = true;
      told = 0;
    }

    @Override
    public void info(Signal signal, Context<Integer> context) {
      if (!watches) wrong.add("a notice after unwatch");
      told++;
      if (told > 1) wrong.add("told " + told + " times");
      if (context.system().find("mortal").isPresent()) wrong.add("the name is not free");
    }

    void check() {
      if (told != 1 || !wrong.isEmpty())
        throw new AssertionError("told " + told + " times; " + wrong);
    }
  }
}
