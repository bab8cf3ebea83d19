package io.turnwise.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Call;
import io.turnwise.Context;
import io.turnwise.testkit.junit.SimulationTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineTestKit;

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
  void theExampleFailsAndTellsWhy() {
    List<Throwable> failures =
        EngineTestKit.engine("junit-jupiter")
            .selectors(DiscoverySelectors.selectClass(CounterSimulation.class))
            .execute()
            .testEvents()
            .failed()
            .stream()
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
