package io.turnwise.testkit.supervision;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.Actor;
import io.turnwise.ActorRef;
import io.turnwise.Context;
import io.turnwise.StopReason;
import io.turnwise.supervision.Backoff;
import io.turnwise.supervision.ChildSpec;
import io.turnwise.supervision.RestartLimit;
import io.turnwise.supervision.Supervisor;
import io.turnwise.supervision.SupervisorRequest;
import io.turnwise.supervision.SupervisorSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who overrides {@code preRestart} and {@code postRestart} can tell a restart from an end. */
class RestartHooksTest extends FamilyTest {
  private final List<String> diary = new ArrayList<>();

  /** What throws, once each. */
  private final List<String> fails = new ArrayList<>();

  private final class Hooked implements Actor<String> {
    private final String name;

    Hooked(String name) {
      this.name = name;
    }

    /** As a turn of the actor's own: elsewhere its timers would refuse to be used. */
    private void note(String what, Context<String> context) {
      assertThat(context.timers().isActive("none")).isFalse();
      diary.add(name + " " + what);
      if (fails.remove(what)) throw new IllegalStateException("in " + what);
    }

    @Override
    public void init(Context<String> context) {
      note("init", context);
    }

    @Override
    public void receive(String message, Context<String> context) {
      throw new IllegalStateException(message);
    }

    @Override
    public void preRestart(StopReason reason, Context<String> context) {
      note("preRestart " + reason.getClass().getSimpleName(), context);
    }

    @Override
    public void postRestart(StopReason reason, Context<String> context) {
      note("postRestart " + reason.getClass().getSimpleName(), context);
    }

    @Override
    public void teardown(StopReason reason, Context<String> context) {
      note("teardown " + reason.getClass().getSimpleName(), context);
    }
  }

  private ChildSpec<String> hooked(String name) {
    return ChildSpec.of(name, () -> (Actor<String>) new Hooked(name));
  }

  /** Starts it and forgets what was noted meanwhile. */
  private Supervisor up(SupervisorSpec spec) {
    Supervisor supervisor = start(spec);
    diary.clear();
    return supervisor;
  }

  @Test
  void theInstanceGoesBeforeTheDelayAndTheNextComesAfterIt() {
    ChildSpec<String> spec = hooked("a").withBackoff(Backoff.constant(ofSeconds(10)));
    Supervisor supervisor = up(SupervisorSpec.oneForOne().withChild(spec));
    ActorRef<String> a = supervisor.child(spec);
    a.cast("crash");
    kit.run();
    assertThat(diary).containsExactly("a preRestart Crashed");
    kit.advance(ofSeconds(11));
    assertThat(diary).containsExactly("a preRestart Crashed", "a postRestart Crashed");
    supervisor.stop(a);
    assertThat(diary).last().isEqualTo("a teardown ShutDown");
  }

  @Test
  void siblingsThatAreRestartedKnowItAsWell() {
    Supervisor supervisor =
        up(SupervisorSpec.oneForAll().withChild(hooked("a")).withChild(hooked("b")));
    supervisor.child(hooked("a")).cast("crash");
    kit.run();
    assertThat(diary)
        .containsExactly(
            "a preRestart Crashed",
            "b preRestart ShutDown",
            "a postRestart Crashed",
            "b postRestart ShutDown");
  }

  @Test
  void aKilledInstanceRunsNothingAndTheNextIsToldSo() {
    Supervisor supervisor = up(SupervisorSpec.oneForOne().withChild(hooked("a")));
    kit.await(supervisor.child(hooked("a")).kill());
    kit.run();
    assertThat(diary).containsExactly("a postRestart Killed");
  }

  @Test
  void whoFailsInThemIsRestartedAllTheSame() {
    fails.add("preRestart Crashed");
    fails.add("postRestart Crashed");
    Supervisor supervisor = up(SupervisorSpec.oneForOne().withChild(hooked("a")));
    supervisor.child(hooked("a")).cast("crash");
    kit.run();
    assertThat(diary)
        .containsExactly("a preRestart Crashed", "a postRestart Crashed", "a postRestart Crashed");
    assertThat(supervisor.children().getFirst().restarts()).isEqualTo(2);
  }

  /** Whether its supervisor comes back is not the child's to know. */
  @Test
  void whoGoesDownWithItsSupervisorIsTakenDownAndReplacedLater() {
    ChildSpec<SupervisorRequest> inner =
        ChildSpec.supervisor(
            "inner",
            SupervisorSpec.oneForOne()
                .withChild(hooked("a"))
                .withChild(hooked("b"))
                .withLimit(RestartLimit.of(0)));
    Supervisor outer = up(SupervisorSpec.oneForOne().withChild(inner));
    Supervisor.at(outer.child(inner)).child(hooked("b")).cast("crash");
    kit.run();
    assertThat(diary)
        .containsExactly(
            "b teardown Crashed",
            "a teardown ShutDown",
            "a postRestart ShutDown",
            "b postRestart Crashed");
  }
}
