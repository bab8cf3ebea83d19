package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.ActorSpec;
import io.turnwise.ActorSystem;
import io.turnwise.Await;
import io.turnwise.internal.scheduler.ThreadRunner;
import io.turnwise.scheduling.Backend;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailedSpawnTest {
  private static final String THREAD = "turnwise-leftover-own";

  /**
   * As where no thread can be had for it: to start it fails, here because it has begun already. It
   * would have been kept until the close, and the thread would have waited for ever.
   */
  @Test
  void anActorWhoseThreadCannotBeStartedLeavesNothing() throws Exception {
    try (var system = (LocalActorSystem) ActorSystem.open("leftover", c -> c.withWorkers(1))) {
      WeakReference<ActorCell<String>> cell = failToSpawn(system);
      Await.until(
          "no thread of it is left",
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(thread -> thread.getName().equals(THREAD)));
      Await.until(
          "it is forgotten",
          () -> {
            System.gc();
            return cell.get() == null;
          });
      assertThat(system.find("own")).as("its name is free").isEmpty();
      assertThat(system.snapshot().actorsSpawned()).isZero();
    }
  }

  private static WeakReference<ActorCell<String>> failToSpawn(LocalActorSystem system) {
    var spec = ActorSpec.<String>of(() -> (_, _) -> {}).withBackend(Backend.THREAD);
    List<WeakReference<ActorCell<String>>> made = new ArrayList<>();
    assertThatThrownBy(
            () ->
                system.make(
                    null,
                    "own",
                    spec,
                    cell -> {
                      made.add(new WeakReference<>(cell));
                      ((ThreadRunner) cell.kind.runner).start();
                    }))
        .isInstanceOf(IllegalThreadStateException.class);
    return made.getFirst();
  }
}
