package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.CalleeFailedException;
import io.turnwise.Context;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import io.turnwise.testkit.junit.SimulationTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;

/** What the page on simulation shows, as it shows it. */
class SimulationDocTest {
  @Test
  void itRunsWithoutATestFramework() {
    // @start region="plain"
    Simulation.run(
        42,
        simulation -> {
          ActorRef<CounterSimulation.Message> register =
              simulation.spawn("register", CounterSimulation.Register::new);
          register.cast(new CounterSimulation.Set(10));
          assertEquals(10, register.call(new CounterSimulation.Get()));
        });
    // @end
  }

  @Test
  void whatFailedCanBeRunAgain() {
    // @start region="again"
    Simulation.Body body = new CounterSimulation()::nothingIsLost;
    SimulationFailure failure =
        assertThrows(
            SimulationFailure.class,
            () -> Simulation.runAll(SimulationPlan.DEFAULT, 1, 200, body)); // seeds 1 to 200
    Outcome outcome = failure.outcome();
    SimulationPlan replay =
        SimulationPlan.DEFAULT.withStrategy(new Strategy.Replay(outcome.schedule()));
    SimulationFailure again =
        assertThrows(SimulationFailure.class, () -> Simulation.run(replay, outcome.seed(), body));
    assertEquals(outcome.hash(), again.outcome().hash()); // it took the same course
    // @end
  }

  @Test
  void everyOrderIsTried() {
    // @start region="explore"
    Exploration all =
        Simulation.explore(
            SimulationPlan.DEFAULT.withPreempts(false),
            100,
            1,
            100_000,
            simulation -> {
              List<String> done = new ArrayList<>();
              for (String name : List.of("left", "right"))
                simulation.<String>spawn(name, () -> (message, _) -> done.add(message)).cast(name);
              simulation.sleep(Duration.ofSeconds(1));
              assertEquals(2, done.size());
            });
    assertTrue(all.complete());
    // @end
    assertThat(all.runs()).isGreaterThan(1);
  }

  @Test
  void theExampleWithACrashHolds() {
    eventsOf(CrashingSimulation.class).assertStatistics(s -> s.succeeded(1).failed(0));
  }

  private static Events eventsOf(Class<?> tests) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(DiscoverySelectors.selectClass(tests))
        .execute()
        .testEvents();
  }

  @Test
  void theExampleFailsAndTellsWhy() {
    List<Throwable> failures =
        eventsOf(CounterSimulation.class).failed().stream()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class))
            .map(result -> result.getThrowable().orElseThrow())
            .toList();
    assertThat(failures).hasSize(1);
    assertThat(failures.getFirst())
        .hasMessageContaining("with seed 1 failed. [SIMULATION-FAILED]")
        .hasMessageContaining("expected: <2> but was: <1>")
        .hasMessageContaining("register handles Get[]  (from /simulation/left)");
  }
}

// @start region="simulation"
class CounterSimulation {
  sealed interface Message {}

  record Get() implements Message, Call<Message, Integer> {}

  record Set(int value) implements Message {}

  static final class Register implements Actor<Message> {
    private int value;

    @Override
    public void receive(Message message, Context<Message> context) {
      switch (message) {
        case Get get -> context.reply(get, value);
        case Set(int next) -> value = next;
      }
    }
  }

  @SimulationTest(seeds = 1_000)
  void nothingIsLost(Simulation simulation) throws Exception {
    ActorRef<Message> register = simulation.spawn("register", Register::new);
    for (String name : List.of("left", "right"))
      simulation
          .<String>spawn(name, () -> (_, _) -> register.cast(new Set(register.call(new Get()) + 1)))
          .cast("add one");
    simulation.sleep(Duration.ofSeconds(1));
    assertEquals(2, register.call(new Get()));
  }
}

// @end

// @start region="crash"
class CrashingSimulation {
  @SimulationTest(seeds = 200)
  void itComesBack(Simulation simulation) {
    ChildSpec<CounterSimulation.Message> spec =
        ChildSpec.of("register", CounterSimulation.Register::new)
            .withBackoff(Backoff.exponential(Duration.ofSeconds(1)));
    Supervisor top =
        Supervisor.start(simulation.system(), "top", SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<CounterSimulation.Message> register = top.child(spec);
    simulation.mayCrash(register, 1);
    simulation.mayDelay(register, Duration.ofMillis(50));
    int answers = 0;
    for (int i = 0; i < 3; i++)
      try {
        register.call(new CounterSimulation.Get());
        answers++;
      } catch (CalleeFailedException crashed) {
        // what crashed it is not tried again
      }
    assertTrue(answers >= 2);
  }
}
// @end
