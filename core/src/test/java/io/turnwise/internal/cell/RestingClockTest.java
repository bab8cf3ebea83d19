package io.turnwise.internal.cell;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.Await;
import io.turnwise.SystemConfig;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The coarse clock stands still while nobody works. */
class RestingClockTest {
  @Test
  void timeInWhichNobodyTickedIsNobodysWait() throws Exception {
    var ahead = new AtomicLong();
    try (var system =
        LocalActorSystem.open(
            "test",
            SystemConfig.DEFAULT.withWorkers(1).withCloseOnShutdown(false),
            () -> ahead.get() + System.nanoTime(),
            true)) {
      ActorRef<String> actor = system.spawn(() -> (_, _) -> {});
      actor.cast("first");
      Await.until("it is done", () -> system.snapshot().messagesHandled() == 1);
      Await.until("the ticker dozes", system.ticker::isDozing);
      ahead.addAndGet(Duration.ofHours(1).toNanos());
      actor.cast("second");
      Await.until("it is done", () -> system.snapshot().messagesHandled() == 2);
      assertThat(actor.snapshot().usage().waited()).isLessThan(Duration.ofHours(1));
    }
  }
}
