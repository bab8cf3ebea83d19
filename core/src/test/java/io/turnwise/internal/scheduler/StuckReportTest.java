package io.turnwise.internal.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is said of a worker whose code cannot be stopped. */
class StuckReportTest {
  private static final int MOST_WORKERS = 4;

  private final LinkedBlockingQueue<String> said = new LinkedBlockingQueue<>();
  private final Scheduler scheduler =
      new Scheduler(
          "busy", 1, MOST_WORKERS, new Tick(System::nanoTime), false, () -> {}, said::add);

  @AfterEach
  void stop() {
    scheduler.stop();
  }

  private String reportOf(Worker stuck) throws InterruptedException {
    scheduler.spares().sayStuck(stuck, new Idle(7), Thread.currentThread());
    return String.valueOf(said.poll(30, TimeUnit.SECONDS));
  }

  @Test
  void aWorkerIsNamedByItsNumberWithWhatHoldsItAndWhere() throws Exception {
    assertThat(reportOf(new Worker(scheduler, 0, false)))
        .startsWith("Worker 0 of dispatcher busy is held by task 7")
        .contains("StuckReportTest.reportOf");
  }

  @Test
  void aSpareThreadHasNoNumber() throws Exception {
    assertThat(reportOf(new Worker(scheduler, MOST_WORKERS, true)))
        .startsWith("A spare thread of dispatcher busy is held by task 7");
  }

  @Test
  void thatNoSpareThreadIsLeftIsSaidOnce() throws Exception {
    Spares spares = scheduler.spares();
    scheduler.queue(0).stuck = true;
    for (int made = 0; said.isEmpty() && made < 1_000; made++) {
      spares.relieve();
      for (int i = 0; i < spares.count(); i++) spares.get(i).queue.stuck = true;
    }
    spares.relieve();
    assertThat(said).hasSize(1);
    assertThat(said.poll())
        .startsWith("All workers of dispatcher busy and all its 64 spare threads are held")
        .contains("[NO-SPARE-LEFT]");
    assertThat(spares.count()).isEqualTo(64);
  }

  @Test
  void theAdviceIsForCodeThatWasNotWovenAndForNativeCode() throws Exception {
    String report = reportOf(new Worker(scheduler, 0, false));
    assertThat(report.substring(report.indexOf("next:")))
        .contains("-javaagent:turnwise-agent.jar", "native", "Backend.BLOCKING");
  }
}
