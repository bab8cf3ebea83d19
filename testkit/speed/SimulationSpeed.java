import io.turnwise.ActorRef;
import io.turnwise.testkit.simulation.Outcome;
import io.turnwise.testkit.simulation.Simulation;
import io.turnwise.testkit.simulation.SimulationPlan;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** How fast simulations are, for people: {@code ./turnwise run} with the name of this file. */
final class SimulationSpeed {
  private static final int ROUNDS = 8;

  /** All of a simulation runs on the thread that asks for it, whatever else the machine does. */
  private static final ThreadMXBean PROCESSOR = ManagementFactory.getThreadMXBean();

  private SimulationSpeed() {}

  public static void main(String[] args) {
    for (int i = 0; i < ROUNDS; i++)
      measure("plain turns", SimulationSpeed::turns);
    for (int i = 0; i < ROUNDS / 2; i++)
      measure("a day of a hundred actors that wake up twice a minute", SimulationSpeed::day);
    measure("a million actors that sleep", SimulationSpeed::sleepers);
  }

  private static void measure(String what, Simulation.Body body) {
    var plan = SimulationPlan.DEFAULT.withMaxTurns(Integer.MAX_VALUE);
    long began = System.nanoTime();
    long usedBefore = PROCESSOR.getCurrentThreadCpuTime();
    Outcome outcome = Simulation.run(plan, 1, body);
    double seconds = (System.nanoTime() - began) / 1e9;
    double used = (PROCESSOR.getCurrentThreadCpuTime() - usedBefore) / 1e9;
    System.out.printf(
        "%s: %,d turns in %.2f s, %.2f s of a processor; %,.0f and %,.0f a second%n",
        what, outcome.turns(), seconds, used, outcome.turns() / seconds, outcome.turns() / used);
  }

  private static void turns(Simulation simulation) throws InterruptedException {
    ActorRef<Integer> sink = simulation.spawn("sink", () -> (_, _) -> {});
    for (int i = 0; i < 200_000; i++) {
      sink.cast(i);
      if (i % 64 == 0) simulation.sleep(Duration.ofMillis(1));
    }
  }

  private static void day(Simulation simulation) throws InterruptedException {
    for (int i = 0; i < 100; i++) {
      long pause = Duration.ofSeconds(30).plusMillis(i).toNanos();
      simulation
          .<String>spawn("actor" + i, () -> (_, context) -> {
            LockSupport.parkNanos(pause);
            context.self().cast("again");
          })
          .cast("begin");
    }
    simulation.sleep(Duration.ofDays(1));
  }

  private static void sleepers(Simulation simulation) throws InterruptedException {
    for (int i = 0; i < 1_000_000; i++) {
      long pause = Duration.ofSeconds(1).toNanos() + i * 1_000L;
      simulation.system().<String>spawn(() -> (_, _) -> LockSupport.parkNanos(pause)).cast("sleep");
    }
    simulation.sleep(Duration.ofHours(1));
  }
}
