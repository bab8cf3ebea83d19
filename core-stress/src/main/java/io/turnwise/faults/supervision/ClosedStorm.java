package io.turnwise.faults.supervision;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.faults.trial.Books;
import io.turnwise.faults.trial.Broken;
import io.turnwise.faults.trial.Trial;
import io.turnwise.faults.trial.WovenRow;
import io.turnwise.observation.SystemSnapshot;
import io.turnwise.testkit.simulation.Outcome;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * A part of F32, from seeds: a system is closed at any moment of a storm of restarts in a tree of
 * supervisors. Each message has a fate, nobody has a turn after it has failed or beside another
 * instance, nobody waits for somebody who does not come, and nobody is left.
 */
public final class ClosedStorm extends WovenRow {
  private static final SimulationPlan PLAN = SimulationPlan.DEFAULT.withShrinks(false);
  private static final int ACTORS = 40;

  /** The storm and the close. Who waits for nobody to stop does so for the deadline of a stop. */
  private static final Duration MOST = Duration.ofSeconds(1);

  @Override
  public String id() {
    return "F32";
  }

  @Override
  public String what() {
    return "shutdown in a storm of restarts, simulated";
  }

  @Override
  protected String runWoven(Trial trial) {
    int seeds = (int) trial.sized(100, 10_000);
    long restarts = 0;
    for (int i = 0; i < seeds; i++) {
      var books = new Books();
      List<ActorSystem> systems = new ArrayList<>();
      Outcome outcome =
          Simulation.run(
              PLAN,
              trial.seed() + i,
              simulation -> {
                systems.add(simulation.system());
                live(simulation, books);
              });
      SystemSnapshot end = systems.getFirst().snapshot();
      books.checkViolations();
      if (outcome.time().compareTo(MOST) > 0)
        throw new Broken("seed " + (trial.seed() + i) + ": it took " + outcome.time());
      restarts += end.restarts();
      if (end.messagesFailed() != books.failed.sum())
        throw new Broken("seed " + (trial.seed() + i) + ": " + end + ", " + books);
    }
    trial.say(seeds + " simulated closes amid " + restarts + " restarts");
    return seeds + " simulated";
  }

  private static void live(Simulation simulation, Books books) throws Exception {
    var random = new SplittableRandom(simulation.seed());
    var tree = new Hierarchy(books, random.split(), ACTORS, 1);
    tree.start(simulation.system());
    Hierarchy.Letters letters = tree.letters(0);
    SplittableRandom own = random.split();
    ActorRef<String> sender =
        simulation.spawn(
            "sender",
            () ->
                (_, context) -> {
                  while (!context.system().isClosed()) {
                    letters.send(own, own.nextInt(3) == 0 ? Hierarchy.Fault.draw(own) : null);
                    if (own.nextInt(3) == 0) LockSupport.parkNanos(own.nextInt(50_000));
                  }
                });
    sender.cast("go");
    simulation.closesInTheMiddle();
    simulation.sleep(Duration.ofNanos(random.nextInt(5_000_000)));
  }
}
