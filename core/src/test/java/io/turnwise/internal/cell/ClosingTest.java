package io.turnwise.internal.cell;

import static io.turnwise.Puppet.does;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.ActorSystem;
import io.turnwise.Await;
import io.turnwise.Puppet;
import io.turnwise.observation.CloseReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A second close, while the first is under way or after it has failed. */
class ClosingTest {
  private final List<String> log = Collections.synchronizedList(new ArrayList<>());

  @Test
  void aSecondCloseWaitsForTheEndOfTheFirstHoweverShortItsOwnDeadlineIs() throws Exception {
    var system =
        ActorSystem.open("closing", c -> c.withWorkers(1).withCallTimeout(Duration.ofMillis(1)));
    var go = new CountDownLatch(1);
    var begun = new CountDownLatch(1);
    system
        .spawn(() -> new Puppet(log))
        .cast(
            does(
                _ -> {
                  begun.countDown();
                  go.await();
                }));
    Await.latch(begun);
    var first = new CompletableFuture<CloseReport>();
    Thread.ofPlatform().start(() -> first.complete(system.close(Duration.ofMinutes(1))));
    Await.until("the first has begun", system::isClosed);
    var second = new CompletableFuture<CloseReport>();
    Thread waits =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    second.complete(system.close(Duration.ofNanos(1)));
                  } catch (Throwable e) {
                    second.completeExceptionally(e);
                  }
                });
    assertThat(waits.join(Duration.ofMillis(1_500))).as("it has gone").isFalse();
    go.countDown();
    assertThat(Await.result(second)).isSameAs(Await.result(first));
  }

  @Test
  void aCloseThatFailedIsNoCompleteOneForAnybody() throws Exception {
    var system = (LocalActorSystem) ActorSystem.open("failing", c -> c.withWorkers(1));
    var failure = new IllegalStateException("on purpose");
    LocalActorSystem.auditBy(
        new Auditor() {
          @Override
          public void closes(LocalActorSystem closing) {
            throw failure;
          }

          @Override
          public void closed(LocalActorSystem closing, CloseReport report) {}
        });
    try {
      assertThatThrownBy(() -> system.close(Duration.ofSeconds(1))).isSameAs(failure);
      assertThatThrownBy(() -> Await.result(system.whenClosed())).isSameAs(failure);
      assertThatThrownBy(() -> system.close(Duration.ofSeconds(1)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll("failing", "[CLOSE-FAILED]")
          .hasCause(failure);
    } finally {
      system.stopThreads(0);
      system.forgetProcess();
    }
  }

  @Test
  void whoClosesAgainInTheMiddleOfItsOwnCloseIsToldSo() {
    var kit = new ManualSystem();
    kit.callBackHere();
    var told = new CompletableFuture<Throwable>();
    kit.puppet("a")
        .whenStopped()
        .thenRun(
            () -> {
              try {
                kit.system().close(Duration.ofSeconds(1));
              } catch (IllegalStateException e) {
                told.complete(e);
              }
            });
    kit.closeUnchecked();
    assertThat(told.join()).hasMessageContainingAll("test", "[CLOSE-FROM-INSIDE]", "whenClosed()");
  }
}
