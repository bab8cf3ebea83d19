package io.turnwise;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where nobody works, nothing is used up: workers sleep, and the ticker nearly always. */
class IdleCpuTest {
  private static final int WORKERS = 8;
  private static final long WATCHED_MILLIS = 2_000;

  @Test
  void aSystemInWhichNobodyWorksUsesNextToNoProcessorTime() throws Exception {
    try (var system = ActorSystem.open("quiet", c -> c.withWorkers(WORKERS))) {
      ActorRef<String> actor = system.spawn("a", () -> (_, _) -> {});
      for (int i = 0; i < 10_000; i++) actor.cast("x");
      Await.until("all is done", () -> system.snapshot().messagesHandled() == 10_000);
      Thread.sleep(500);
      long before = cpuNanos();
      Thread.sleep(WATCHED_MILLIS);
      assertThat((cpuNanos() - before) / 1_000_000)
          .as("ms that all its threads used in %s", WATCHED_MILLIS)
          .isLessThanOrEqualTo(WATCHED_MILLIS / 100);
    }
  }

  private static long cpuNanos() {
    List<Thread> own =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("turnwise-quiet-"))
            .toList();
    assertThat(own).hasSizeGreaterThan(WORKERS);
    var meter = ManagementFactory.getThreadMXBean();
    return own.stream().mapToLong(thread -> meter.getThreadCpuTime(thread.threadId())).sum();
  }
}
