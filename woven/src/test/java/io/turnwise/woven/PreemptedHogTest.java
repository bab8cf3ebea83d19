package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.KillReport;
import io.turnwise.agent.RuntimeAgent;
import io.turnwise.agent.WeavingReport;
import io.turnwise.agent.weaver.SkipReason;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One worker, and a handler on it that never gives it back by itself. */
class PreemptedHogTest {
  private ActorSystem system;

  @BeforeEach
  void open() {
    system = ActorSystem.open("hogs", it -> it.withWorkers(1).withCloseOnShutdown(false));
  }

  @AfterEach
  void close() {
    system.close();
  }

  @ParameterizedTest
  @EnumSource
  void othersRunBesideIt(Hog hog) throws Exception {
    ActorRef<String> actor = start(hog);
    for (int i = 0; i < 5; i++) assertOthersRun();
    kill(actor);
  }

  /**
   * On a machine with far too much to do, the time for this may pass while the hog is not run at
   * all, and it is abandoned: then it gets another chance.
   */
  @ParameterizedTest
  @EnumSource
  void itIsEndedAtAPoll(Hog hog) throws Exception {
    KillReport report;
    int attempts = 0;
    do {
      ActorRef<String> actor = start(hog);
      assertOthersRun(); // so it is past the loading of classes, where nothing can end it
      report = kill(actor);
    } while (report.force() != KillReport.Force.CANCELLED && ++attempts < 5);
    assertThat(report.force()).isEqualTo(KillReport.Force.CANCELLED);
  }

  @Test
  void nothingFailedToBeWoven() {
    WeavingReport report = RuntimeAgent.report();
    assertThat(report).isNotNull();
    assertThat(report.skipped(SkipReason.FAILED)).as(report.text()).isZero();
    assertThat(report.wovenClasses()).isPositive();
  }

  private void assertOthersRun() throws InterruptedException {
    var handled = new CountDownLatch(1);
    ActorRef<String> other = system.spawn(() -> (message, context) -> handled.countDown());
    other.cast("your turn");
    assertThat(handled.await(20, TimeUnit.SECONDS)).isTrue();
  }

  private ActorRef<String> start(Hog hog) throws InterruptedException {
    var begun = new CountDownLatch(1);
    ActorRef<String> actor =
        system.spawn(
            () ->
                (message, context) -> {
                  begun.countDown();
                  hog.run();
                });
    actor.cast("begin");
    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
    return actor;
  }

  private static KillReport kill(ActorRef<String> actor) throws Exception {
    return actor.kill().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }
}
