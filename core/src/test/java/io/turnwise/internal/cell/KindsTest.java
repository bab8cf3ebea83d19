package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorSpec;
import io.turnwise.SystemConfig;
import io.turnwise.scheduling.TimeoutAction;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class KindsTest {
  /** As where each request is an actor of its own, with what is left of the request's time. */
  private static ActorSpec<String> withTimeout(int millis) {
    return ActorSpec.<String>of(() -> (_, _) -> {})
        .withHandlerTimeout(Duration.ofMillis(millis), TimeoutAction.CANCEL);
  }

  @Test
  void alikeSpecsShareAKindAndOfThoseThatDifferABoundedNumberIsKept() {
    try (var system =
        LocalActorSystem.open(
            "kinds", SystemConfig.DEFAULT.withWorkers(1), System::nanoTime, false)) {
      WorkerDispatcher main = system.dispatcher(ActorSpec.DEFAULT_DISPATCHER);
      var kinds = new Kinds(system, main, main.scheduler);
      Kind first = kinds.of(withTimeout(1));
      for (int i = 1; i <= 3 * Kinds.MOST_KEPT; i++) kinds.of(withTimeout(i));
      assertThat(kinds.kept()).isEqualTo(Kinds.MOST_KEPT);
      assertThat(kinds.of(withTimeout(1))).as("one that came early").isSameAs(first);
      Kind late = kinds.of(withTimeout(3 * Kinds.MOST_KEPT));
      assertThat(late.timeouts).isEqualTo(withTimeout(3 * Kinds.MOST_KEPT).handlerTimeouts());
      assertThat(kinds.of(withTimeout(3 * Kinds.MOST_KEPT))).as("it is not kept").isNotSameAs(late);
    }
  }
}
