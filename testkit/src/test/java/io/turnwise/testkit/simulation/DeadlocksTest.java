package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSpec;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.mailbox.MailboxConfig;
import io.turnwise.mailbox.OverflowPolicy;
import io.turnwise.weaving.Safepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** Nobody gets on: it is found, and those who do not are named. */
class DeadlocksTest {
  private static SimulationFailure find(Simulation.Body body) {
    return find(SimulationPlan.DEFAULT, body);
  }

  private static SimulationFailure find(SimulationPlan plan, Simulation.Body body) {
    for (int seed = 1; seed <= 1_000; seed++) {
      try {
        Simulation.run(plan, seed, body);
      } catch (SimulationFailure found) {
        return found;
      }
    }
    throw new AssertionError("not found");
  }

  // ---- circles -------------------------------------------------------------------------------

  private static void lockBoth(Object first, Object second) {
    synchronized (first) {
      Safepoint.poll();
      synchronized (second) {
        Safepoint.poll();
      }
    }
  }

  @Test
  void twoMonitorsThatAreTakenInOppositeOrder() {
    SimulationFailure found =
        find(
            simulation -> {
              var left = new Object();
              var right = new StringBuilder();
              simulation.<String>spawn("a", () -> (_, _) -> lockBoth(left, right)).cast("go");
              simulation.<String>spawn("b", () -> (_, _) -> lockBoth(right, left)).cast("go");
              simulation.sleep(Duration.ofDays(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-DEADLOCK]")
        .hasMessageMatching(
            "(?s).*/simulation/a waits since turn \\d+ for a monitor \\(StringBuilder\\) that"
                + " /simulation/b has.*")
        .hasMessageMatching(
            "(?s).*/simulation/b waits since turn \\d+ for a monitor \\(Object\\) that"
                + " /simulation/a has.*");
  }

  /** No time passes before the test ends. */
  @Test
  void aDeadlockIsFoundAtTheEndToo() {
    SimulationFailure found =
        find(
            simulation -> {
              var left = new Object();
              var right = new Object();
              simulation.<String>spawn("a", () -> (_, _) -> lockBoth(left, right)).cast("go");
              simulation.<String>spawn("b", () -> (_, _) -> lockBoth(right, left)).cast("go");
            });
    assertThat(found).hasMessageContaining("[SIMULATION-DEADLOCK]");
  }

  @Test
  void aThreadOfAHandlerAndAnActorWithAMonitorAndALock() {
    SimulationFailure found =
        find(
            simulation -> {
              var monitor = new Object();
              var lock = new ReentrantLock();
              simulation
                  .<String>spawn(
                      "a",
                      () ->
                          (_, _) -> {
                            synchronized (monitor) {
                              Safepoint.poll();
                              lock.lock();
                              lock.unlock();
                            }
                          })
                  .cast("go");
              Thread.startVirtualThread(
                  () -> {
                    lock.lock();
                    Thread.yield();
                    synchronized (monitor) {
                      lock.unlock();
                    }
                  });
              simulation.sleep(Duration.ofDays(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-DEADLOCK]")
        .hasMessageContaining("for a lock (ReentrantLock$NonfairSync) that a virtual thread")
        .hasMessageContaining("for a monitor (Object) that /simulation/a has");
  }

  private sealed interface Talk {}

  private record Ask() implements Talk, Call<Talk, String> {}

  private record Flood(ActorRef<Talk> other, int times) implements Talk {}

  private record AskOf(ActorRef<Talk> other) implements Talk {}

  private record Drop() implements Talk {}

  private static final class Talker implements Actor<Talk> {
    @Override
    public void receive(Talk message, Context<Talk> context) {
      switch (message) {
        case Ask ask -> context.reply(ask, "here");
        case Flood(ActorRef<Talk> other, int times) -> {
          for (int i = 0; i < times; i++) other.cast(new Drop());
        }
        case AskOf(ActorRef<Talk> other) -> other.call(new Ask());
        case Drop _ -> {}
      }
    }
  }

  /** One waits for the other's answer, which waits for room in the mailbox of the first. */
  @Test
  void aCallAndAWaitForRoom() {
    SimulationFailure found =
        find(
            simulation -> {
              var spec =
                  ActorSpec.<Talk>of(Talker::new)
                      .withMailbox(MailboxConfig.bounded(2, OverflowPolicy.WAIT));
              ActorRef<Talk> asks = simulation.system().spawn("asks", spec);
              ActorRef<Talk> floods = simulation.system().spawn("floods", spec);
              asks.cast(new AskOf(floods));
              floods.cast(new Flood(asks, 5));
              simulation.sleep(Duration.ofMinutes(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-DEADLOCK]")
        .hasMessageContaining(" for the answer of /simulation/floods")
        .hasMessageContaining(" for room in the mailbox of /simulation/asks");
  }

  /** The same where only the simulation has set a bound. */
  @Test
  void aCallAndAWaitForRoomThatIsOnlySmallInTheSimulation() {
    SimulationFailure found =
        find(
            simulation -> {
              simulation.mayShrinkMailboxes(2);
              ActorRef<Talk> asks = simulation.spawn("asks", Talker::new);
              ActorRef<Talk> floods = simulation.spawn("floods", Talker::new);
              asks.cast(new AskOf(floods));
              floods.cast(new Flood(asks, 5));
              simulation.sleep(Duration.ofMinutes(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-DEADLOCK]")
        .hasMessageContaining(" for room in the mailbox of /simulation/asks");
  }

  /** No circle: nobody will ever say the word. */
  @Test
  void aWaitThatNobodyWillEnd() {
    SimulationFailure found =
        find(
            simulation -> {
              var word = new CompletableFuture<String>();
              var monitor = new Object();
              simulation
                  .<String>spawn(
                      "waits",
                      () ->
                          (_, _) -> {
                            synchronized (monitor) {
                              monitor.wait();
                            }
                          })
                  .cast("go");
              word.join();
            });
    assertThat(found)
        .hasMessageContaining("Nothing can happen any more, and these wait. [SIMULATION-DEADLOCK]")
        .hasMessageContaining(
            "/simulation/test waits since turn 1 for a CompletableFuture$Signaller")
        .hasMessageContaining("/simulation/waits waits since turn 2 in a monitor");
  }

  @Test
  void timedWaitsAndWaitsForWhomeverAreNoDeadlock() {
    for (int seed = 1; seed <= 200; seed++)
      Simulation.run(
          seed,
          simulation -> {
            var monitor = new Object();
            var lock = new ReentrantLock();
            simulation
                .<String>spawn(
                    "a",
                    () ->
                        (_, _) -> {
                          synchronized (monitor) {
                            Safepoint.poll();
                            if (lock.tryLock(1, TimeUnit.SECONDS)) lock.unlock();
                          }
                        })
                .cast("go");
            simulation
                .<String>spawn(
                    "b",
                    () ->
                        (_, _) -> {
                          lock.lock();
                          Safepoint.poll();
                          synchronized (monitor) {
                            lock.unlock();
                          }
                        })
                .cast("go");
            simulation.sleep(Duration.ofSeconds(5));
          });
  }

  // ---- no end --------------------------------------------------------------------------------

  @Test
  void twoThatSendToEachOtherForEverAreNamedWithTheTurnSinceWhen() {
    SimulationFailure found =
        find(
            SimulationPlan.DEFAULT.withMaxTurns(2_000),
            simulation -> {
              List<ActorRef<Integer>> two = new ArrayList<>();
              two.add(simulation.spawn("ping", () -> (m, _) -> two.get(1).cast(m)));
              two.add(simulation.spawn("pong", () -> (m, _) -> two.get(0).cast(m)));
              simulation.<String>spawn("bystander", () -> (_, _) -> {}).cast("done soon");
              two.getFirst().cast(1);
              simulation.sleep(Duration.ofDays(1));
            });
    assertThat(found)
        .hasMessageContaining("[SIMULATION-ENDLESS]")
        .hasMessageMatching(
            "(?s).*since turn \\d+, for 0.00\\d+ s of its time, only these have run.*")
        .hasMessageMatching("(?s).*/simulation/ping: \\d+ slices, the last with Integer.*")
        .hasMessageMatching("(?s).*/simulation/pong: \\d+ slices, the last with Integer.*");
    assertThat(found.getMessage().substring(0, found.getMessage().indexOf("next:")))
        .doesNotContain("bystander");
  }

  /** A loop that waits for what only another turn could do, and no other turn will. */
  @Test
  void aTurnThatSpinsForEverIsNamed() {
    var never = new AtomicBoolean();
    SimulationFailure found =
        find(
            SimulationPlan.DEFAULT.withMaxTurns(10_000).withShrinks(false),
            simulation -> {
              simulation
                  .<String>spawn(
                      "spins",
                      () ->
                          (_, _) -> {
                            while (!never.get()) Safepoint.poll();
                          })
                  .cast("wait");
              simulation.sleep(Duration.ofDays(1));
            });
    never.set(true);
    assertThat(found)
        .hasMessageContaining("[SIMULATION-ENDLESS]")
        .hasMessageContaining("/simulation/spins does not come to the end of its turn of String");
  }

  /** As many polls, but it waits in between. */
  @Test
  void aLongTurnThatWaitsNowAndThenIsNotEndless() {
    Simulation.run(
        SimulationPlan.DEFAULT.withMaxTurns(10_000).withPreempts(false),
        1,
        simulation -> {
          for (int i = 0; i < 30; i++) {
            for (int j = 0; j < 10_000; j++) Safepoint.poll();
            simulation.sleep(Duration.ofMillis(1));
          }
        });
  }
}
