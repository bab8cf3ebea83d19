package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.ActorSystem;
import io.turnwise.StopReason;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.ChildState;
import io.turnwise.supervision.ChildStatus;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorSpec;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All children of a supervisor are to be started again, and one of them computes without end. */
class SupervisedHogTest {
  private static final Duration SOON = Duration.ofMillis(50);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @ParameterizedTest
  @EnumSource
  void aBusySiblingIsStoppedAtItsDeadlineAndComesBack(Hog hog) throws Exception {
    var begun = new CountDownLatch(1);
    var lives = new AtomicInteger();
    Actor<String> hogs =
        (_, _) -> {
          begun.countDown();
          hog.run();
        };
    ChildSpec<String> busy =
        ChildSpec.<String>of(
                "busy",
                () -> {
                  lives.incrementAndGet();
                  return hogs;
                })
            .withStopDeadline(SOON);
    ChildSpec<String> failing =
        ChildSpec.of(
            "failing",
            () ->
                (message, _) -> {
                  throw new IllegalStateException(message);
                });
    try (var system =
        ActorSystem.open("hogs", it -> it.withWorkers(1).withCloseOnShutdown(false))) {
      SupervisorSpec all = SupervisorSpec.oneForAll().withChild(failing).withChild(busy);
      Supervisor supervisor = Supervisor.start(system, "sup", all);
      ActorRef<String> ref = supervisor.child(busy);
      ref.cast("for ever");
      assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      supervisor.child(failing).cast("by order");
      while (lives.get() < 2) assertThat(supervisor.child(busy)).isSameAs(ref); // it answers
      supervisor.awaitUp(PATIENCE);
      assertThat(supervisor.children())
          .allSatisfy(child -> assertThat(child.restarts()).isEqualTo(1))
          .allSatisfy(child -> assertThat(child.state()).isEqualTo(ChildState.UP))
          .extracting(ChildStatus::lastReason)
          .last()
          .isEqualTo(new StopReason.Killed("/hogs/sup"));
    }
  }
}
