package io.turnwise.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.turnwise.benchmarks.peer.ActorRuntime;
import io.turnwise.benchmarks.peer.Behavior;
import io.turnwise.benchmarks.peer.Peer;
import io.turnwise.benchmarks.peer.RuntimeSettings;
import io.turnwise.benchmarks.result.Measurement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class LoudFailureTest {

  @Test
  void aWrongAnswerIsNotMeasured() {
    Stage<Object> stage = new Stage<>(Peer.FJP, new LyingRuntime(), 0, 1_000, new Failures());

    assertThatThrownBy(() -> new AskFromOutside(1).run(stage))
        .isInstanceOf(WrongResultException.class)
        .hasMessageContaining("answered with a lie");
    assertThatThrownBy(() -> new AskFromOutside(64).run(stage))
        .isInstanceOf(WrongResultException.class)
        .hasMessageContaining("answered with a lie");
  }

  @Test
  void anActorThatThrowsEndsTheWaitForIt() {
    Failures failures = new Failures();
    try (ActorRuntime<?> runtime = Peer.FJP.open(new RuntimeSettings(1, failures))) {
      Stage<?> stage = new Stage<>(Peer.FJP, runtime, 1, 1, failures);

      assertThatThrownBy(() -> new Thrower().run(stage))
          .isInstanceOf(WrongResultException.class)
          .hasMessageContaining("an actor failed")
          .hasRootCauseMessage("on purpose");
    }
  }

  @Test
  void aDifferenceNamesWhatWasExpected() {
    assertThatThrownBy(() -> WrongResultException.unlessEqual("primes", 46, 45))
        .hasMessage("primes: expected 46, got 45");
  }

  private static final class Thrower implements Workload {
    @Override
    public <A> Measurement run(Stage<A> stage) throws Exception {
      Finish finish = stage.finish(1);
      Behavior<A> throwing =
          (message, self) -> {
            throw new IllegalStateException("on purpose");
          };
      stage.runtime().send(stage.runtime().spawn(throwing), Cue.GO);
      finish.await();
      return new Measurement(1, 1);
    }
  }

  /** Its actors do nothing, and every question gets the same answer. */
  private static final class LyingRuntime implements ActorRuntime<Object> {
    @Override
    public Object spawn(Behavior<Object> behavior) {
      return behavior;
    }

    @Override
    public void send(Object receiver, Object message) {}

    @Override
    public void stop(Object actor) {}

    @Override
    public Future<Object> ask(Object server, Object payload) {
      return CompletableFuture.completedFuture("a lie");
    }

    @Override
    public String describe() {
      return "lies";
    }

    @Override
    public void close() {}
  }
}
